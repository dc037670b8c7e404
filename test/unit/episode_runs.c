/*-------------------------------------------------------------------------
 *
 * episode_runs.c
 *	  Tasks of episodes, done by the workers of an engine.
 *
 *-------------------------------------------------------------------------
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "episode_runs.h"

/* The engine that the others are compared with on streams too long for exhaustive search. */
static FimResult
MineOnCpu(const FimTask *task, FimHost *host, FimSink *sink)
{
	return FimMine(task, host, sink);
}

static const char *const cpu_strategies[] = {"auto", "propagate", "state_machine", "occurrence", "two_pass", NULL};

const EpisodeEngine cpu_engine = {.strategies = cpu_strategies, .strategy = -1, .mine = MineOnCpu};

void
StartTask(const EpisodeEngine *engine, const FimEpisodesSpec *spec, const FimEpisodesData *data,
		  TaskWorker *workers, uint32_t n)
{
	StartWorkers(engine->mine, FimEpisodesTask(spec, data, NULL), workers, n);
	if (engine->prepare != NULL)
		engine->prepare(&workers[0].task);
}

bool
SameAsCpu(const EpisodeEngine *engine, const FimEpisodesSpec *spec, const FimEpisodesData *data)
{
	TaskWorker	cpu;
	TaskWorker	other;
	bool		same;

	StartTask(&cpu_engine, spec, data, &cpu, 1);
	RunWorkers(&cpu, 1);
	StartTask(engine, spec, data, &other, 1);
	RunWorkers(&other, 1);
	same = cpu.result == FIM_DONE && other.result == FIM_DONE && SameSummaries(&cpu, &other) &&
		cpu.sink.nwords == other.sink.nwords &&
		(cpu.sink.nwords == 0 || memcmp(cpu.sink.words, other.sink.words, sizeof(uint32_t) * cpu.sink.nwords) == 0);
	return EndWorkers(&cpu, 1) & EndWorkers(&other, 1) & same;
}

uint32_t
CountStrategies(const EpisodeEngine *engine)
{
	uint32_t	n = 0;

	while (engine->strategies[n] != NULL)
		n++;
	return n;
}

bool
IsChecked(const EpisodeEngine *engine, int strategy)
{
	return engine->strategy < 0 || strategy == engine->strategy;
}

uint64_t
MinedSupport(const EpisodeEngine *engine, const FimEpisodesData *data, int strategy, const uint32_t *type, uint32_t length)
{
	FimEpisodesSpec spec = {.head = {sizeof(spec), strategy, false}, .minsup = 1, .min_length = length, .max_length = length};
	TaskWorker	worker;
	uint64_t	support = 0;

	StartTask(engine, &spec, data, &worker, 1);
	RunWorkers(&worker, 1);
	assert(worker.result == FIM_DONE);
	for (size_t at = 0; at < worker.sink.nwords; at += FIM_EPISODES_RECORD_WORDS(length))
		if (memcmp(worker.sink.words + at + 1, type, sizeof(uint32_t) * length) == 0)
			memcpy(&support, worker.sink.words + at + 2 * length, sizeof(support));
	EndWorkers(&worker, 1);
	return support;
}

static uint32_t compared_length;

static int
CompareRecords(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(uint32_t) * FIM_EPISODES_RECORD_WORDS(compared_length));
}

size_t
MineSorted(const EpisodeEngine *engine, const FimEpisodesData *data, int strategy, FimKind kind,
		   uint64_t minsup, uint32_t length, uint32_t **words)
{
	FimEpisodesSpec spec = {.head = {sizeof(spec), strategy, false}, .kind = kind, .minsup = minsup,
	.min_length = length, .max_length = length};
	TaskWorker	worker;
	size_t		n;

	StartTask(engine, &spec, data, &worker, 1);
	RunWorkers(&worker, 1);
	assert(worker.result == FIM_DONE);
	n = worker.sink.results;
	*words = worker.sink.words;
	worker.sink.words = NULL;
	EndWorkers(&worker, 1);
	compared_length = length;
	if (n > 0)
		qsort(*words, n, sizeof(uint32_t) * FIM_EPISODES_RECORD_WORDS(length), CompareRecords);
	return n;
}

bool
StrategiesAgree(const EpisodeEngine *engine, const FimEpisodesData *data, FimKind kind, uint64_t minsup, uint32_t length)
{
	uint32_t   *words;
	uint32_t   *others;
	size_t		n = MineSorted(&cpu_engine, data, FIM_EPISODES_OCCURRENCE, kind, minsup, length, &words);
	bool		good = true;

	for (int strategy = 0; strategy < (int) CountStrategies(engine); strategy++)
	{
		size_t		m;

		if (!IsChecked(engine, strategy))
			continue;
		m = MineSorted(engine, data, strategy, kind, minsup, length, &others);
		if (m != n || (n > 0 && memcmp(words, others, sizeof(uint32_t) * FIM_EPISODES_RECORD_WORDS(length) * n) != 0))
			good = Complain("kind %d, minsup %u: %u episodes by %s, %u by occurrence", kind, (unsigned) minsup,
							(unsigned) m, engine->strategies[strategy], (unsigned) n);
		free(others);
	}
	free(words);
	return good;
}

/*-------------------------------------------------------------------------
 *
 * episode_checks.c
 *	  Whether an engine finds the episodes that are there, see episode_checks.h.
 *
 *-------------------------------------------------------------------------
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/episodes/trie.h"
#include "episode_checks.h"
#include "streams.h"

#define MAX_WORKERS			3
#define EPISODES_A_STREAM	5
#define LONG_EVENTS			1500

/* A job with room for its words. */
typedef union TestJob
{
	FimEpisodesJob job;
	char		room[sizeof(FimEpisodesJob) + sizeof(uint32_t) * 2 * STREAM_LENGTH];
} TestJob;

/* The engine that the others are compared with on streams too long for exhaustive search. */
static FimResult
MineOnCpu(const FimTask *task, FimHost *host, FimSink *sink)
{
	return FimEpisodesFamily.mine(task, host, sink);
}

static const char *const cpu_strategies[] = {"auto", "propagate", "state_machine", "occurrence", "two_pass", NULL};

const EpisodeEngine cpu_engine = {.strategies = cpu_strategies, .strategy = -1, .mine = MineOnCpu};

typedef struct EpisodeWorker
{
	const EpisodeEngine *engine;
	FimTask		task;
	TestHost	host;
	WordSink sink;
	uint64_t	summary[STREAM_ROWS + 2];
	FimResult	result;
} EpisodeWorker;

static uint32_t run;

static void *
WorkerMain(void *arg)
{
	EpisodeWorker *worker = arg;

	worker->result = worker->engine->mine(&worker->task, &worker->host.base, &worker->sink.base);
	return NULL;
}

/* Have so many workers do the task, after they were set up by StartTask(). */
static void
RunWorkers(EpisodeWorker *workers, uint32_t n)
{
	RunThreads(WorkerMain, workers, sizeof(EpisodeWorker), n);
}

static void
StartTask(const EpisodeEngine *engine, const FimEpisodesJob *job, const FimEpisodesData *data,
		  EpisodeWorker *workers, uint32_t n)
{
	FimTask		task = FimEpisodesTask(job, data, NULL, NULL);
	FimShared  *shared = OddAlloc(FimSharedSize(&task));

	memset(shared, 0, FimSharedSize(&task));
	task.shared = shared;
	FimSharedInit(&task);
	assert(FimSummarySize(&task) <= sizeof(workers[0].summary));
	for (uint32_t w = 0; w < n; w++)
	{
		memset(&workers[w], 0, sizeof(EpisodeWorker));
		workers[w].engine = engine;
		HostInit(&workers[w].host);
		WordSinkInit(&workers[w].sink);
		workers[w].task = task;
		workers[w].task.summary = job->head.count_only ? workers[w].summary : NULL;
	}
	if (engine->prepare != NULL)
		engine->prepare(&task);
}

/* Frees what the workers have; false if they left something behind. */
static bool
EndTask(EpisodeWorker *workers, uint32_t n)
{
	bool		good = true;

	for (uint32_t w = 0; w < n; w++)
	{
		good &= workers[w].host.live == 0 && !workers[w].host.wrong_free && !workers[w].sink.wrong;
		HostFreeAll(&workers[w].host);
		free(workers[w].sink.words);
	}
	OddFree(workers[0].task.shared);
	return good || Complain("memory was left behind, or the sink was called wrongly");
}

static bool
HoldsRequired(const FimEpisodesJob *job, const StreamEpisode *e)
{
	for (uint32_t r = 0; r < job->nrequired; r++)
	{
		bool		held = false;

		for (uint32_t k = 0; k < e->length; k++)
			held |= e->type[k] == job->words[r];
		if (!held)
			return false;
	}
	return true;
}

static bool
IsWanted(const FimEpisodesJob *job, const StreamEpisode *e)
{
	return e->support >= job->minsup && !e->extended && HoldsRequired(job, e) &&
		e->length >= job->min_length && e->length <= job->max_length;
}

/* Is the shorter one a prefix or a suffix? */
static bool
IsPart(const StreamEpisode *part, const StreamEpisode *whole)
{
	uint32_t	n = part->length;
	uint32_t	from = whole->length - n;

	if (n >= whole->length)
		return false;
	return (memcmp(part->type, whole->type, sizeof(uint32_t) * n) == 0 &&
			memcmp(part->gap, whole->gap, sizeof(uint32_t) * (n - 1)) == 0) ||
		(memcmp(part->type, whole->type + from, sizeof(uint32_t) * n) == 0 &&
		 memcmp(part->gap, whole->gap + from, sizeof(uint32_t) * (n - 1)) == 0);
}

static void
MarkExtended(const FimEpisodesJob *job, StreamEpisodes *all)
{
	for (uint32_t e = 0; e < all->n; e++)
	{
		all->episode[e].extended = false;
		if (job->kind == FIM_ALL || all->episode[e].support < job->minsup)
			continue;
		for (uint32_t other = 0; other < all->n && !all->episode[e].extended; other++)
			if (all->episode[other].support >= (job->kind == FIM_CLOSED ? all->episode[e].support : job->minsup))
				all->episode[e].extended = IsPart(&all->episode[e], &all->episode[other]);
	}
}

static bool
CheckRecords(const FimEpisodesJob *job, StreamEpisodes *all, const WordSink *sink)
{
	size_t		at = 0;
	size_t		n = 0;

	for (; at < sink->nwords; n++)
	{
		uint32_t	length = sink->words[at];
		const uint32_t *type = sink->words + at + 1;
		const uint32_t *gap = type + length;
		uint64_t	support;
		StreamEpisode *e;

		if (length == 0 || length > STREAM_LENGTH)
			return Complain("a record of length %u", length);
		memcpy(&support, gap + length - 1, sizeof(support));
		at += FIM_EPISODES_RECORD_WORDS(length);
		e = LookUpEpisode(all, length, type, gap);
		if (e == NULL)
			return Complain("an episode of length %u, support %u, that does not occur", length, (unsigned) support);
		if (e->support != support)
			return Complain("support %u instead of %u", (unsigned) support, (unsigned) e->support);
		if (!IsWanted(job, e))
			return Complain("an episode of length %u, support %u, that is not wanted", length, (unsigned) support);
		if (e->seen == run)
			return Complain("an episode twice");
		e->seen = run;
	}
	return (at == sink->nwords && n == sink->results) || Complain("a batch that does not end with a record");
}

static bool
CheckList(const FimEpisodesJob *job, StreamEpisodes *all, const EpisodeWorker *workers, uint32_t n)
{
	for (uint32_t w = 0; w < n; w++)
		if (!CheckRecords(job, all, &workers[w].sink))
			return false;
	for (uint32_t e = 0; e < all->n; e++)
		if (IsWanted(job, &all->episode[e]) && all->episode[e].seen != run)
			return Complain("episode %u of length %u, support %u, is missing", e, all->episode[e].length,
							(unsigned) all->episode[e].support);
	return true;
}

static bool
CheckCounts(const FimEpisodesJob *job, const StreamEpisodes *all, EpisodeWorker *workers, uint32_t n)
{
	uint64_t	wanted[STREAM_ROWS + 2] = {0};

	for (uint32_t w = 1; w < n; w++)
		FimEpisodesFamily.summary_add(&workers[0].task, workers[0].summary, workers[w].summary);
	for (uint32_t e = 0; e < all->n; e++)
		wanted[all->episode[e].length] += IsWanted(job, &all->episode[e]);
	for (uint32_t length = 0; length < STREAM_ROWS + 2; length++)
		if (wanted[length] != workers[0].summary[length])
			return Complain("%u episodes of length %u instead of %u", (unsigned) workers[0].summary[length], length,
							(unsigned) wanted[length]);
	return true;
}

static void
DrawJob(Rng *rng, const TestStream *stream, uint32_t max_length, TestJob *to)
{
	FimEpisodesJob *job = &to->job;

	memset(to, 0, sizeof(*to));
	job->head.size = sizeof(TestJob);
	job->head.count_only = RngChance(rng, 0.3);
	job->kind = (FimKind) RngBelow(rng, 3);
	job->minsup = 1 + RngBelow(rng, 4);
	job->min_length = 1 + (RngChance(rng, 0.3) ? RngBelow(rng, 3) : 0);
	job->max_length = RngChance(rng, 0.5) ? 1 + RngBelow(rng, 4) : FIM_NO_LIMIT;
	if (RngChance(rng, 0.3))
		for (uint32_t type = 0; type < stream->ntypes; type++)
			if (RngChance(rng, 0.3))
				job->words[job->nrequired++] = type;
}

static uint32_t
CountStrategies(const EpisodeEngine *engine)
{
	uint32_t	n = 0;

	while (engine->strategies[n] != NULL)
		n++;
	return n;
}

static bool
IsChecked(const EpisodeEngine *engine, int strategy)
{
	return engine->strategy < 0 || strategy == engine->strategy;
}

static uint32_t
WorkersOf(const EpisodeEngine *engine, uint32_t n)
{
	return engine->one_worker ? 1 : n;
}

static bool
CheckMining(const EpisodeEngine *engine, Rng *rng, const TestStream *stream, const FimEpisodesData *data, StreamEpisodes *all)
{
	TestJob		drawn;
	FimEpisodesJob *job = &drawn.job;

	DrawJob(rng, stream, STREAM_LENGTH, &drawn);
	MarkExtended(job, all);
	for (int strategy = 0; engine->strategies[strategy] != NULL; strategy++)
	{
		EpisodeWorker workers[MAX_WORKERS];
		uint32_t	n = WorkersOf(engine, 1 + (RngChance(rng, 0.1) ? RngBelow(rng, MAX_WORKERS) : 0));
		bool		good = true;

		if (!IsChecked(engine, strategy))
			continue;
		job->head.strategy = strategy;
		run++;
		StartTask(engine, job, data, workers, n);
		RunWorkers(workers, n);
		for (uint32_t w = 0; w < n; w++)
			good &= workers[w].result == FIM_DONE;
		if (!good)
			Complain("a worker was not done");
		else
			good = job->head.count_only ? CheckCounts(job, all, workers, n) : CheckList(job, all, workers, n);
		if (!EndTask(workers, n) || !good)
			return Complain("strategy %s, kind %d, minsup %u, lengths %u to %u, %u required, %u workers, %s",
							engine->strategies[strategy], job->kind, (unsigned) job->minsup,
							job->min_length, job->max_length, job->nrequired, n,
							job->head.count_only ? "counting" : "listing");
	}
	return true;
}

/* A task that is stopped somewhere, or finds no memory, says so and leaves nothing. */
static bool
CheckStopping(const EpisodeEngine *engine, Rng *rng, const TestStream *stream, const FimEpisodesData *data)
{
	TestJob		drawn;
	FimEpisodesJob *job = &drawn.job;
	EpisodeWorker worker;
	uint32_t	what = RngBelow(rng, 4);
	FimResult	wanted = what == 0 ? FIM_OUT_OF_MEMORY : FIM_STOPPED;
	bool		good;

	DrawJob(rng, stream, STREAM_LENGTH, &drawn);
	job->head.strategy = (int32_t) RngBelow(rng, CountStrategies(engine));
	StartTask(engine, job, data, &worker, 1);
	if (what == 0)
		worker.host.fail_at = 1 + RngBelow(rng, 6);
	else if (what == 1)
		worker.host.stop_at = 1 + RngBelow(rng, 6);
	else if (what == 2)
		worker.sink.stop_at = 1;
	else
		worker.task.shared->cancel = 1;
	WorkerMain(&worker);
	good = worker.result == wanted ||
		(worker.result == FIM_DONE && (what == 0 ? worker.host.allocs < worker.host.fail_at :
									   what == 1 ? worker.host.polls < worker.host.stop_at :
									   what == 2 && worker.sink.batches == 0));
	return EndTask(&worker, 1) && (good || Complain("result %d when stopped by %u", worker.result, what));
}

/* Each occurrence is one, and begins after the one before it. */
static bool
CheckOccurrences(const TestStream *stream, const FimEpisodesJob *job, const WordSink *sink)
{
	uint32_t	length = job->episode_length;
	const uint32_t *type = job->words;
	const uint32_t *gap = job->words + length;
	uint32_t	last_partition = 0;
	FimTime		last = {0};

	if (sink->nwords != sink->results * FIM_EPISODES_OCCURRENCE_WORDS(length))
		return Complain("records that have not the right size");
	for (size_t o = 0; o < sink->results; o++)
	{
		const uint32_t *record = sink->words + o * FIM_EPISODES_OCCURRENCE_WORDS(length);
		FimTime		time[STREAM_LENGTH];

		memcpy(time, record + 1, sizeof(FimTime) * length);
		for (uint32_t k = 0; k < length; k++)
		{
			bool		there = false;

			for (uint32_t r = 0; r < stream->nrows; r++)
				there |= stream->row[r].partition == record[0] && stream->row[r].type == type[k] &&
					CompareTimes(stream, stream->row[r].time, time[k]) == 0;
			if (!there)
				return Complain("an occurrence with an event that is not there");
			if (k > 0 && !IsInGap(stream, &stream->gap[gap[k - 1]], time[k - 1], time[k]))
				return Complain("an occurrence that keeps no gap");
		}
		if (o > 0 && (record[0] < last_partition ||
					  (record[0] == last_partition && CompareTimes(stream, time[0], last) <= 0)))
			return Complain("occurrences that overlap");
		last_partition = record[0];
		last = time[length - 1];
	}
	return true;
}

static bool
CheckOneEpisode(const EpisodeEngine *engine, Rng *rng, const TestStream *stream,
				const FimEpisodesData *data, const StreamEpisodes *all)
{
	TestJob		room;
	FimEpisodesJob *job = &room.job;
	const StreamEpisode *found = all->n > 0 ? &all->episode[RngBelow(rng, all->n)] : NULL;
	uint32_t	length = found != NULL && RngChance(rng, 0.8) ? found->length : 1 + RngBelow(rng, 3);
	EpisodeWorker workers[MAX_WORKERS];
	uint32_t	n = WorkersOf(engine, 1 + RngBelow(rng, 2));
	uint64_t	support;
	uint64_t	given = 0;
	bool		good = true;

	memset(&room, 0, sizeof(room));
	job->head.size = sizeof(TestJob);
	job->head.count_only = RngChance(rng, 0.5);
	job->episode_length = length;
	for (uint32_t k = 0; k < length; k++)
	{
		bool		copy = found != NULL && found->length == length;

		job->words[k] = copy ? found->type[k] : RngBelow(rng, stream->ntypes);
		if (k > 0)
			job->words[length + k - 1] = copy ? found->gap[k - 1] : RngBelow(rng, stream->ngaps);
	}
	found = LookUpEpisode(all, length, job->words, job->words + length);
	support = found != NULL ? found->support : 0;
	StartTask(engine, job, data, workers, n);
	RunWorkers(workers, n);
	for (uint32_t w = 0; w < n; w++)
	{
		good &= workers[w].result == FIM_DONE;
		given += job->head.count_only ? workers[w].summary[0] : workers[w].sink.results;
		if (!job->head.count_only)
			good &= CheckOccurrences(stream, job, &workers[w].sink);
	}
	if (given != support)
		good = Complain("%u occurrences of an episode of length %u instead of %u", (unsigned) given, length,
						(unsigned) support);
	return EndTask(workers, n) && good;
}

/* Streams whose episodes are too many to compare get fewer rows or shorter episodes. */
bool
CheckStream(const EpisodeEngine *engine, uint64_t seed)
{
	Rng			rng = {seed};
	TestStream	stream;
	StreamEpisodes all;
	FimEpisodesData *data;
	uint32_t	nrows = RngChance(&rng, 0.1) ? RngBelow(&rng, STREAM_ROWS + 1) : RngBelow(&rng, 14);
	bool		good;

	DrawStream(&rng, &stream, nrows);
	while (!FindEpisodes(&stream, STREAM_LENGTH, &all))
		DrawStream(&rng, &stream, nrows -= nrows / 4 + (nrows > 0));
	data = BuildStream(&stream);
	good = CheckMining(engine, &rng, &stream, data, &all) && CheckStopping(engine, &rng, &stream, data);
	for (int i = 0; i < EPISODES_A_STREAM && good; i++)
		good = CheckOneEpisode(engine, &rng, &stream, data, &all);
	if (!good)
	{
		Complain("stream of seed %llu", (unsigned long long) seed);
		PrintStream(&stream);
	}
	OddFree(data);
	free(all.episode);
	return good;
}

/* A stream in one partition, and an episode of it under the stream's only gap. */
typedef struct Smallest
{
	const char *name;
	int64_t		low;			/* the gap is (low, high] */
	int64_t		high;			/* INT64_MAX: unbounded */
	const char *types;			/* of the events, a letter for each */
	int64_t		times[8];
	const char *episode;
	uint64_t	support;
} Smallest;

static const Smallest smallest[] = {
	{"the prefix is counted", 0, 5, "ab", {1, 2}, "ab", 1},
	{"events never expire", 0, 5, "aab", {1, 11, 12}, "ab", 1},
	{"an occurrence begins when another one ends", 0, 5, "abab", {1, 2, 2, 3}, "ab", 1},
	{"an occurrence begins when another one ends, in other order", 0, 5, "aabb", {1, 2, 2, 3}, "ab", 1},
	{"an occurrence begins at time 0", 0, 5, "ab", {0, 1}, "ab", 1},
	{"no event is taken for one at time 0", 0, 5, "b", {1}, "ab", 0},
	{"a simultaneous event takes an older one's place", 0, 5, "aab", {1, 2, 2}, "ab", 1},
	{"only the latest event is known", 1, 5, "aab", {1, 2, 3}, "ab", 1},
	{"an inner event is left out", 0, 5, "abc", {0, 5, 10}, "abc", 1},
	{"times are as far apart as can be", 0, INT64_MAX, "ab", {INT64_MIN, INT64_MAX}, "ab", 1},
};

/* The support that a strategy gives an episode, 0 if it is not frequent. */
static uint64_t
MinedSupport(const EpisodeEngine *engine, const FimEpisodesData *data, int strategy, const uint32_t *type, uint32_t length)
{
	FimEpisodesJob job = {.head = {sizeof(job), strategy, false}, .minsup = 1, .min_length = length, .max_length = length};
	EpisodeWorker worker;
	uint64_t	support = 0;

	StartTask(engine, &job, data, &worker, 1);
	RunWorkers(&worker, 1);
	assert(worker.result == FIM_DONE);
	for (size_t at = 0; at < worker.sink.nwords; at += FIM_EPISODES_RECORD_WORDS(length))
		if (memcmp(worker.sink.words + at + 1, type, sizeof(uint32_t) * length) == 0)
			memcpy(&support, worker.sink.words + at + 2 * length, sizeof(support));
	EndTask(&worker, 1);
	return support;
}

static bool
CheckSmallest(const EpisodeEngine *engine, const Smallest *s)
{
	TestStream	stream = {.nrows = (uint32_t) strlen(s->types), .ntypes = 3, .ngaps = 1, .npartitions = 1};
	uint32_t	type[STREAM_LENGTH];
	uint32_t	length = (uint32_t) strlen(s->episode);
	FimEpisodesData *data;
	StreamEpisodes all;
	StreamEpisode *found;
	bool		good;

	stream.gap[0] = (StreamGap) {.low.integer = s->low, .high.integer = s->high, .low_open = true,
	.unbounded = s->high == INT64_MAX};
	for (uint32_t r = 0; r < stream.nrows; r++)
		stream.row[r] = (StreamRow) {0, (uint32_t) (s->types[r] - 'a'), {.integer = s->times[r]}};
	for (uint32_t k = 0; k < length; k++)
		type[k] = (uint32_t) (s->episode[k] - 'a');
	data = BuildStream(&stream);
	good = FindEpisodes(&stream, STREAM_LENGTH, &all);
	found = LookUpEpisode(&all, length, type, (uint32_t[STREAM_LENGTH]) {0});
	if ((found != NULL ? found->support : 0) != s->support)
		good = Complain("exhaustive search: %s", s->name);
	for (uint32_t strategy = 0; strategy < CountStrategies(engine); strategy++)
		if (IsChecked(engine, (int) strategy) && MinedSupport(engine, data, (int) strategy, type, length) != s->support)
			good = Complain("strategy %s: %s", engine->strategies[strategy], s->name);
	free(all.episode);
	OddFree(data);
	return good;
}

/* A stream long enough to be walked in several blocks, with more ties than not. */
static FimEpisodesData *
BuildLongStream(Rng *rng, uint32_t nevents, uint32_t ntypes)
{
	FimGap		gap[2] = {{{.integer = 1}, {.integer = 2 + RngBelow(rng, 20)}}, {{.integer = 3}, {.integer = 60}}};
	uint32_t	ngaps = 1 + (RngChance(rng, 0.2));
	uint32_t	density = 1 + RngBelow(rng, 3);
	size_t		size = FimEpisodesBound(nevents, 2, ntypes, ngaps);
	FimEpisodesData *built = OddAlloc(size);
	FimEpisodesData *data;
	TestHost	host;

	FimEpisodesBegin(built, size, nevents, 2, ntypes, gap, ngaps, false);
	for (uint32_t i = 0; i < nevents; i++)
	{
		/* a rare type, too: squares favour the first ones */
		uint32_t	type = RngBelow(rng, ntypes) * RngBelow(rng, ntypes) / ntypes;

		if (i == nevents / 3)
			FimEpisodesNewPartition(built);
		FimEpisodesAdd(built, type, (FimTime) {.integer = i / density});
	}
	FimEpisodesFinish(built);
	size = FimEpisodesFamily.cpu_size(&built->head);
	data = OddAlloc(size);
	memcpy(data, built, built->head.size);
	OddFree(built);
	HostInit(&host);
	assert(FimEpisodesFamily.cpu_prepare(&data->head, &host.base));
	return data;
}

static uint32_t compared_length;

static int
CompareRecords(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(uint32_t) * FIM_EPISODES_RECORD_WORDS(compared_length));
}

/* The episodes of one length that a strategy finds, sorted; returns how many. */
static size_t
MineSorted(const EpisodeEngine *engine, const FimEpisodesData *data, int strategy, FimKind kind,
		   uint64_t minsup, uint32_t length, uint32_t **words)
{
	FimEpisodesJob job = {.head = {sizeof(job), strategy, false}, .kind = kind, .minsup = minsup,
	.min_length = length, .max_length = length};
	EpisodeWorker worker;
	size_t		n;

	StartTask(engine, &job, data, &worker, 1);
	RunWorkers(&worker, 1);
	assert(worker.result == FIM_DONE);
	n = worker.sink.results;
	*words = worker.sink.words;
	worker.sink.words = NULL;
	EndTask(&worker, 1);
	compared_length = length;
	if (n > 0)
		qsort(*words, n, sizeof(uint32_t) * FIM_EPISODES_RECORD_WORDS(length), CompareRecords);
	return n;
}

/* Whether all strategies find what the CPU engine's "occurrence" does. */
static bool
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

/*
 * Long streams are not searched exhaustively: that the strategies agree must do.  The
 * threshold is the support of some episode, so that what gives up others too early
 * loses this one.
 */
bool
CheckLongStream(const EpisodeEngine *engine, uint64_t seed)
{
	Rng			rng = {seed};
	FimEpisodesData *data = BuildLongStream(&rng, LONG_EVENTS, 3 + RngBelow(&rng, 4));
	uint64_t	minsup = 20 + RngBelow(&rng, 60);
	uint32_t   *words;
	size_t		n = MineSorted(&cpu_engine, data, FIM_EPISODES_OCCURRENCE, FIM_ALL, minsup, 3, &words);
	bool		good;

	if (n > 0)
		memcpy(&minsup, words + RngBelow(&rng, (uint32_t) n) * FIM_EPISODES_RECORD_WORDS(3) + 6, sizeof(minsup));
	free(words);
	good = StrategiesAgree(engine, data, (FimKind) RngBelow(&rng, 3), minsup, 3) ||
		Complain("long stream of seed %llu", (unsigned long long) seed);
	OddFree(data);
	return good;
}

/* Whether a strategy of an engine finds what the CPU engine's "propagate" does. */
static bool
AgreesWithCpu(const EpisodeEngine *engine, const FimEpisodesData *data, int strategy, uint64_t minsup,
			  uint32_t length)
{
	uint32_t   *words;
	uint32_t   *others;
	size_t		n = MineSorted(&cpu_engine, data, FIM_EPISODES_PROPAGATE, FIM_ALL, minsup, length, &words);
	size_t		m = MineSorted(engine, data, strategy, FIM_ALL, minsup, length, &others);
	bool		good = m == n &&
		(n == 0 || memcmp(words, others, sizeof(uint32_t) * FIM_EPISODES_RECORD_WORDS(length) * n) == 0);

	free(words);
	free(others);
	return good || Complain("minsup %u: %u episodes by %s instead of %u", (unsigned) minsup, (unsigned) m,
							engine->strategies[strategy], (unsigned) n);
}

/* Whether an engine lists or counts the occurrences of an episode that the CPU engine does. */
static bool
OccurrencesAgree(const EpisodeEngine *engine, const FimEpisodesData *data, uint32_t last_type, bool count)
{
	TestJob		room;
	FimEpisodesJob *job = &room.job;
	EpisodeWorker cpu;
	EpisodeWorker other;
	bool		good;

	memset(&room, 0, sizeof(room));
	job->head.size = sizeof(TestJob);
	job->head.count_only = count;
	job->episode_length = 3;
	job->words[2] = last_type;
	StartTask(&cpu_engine, job, data, &cpu, 1);
	RunWorkers(&cpu, 1);
	StartTask(engine, job, data, &other, 1);
	RunWorkers(&other, 1);
	good = cpu.result == FIM_DONE && other.result == FIM_DONE && cpu.summary[0] == other.summary[0] &&
		cpu.sink.nwords == other.sink.nwords &&
		(count || memcmp(cpu.sink.words, other.sink.words, sizeof(uint32_t) * cpu.sink.nwords) == 0);
	if (!good)
		Complain("%u words or %u occurrences instead of %u or %u", (unsigned) other.sink.nwords,
				 (unsigned) other.summary[0], (unsigned) cpu.sink.nwords, (unsigned) cpu.summary[0]);
	return EndTask(&cpu, 1) & EndTask(&other, 1) & good;
}

bool
CheckVeryLongStream(const EpisodeEngine *engine, int strategy, uint64_t seed, uint32_t events, uint32_t types)
{
	Rng			rng = {seed};
	FimEpisodesData *data = BuildLongStream(&rng, events, types);
	bool		good = AgreesWithCpu(engine, data, strategy, events / 100, 2) &&
		AgreesWithCpu(engine, data, strategy, events / 60, 3) &&
		OccurrencesAgree(engine, data, types / 2, true) && OccurrencesAgree(engine, data, types / 2, false);

	OddFree(data);
	return good || Complain("very long stream of %u events, %u types, seed %llu", events, types,
							(unsigned long long) seed);
}

#define MOST_TESTED		8
#define TESTED_LENGTH	4
#define MOST_SURROGATES	6

/* Some of the episodes as a trie, and how events move. */
static void
DrawSurrogates(Rng *rng, const TestStream *stream, const StreamEpisodes *all, FimEpisodesJob *job)
{
	uint32_t	open[TESTED_LENGTH];
	FimTrie		trie = {.node = FIM_EPISODES_NODES(job), .open = open};
	double		chance = all->n > MOST_TESTED ? (double) MOST_TESTED / all->n : 1;

	for (uint32_t e = 0, n = 0; e < all->n && n < MOST_TESTED; e++)
		if (RngChance(rng, chance))
		{
			FimTrieAdd(&trie, all->episode[e].type, all->episode[e].gap, all->episode[e].length,
					   1 + RngBelow(rng, 4));
			n++;
		}
	FimTrieFinish(&trie);
	job->head.size = sizeof(TestJob);
	job->head.count_only = true;
	job->nnodes = trie.n;
	job->surrogates = 1 + RngBelow(rng, MOST_SURROGATES);
	job->seed = RngNext(rng);
	if (stream->real)
		job->dither.real = RngUnit(rng) * (RngChance(rng, 0.1) ? 1e308 : 5);
	else
		job->dither.integer = RngChance(rng, 0.1) ? INT64_MAX : 1 + RngBelow(rng, 8);
}

bool
CheckSurrogates(const EpisodeEngine *engine, uint64_t seed)
{
	Rng			rng = {seed};
	TestStream	stream;
	StreamEpisodes all;
	FimEpisodesData *data;
	TestJob		room;
	EpisodeWorker cpu;
	EpisodeWorker other;
	bool		good;

	DrawStream(&rng, &stream, RngBelow(&rng, 30));
	while (!FindEpisodes(&stream, TESTED_LENGTH, &all))
		DrawStream(&rng, &stream, RngBelow(&rng, 14));
	data = BuildStream(&stream);
	memset(&room, 0, sizeof(room));
	DrawSurrogates(&rng, &stream, &all, &room.job);
	StartTask(&cpu_engine, &room.job, data, &cpu, 1);
	RunWorkers(&cpu, 1);
	StartTask(engine, &room.job, data, &other, 1);
	RunWorkers(&other, 1);
	good = cpu.result == FIM_DONE && other.result == FIM_DONE &&
		memcmp(cpu.summary, other.summary, sizeof(cpu.summary)) == 0;
	good &= EndTask(&cpu, 1) & EndTask(&other, 1);
	if (!good)
	{
		Complain("surrogates of a stream of seed %llu", (unsigned long long) seed);
		PrintStream(&stream);
	}
	OddFree(data);
	free(all.episode);
	return good;
}

#define PERIODS			300

/*
 * a -> b -> c occurs in each period but the first, which is all that the threshold allows.
 * Both b can be followed by c, but the first one only by d and c: where a block ends
 * between them, a -> b has one occurrence more up to there.
 */
static bool
CheckGivingUp(const EpisodeEngine *engine)
{
	static const struct
	{
		uint32_t	type;
		int64_t		time;
	}			events[] = {{0, 0}, {0, 1}, {1, 10}, {1, 11}, {3, 16}, {2, 17}};
	FimGap		gap[2] = {{{.integer = 9}, {.integer = 11}}, {{.integer = 6}, {.integer = 8}}};
	size_t		size = FimEpisodesBound(6 * (PERIODS + 1), 1, 4, 2);
	FimEpisodesData *data = OddAlloc(size * 4);
	TestHost	host;
	bool		good;

	FimEpisodesBegin(data, size, 6 * (PERIODS + 1), 1, 4, gap, 2, false);
	for (uint32_t p = 0; p <= PERIODS; p++)
		for (uint32_t e = 0; e < 6; e++)
			if (p > 0 || (e != 1 && e != 3 && e != 5))
				FimEpisodesAdd(data, events[e].type, (FimTime) {.integer = 100 * p + events[e].time});
	FimEpisodesFinish(data);
	HostInit(&host);
	assert(FimEpisodesFamily.cpu_size(&data->head) <= size * 4);
	assert(FimEpisodesFamily.cpu_prepare(&data->head, &host.base));
	good = StrategiesAgree(engine, data, FIM_ALL, PERIODS, 3) || Complain("giving up");
	OddFree(data);
	return good;
}

#define WHOLE_PERIODS	20

/*
 * Both gaps are [3,3].  b -> c is not closed, since a precedes it each time.  In the first period b -> c
 * occurs twice, overlapping, and only the later one is preceded: it ends after the
 * beginning of the stream on which predecessors are tried.
 */
static bool
CheckTrying(const EpisodeEngine *engine)
{
	FimGap		gap = {{.integer = 3}, {.integer = 3}};
	size_t		size = FimEpisodesBound(3 * WHOLE_PERIODS + 5, 1, 3, 1);
	FimEpisodesData *data = OddAlloc(size * 4);
	TestHost	host;
	bool		good;

	FimEpisodesBegin(data, size, 3 * WHOLE_PERIODS + 5, 1, 3, &gap, 1, false);
	for (uint32_t p = 0; p <= WHOLE_PERIODS; p++)
	{
		FimEpisodesAdd(data, 0, (FimTime) {.integer = 100 * p});
		if (p == 0)
			FimEpisodesAdd(data, 1, (FimTime) {.integer = 1});
		FimEpisodesAdd(data, 1, (FimTime) {.integer = 100 * p + 3});
		if (p == 0)
			FimEpisodesAdd(data, 2, (FimTime) {.integer = 4});
		FimEpisodesAdd(data, 2, (FimTime) {.integer = 100 * p + 6});
	}
	FimEpisodesFinish(data);
	HostInit(&host);
	assert(FimEpisodesFamily.cpu_size(&data->head) <= size * 4);
	assert(FimEpisodesFamily.cpu_prepare(&data->head, &host.base));
	good = StrategiesAgree(engine, data, FIM_CLOSED, 1, 2) || Complain("trying predecessors");
	OddFree(data);
	return good;
}

#define DEEP_EVENTS		40
#define DEEP_LENGTH		9

/* Episodes so long, with lists so long, that not all lists are kept on the way down. */
static bool
CheckDeep(const EpisodeEngine *engine)
{
	FimGap		gap[2] = {{{.integer = 1}, {.integer = 1}}, {{.integer = 1}, {.integer = 3}}};
	size_t		size = FimEpisodesBound(DEEP_EVENTS, 1, 1, 2);
	FimEpisodesData *data = OddAlloc(size * 4);
	TestHost	host;
	bool		good;

	FimEpisodesBegin(data, size, DEEP_EVENTS, 1, 1, gap, 2, false);
	for (uint32_t k = 0; k < DEEP_EVENTS; k++)
		FimEpisodesAdd(data, 0, (FimTime) {.integer = k + k / 11 * 2});
	FimEpisodesFinish(data);
	HostInit(&host);
	assert(FimEpisodesFamily.cpu_size(&data->head) <= size * 4);
	assert(FimEpisodesFamily.cpu_prepare(&data->head, &host.base));
	good = StrategiesAgree(engine, data, FIM_ALL, 1, DEEP_LENGTH) || Complain("deep stream");
	OddFree(data);
	return good;
}

#define BURST_TYPES		12
#define BURST_EVENTS	40

/* Bursts in which each type follows the one before in 40 * 40 ways: 40^12 occurrences. */
static bool
CheckBurst(const EpisodeEngine *engine)
{
	FimGap		gap = {{.integer = 100 - BURST_EVENTS}, {.integer = 100 + BURST_EVENTS}};
	size_t		size = FimEpisodesBound(BURST_TYPES * BURST_EVENTS, 1, BURST_TYPES, 1);
	FimEpisodesData *data = OddAlloc(size * 4);
	uint32_t	type[BURST_TYPES];
	TestHost	host;
	bool		good = true;

	FimEpisodesBegin(data, size, BURST_TYPES * BURST_EVENTS, 1, BURST_TYPES, &gap, 1, false);
	for (uint32_t t = 0; t < BURST_TYPES; t++)
	{
		type[t] = t;
		for (uint32_t k = 0; k < BURST_EVENTS; k++)
			FimEpisodesAdd(data, t, (FimTime) {.integer = 100 * t + k});
	}
	FimEpisodesFinish(data);
	HostInit(&host);
	assert(FimEpisodesFamily.cpu_size(&data->head) <= size * 4);
	assert(FimEpisodesFamily.cpu_prepare(&data->head, &host.base));
	for (uint32_t strategy = 0; strategy < CountStrategies(engine); strategy++)
		if (IsChecked(engine, (int) strategy) && MinedSupport(engine, data, (int) strategy, type, BURST_TYPES) != 1)
			good = Complain("strategy %s: a burst", engine->strategies[strategy]);
	OddFree(data);
	return good;
}

bool
CheckFixedStreams(const EpisodeEngine *engine)
{
	for (size_t i = 0; i < sizeof(smallest) / sizeof(smallest[0]); i++)
		if (!CheckSmallest(engine, &smallest[i]))
			return false;
	return CheckBurst(engine) && CheckDeep(engine) && CheckGivingUp(engine) && CheckTrying(engine);
}

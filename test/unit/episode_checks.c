/*-------------------------------------------------------------------------
 *
 * episode_checks.c
 *	  Whether an engine finds the episodes of random streams that exhaustive search finds.
 *
 *-------------------------------------------------------------------------
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/episodes/episodes.h"
#include "episode_checks.h"

#define MAX_WORKERS			3
#define EPISODES_A_STREAM	5

static uint32_t run;

static bool
HasType(const StreamEpisode *e, uint32_t type)
{
	bool		has = false;

	for (uint32_t k = 0; k < e->length; k++)
		has |= e->type[k] == type;
	return has;
}

static bool
MeetsRequirements(const FimEpisodesSpec *spec, const StreamEpisode *e)
{
	bool		any = spec->nany == 0;

	for (uint32_t r = 0; r < spec->nrequired; r++)
		if (!HasType(e, spec->words[r]))
			return false;
	for (uint32_t a = 0; a < spec->nany; a++)
		any |= HasType(e, spec->words[spec->nrequired + a]);
	return any;
}

static bool
IsWanted(const FimEpisodesSpec *spec, const StreamEpisode *e)
{
	return e->support >= spec->minsup && !e->extended && MeetsRequirements(spec, e) &&
		e->length >= spec->min_length && e->length <= spec->max_length;
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
MarkExtended(const FimEpisodesSpec *spec, StreamEpisodes *all)
{
	for (uint32_t e = 0; e < all->n; e++)
	{
		all->episode[e].extended = false;
		if (spec->kind == FIM_ALL || all->episode[e].support < spec->minsup)
			continue;
		for (uint32_t other = 0; other < all->n && !all->episode[e].extended; other++)
			if (all->episode[other].support >= (spec->kind == FIM_CLOSED ? all->episode[e].support : spec->minsup))
				all->episode[e].extended = IsPart(&all->episode[e], &all->episode[other]);
	}
}

static bool
CheckRecords(const FimEpisodesSpec *spec, StreamEpisodes *all, const WordSink *sink)
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
		if (!IsWanted(spec, e))
			return Complain("an episode of length %u, support %u, that is not wanted", length, (unsigned) support);
		if (e->seen == run)
			return Complain("an episode twice");
		e->seen = run;
	}
	return (at == sink->nwords && n == sink->results) || Complain("a batch that does not end with a record");
}

static bool
CheckList(const FimEpisodesSpec *spec, StreamEpisodes *all, const TaskWorker *workers, uint32_t n)
{
	for (uint32_t w = 0; w < n; w++)
		if (!CheckRecords(spec, all, &workers[w].sink))
			return false;
	for (uint32_t e = 0; e < all->n; e++)
		if (IsWanted(spec, &all->episode[e]) && all->episode[e].seen != run)
			return Complain("episode %u of length %u, support %u, is missing", e, all->episode[e].length,
							(unsigned) all->episode[e].support);
	return true;
}

static bool
CheckCounts(const FimEpisodesSpec *spec, const StreamEpisodes *all, TaskWorker *workers, uint32_t n)
{
	const FimTask *task = &workers[0].task;
	const uint64_t *counts = task->summary;
	uint32_t	lengths = (uint32_t) (FimSummarySize(task) / sizeof(uint64_t));
	uint64_t	wanted[STREAM_ROWS + 2] = {0};

	for (uint32_t w = 1; w < n; w++)
		FimEpisodesFamily.summary_add(task, task->summary, workers[w].task.summary);
	for (uint32_t e = 0; e < all->n; e++)
		wanted[all->episode[e].length] += IsWanted(spec, &all->episode[e]);
	for (uint32_t length = 0; length < STREAM_ROWS + 2; length++)
	{
		uint64_t	count = length < lengths ? counts[length] : 0;

		if (wanted[length] != count)
			return Complain("%u episodes of length %u instead of %u", (unsigned) count, length,
							(unsigned) wanted[length]);
	}
	return true;
}

static bool
IsRequired(const FimEpisodesSpec *spec, uint32_t type)
{
	bool		required = false;

	for (uint32_t r = 0; r < spec->nrequired; r++)
		required |= spec->words[r] == type;
	return required;
}

static void
DrawSpec(Rng *rng, const TestStream *stream, uint32_t max_length, TestJob *to)
{
	FimEpisodesSpec *spec = &to->spec;

	memset(to, 0, sizeof(*to));
	spec->head.size = sizeof(TestJob);
	spec->head.count_only = RngChance(rng, 0.3);
	spec->kind = (FimKind) RngBelow(rng, 3);
	spec->minsup = 1 + RngBelow(rng, 4);
	spec->min_length = 1 + (RngChance(rng, 0.3) ? RngBelow(rng, 3) : 0);
	spec->max_length = RngChance(rng, 0.5) ? 1 + RngBelow(rng, 4) : FIM_NO_LIMIT;
	if (RngChance(rng, 0.3))
		for (uint32_t type = 0; type < stream->ntypes; type++)
			if (RngChance(rng, 0.3))
				spec->words[spec->nrequired++] = type;
	if (RngChance(rng, 0.3))
		for (uint32_t type = 0; type < stream->ntypes; type++)
			if (RngChance(rng, 0.4) && !IsRequired(spec, type))
				spec->words[spec->nrequired + spec->nany++] = type;
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
	FimEpisodesSpec *spec = &drawn.spec;

	DrawSpec(rng, stream, STREAM_LENGTH, &drawn);
	MarkExtended(spec, all);
	for (int strategy = 0; engine->strategies[strategy] != NULL; strategy++)
	{
		TaskWorker	workers[MAX_WORKERS];
		uint32_t	n = WorkersOf(engine, 1 + (RngChance(rng, 0.1) ? RngBelow(rng, MAX_WORKERS) : 0));
		bool		good = true;

		if (!IsChecked(engine, strategy))
			continue;
		spec->head.strategy = strategy;
		run++;
		StartTask(engine, spec, data, workers, n);
		RunWorkers(workers, n);
		for (uint32_t w = 0; w < n; w++)
			good &= workers[w].result == FIM_DONE;
		if (!good)
			Complain("a worker was not done");
		else
			good = spec->head.count_only ? CheckCounts(spec, all, workers, n) : CheckList(spec, all, workers, n);
		if (!EndWorkers(workers, n) || !good)
			return Complain("strategy %s, kind %d, minsup %u, lengths %u to %u, %u required, one of %u, %u workers, %s",
							engine->strategies[strategy], spec->kind, (unsigned) spec->minsup,
							spec->min_length, spec->max_length, spec->nrequired, spec->nany, n,
							spec->head.count_only ? "counting" : "listing");
	}
	return true;
}

/* A task that is stopped somewhere, or finds no memory, says so and leaves nothing. */
static bool
CheckStopping(const EpisodeEngine *engine, Rng *rng, const TestStream *stream, const FimEpisodesData *data)
{
	TestJob		drawn;
	FimEpisodesSpec *spec = &drawn.spec;
	TaskWorker	worker;
	bool		good;

	DrawSpec(rng, stream, STREAM_LENGTH, &drawn);
	spec->head.strategy = (int32_t) RngBelow(rng, CountStrategies(engine));
	StartTask(engine, spec, data, &worker, 1);
	good = RunHindered(&worker, rng);
	return EndWorkers(&worker, 1) && good;
}

/* Each occurrence is one, and begins after the one before it. */
static bool
CheckOccurrences(const TestStream *stream, const FimEpisodesSpec *spec, const WordSink *sink)
{
	uint32_t	length = spec->episode_length;
	const uint32_t *type = spec->words;
	const uint32_t *gap = spec->words + length;
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
	FimEpisodesSpec *spec = &room.spec;
	const StreamEpisode *found = all->n > 0 ? &all->episode[RngBelow(rng, all->n)] : NULL;
	uint32_t	length = found != NULL && RngChance(rng, 0.8) ? found->length : 1 + RngBelow(rng, 3);
	TaskWorker	workers[MAX_WORKERS];
	uint32_t	n = WorkersOf(engine, 1 + RngBelow(rng, 2));
	uint64_t	support;
	uint64_t	given = 0;
	bool		good = true;

	memset(&room, 0, sizeof(room));
	spec->head.size = sizeof(TestJob);
	spec->head.count_only = RngChance(rng, 0.5);
	spec->episode_length = length;
	for (uint32_t k = 0; k < length; k++)
	{
		bool		copy = found != NULL && found->length == length;

		spec->words[k] = copy ? found->type[k] : RngBelow(rng, stream->ntypes);
		if (k > 0)
			spec->words[length + k - 1] = copy ? found->gap[k - 1] : RngBelow(rng, stream->ngaps);
	}
	found = LookUpEpisode(all, length, spec->words, spec->words + length);
	support = found != NULL ? found->support : 0;
	StartTask(engine, spec, data, workers, n);
	RunWorkers(workers, n);
	for (uint32_t w = 0; w < n; w++)
	{
		good &= workers[w].result == FIM_DONE;
		given += spec->head.count_only ? *(uint64_t *) workers[w].task.summary : workers[w].sink.results;
		if (!spec->head.count_only)
			good &= CheckOccurrences(stream, spec, &workers[w].sink);
	}
	if (given != support)
		good = Complain("%u occurrences of an episode of length %u instead of %u", (unsigned) given, length,
						(unsigned) support);
	return EndWorkers(workers, n) && good;
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

#define MOST_TESTED		8
#define TESTED_LENGTH	4
#define MOST_SURROGATES	6

/*
 * Make times and gaps longer, which leaves the episodes as they are: so that all times do not fit in 32 bits,
 * but those between two silences do.  Returns how many times longer.
 */
static int64_t
StretchStream(Rng *rng, TestStream *stream)
{
	int64_t		longer = INT64_C(1) << RngBelow(rng, 31);

	if (stream->real)
		return 1;
	for (uint32_t r = 0; r < stream->nrows; r++)
		if (stream->row[r].time.integer < INT64_MIN / longer || stream->row[r].time.integer > INT64_MAX / longer)
			return 1;
	for (uint32_t r = 0; r < stream->nrows; r++)
		stream->row[r].time.integer *= longer;
	for (uint32_t g = 0; g < stream->ngaps; g++)
	{
		stream->gap[g].low.integer *= longer;
		stream->gap[g].high.integer *= longer;
	}
	return longer;
}

/* Some of the episodes as a trie, and how events move. */
static void
DrawSurrogates(Rng *rng, const TestStream *stream, const StreamEpisodes *all, int64_t step, FimEpisodesSpec *spec)
{
	uint32_t	open[TESTED_LENGTH];
	FimTrie		trie = {.node = FIM_EPISODES_NODES(spec), .open = open};
	double		chance = all->n > MOST_TESTED ? (double) MOST_TESTED / all->n : 1;

	for (uint32_t e = 0, n = 0; e < all->n && n < MOST_TESTED; e++)
		if (RngChance(rng, chance))
		{
			FimTrieAdd(&trie, all->episode[e].type, all->episode[e].gap, all->episode[e].length,
					   1 + RngBelow(rng, 4));
			n++;
		}
	FimTrieFinish(&trie);
	spec->head.size = sizeof(TestJob);
	spec->head.count_only = true;
	spec->nnodes = trie.n;
	spec->surrogates = 1 + RngBelow(rng, MOST_SURROGATES);
	spec->seed = RngNext(rng);
	spec->method = RngBelow(rng, 3);
	if (stream->real)
		spec->dither.real = RngUnit(rng) * (RngChance(rng, 0.1) ? 1e308 : 5);
	else
		spec->dither.integer = RngChance(rng, 0.1) ? INT64_MAX : 1 + step * RngBelow(rng, 8);
}

bool
CheckSurrogates(const EpisodeEngine *engine, uint64_t seed)
{
	Rng			rng = {seed};
	TestStream	stream;
	StreamEpisodes all;
	FimEpisodesData *data;
	int64_t		step = 1;
	TestJob		room;
	bool		good;

	DrawStream(&rng, &stream, RngBelow(&rng, 30));
	while (!FindEpisodes(&stream, TESTED_LENGTH, &all))
		DrawStream(&rng, &stream, RngBelow(&rng, 14));
	if (RngChance(&rng, 0.5))
		step = StretchStream(&rng, &stream);
	data = BuildStream(&stream);
	memset(&room, 0, sizeof(room));
	DrawSurrogates(&rng, &stream, &all, step, &room.spec);
	good = SameAsCpu(engine, &room.spec, data);
	if (!good)
	{
		Complain("surrogates of a stream of seed %llu", (unsigned long long) seed);
		PrintStream(&stream);
	}
	OddFree(data);
	free(all.episode);
	return good;
}

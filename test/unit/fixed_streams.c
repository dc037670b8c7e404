/*-------------------------------------------------------------------------
 *
 * fixed_streams.c
 *	  Whether an engine finds the episodes of streams on which one went wrong.
 *
 *-------------------------------------------------------------------------
 */
#include <stdlib.h>
#include <string.h>

#include "fixed_streams.h"

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
	{"events never expire", 0, 5, "ab", {1, 7}, "ab", 0},
	{"an event expires before another one", 0, 5, "aab", {1, 11, 12}, "ab", 1},
	{"an occurrence begins when another one ends", 0, 5, "abab", {1, 2, 2, 3}, "ab", 1},
	{"an occurrence begins when another one ends, in other order", 0, 5, "aabb", {1, 2, 2, 3}, "ab", 1},
	{"an occurrence begins at time 0", 0, 5, "ab", {0, 1}, "ab", 1},
	{"no event is taken for one at time 0", 0, 5, "b", {1}, "ab", 0},
	{"a simultaneous event takes an older one's place", 0, 5, "aab", {1, 2, 2}, "ab", 1},
	{"only the latest event is known", 1, 5, "aab", {1, 2, 3}, "ab", 1},
	{"an inner event is left out", 0, 5, "abc", {0, 5, 10}, "abc", 1},
	{"occurrences begin and end alike", 0, 5, "abbc", {1, 2, 3, 4}, "abc", 1},
	{"times are as far apart as can be", 0, INT64_MAX, "ab", {INT64_MIN, INT64_MAX}, "ab", 1},
};

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

/*
 * Whether all strategies find the same in a stream that is not complete yet, see StrategiesAgree():
 * episodes up to some length with a support of minsup or more.  Frees the stream.
 */
static bool
AgreeAbout(const EpisodeEngine *engine, FimEpisodesData *built, FimKind kind, uint64_t minsup, uint32_t length,
		   const char *name)
{
	FimEpisodesData *data = CompleteData(built);
	bool		good = StrategiesAgree(engine, data, kind, minsup, length) || Complain("%s", name);

	OddFree(data);
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
	FimEpisodesData *data = OddAlloc(size);

	FimEpisodesBegin(data, size, 6 * (PERIODS + 1), 1, 4, gap, 2, false);
	for (uint32_t p = 0; p <= PERIODS; p++)
		for (uint32_t e = 0; e < 6; e++)
			if (p > 0 || (e != 1 && e != 3 && e != 5))
				FimEpisodesAdd(data, events[e].type, (FimTime) {.integer = 100 * p + events[e].time});
	return AgreeAbout(engine, data, FIM_ALL, PERIODS, 3, "giving up");
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
	FimEpisodesData *data = OddAlloc(size);

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
	return AgreeAbout(engine, data, FIM_CLOSED, 1, 2, "trying predecessors");
}

#define DEEP_EVENTS		40
#define DEEP_LENGTH		9

/* Episodes so long, with lists so long, that not all lists are kept on the way down. */
static bool
CheckDeep(const EpisodeEngine *engine)
{
	FimGap		gap[2] = {{{.integer = 1}, {.integer = 1}}, {{.integer = 1}, {.integer = 3}}};
	size_t		size = FimEpisodesBound(DEEP_EVENTS, 1, 1, 2);
	FimEpisodesData *data = OddAlloc(size);

	FimEpisodesBegin(data, size, DEEP_EVENTS, 1, 1, gap, 2, false);
	for (uint32_t k = 0; k < DEEP_EVENTS; k++)
		FimEpisodesAdd(data, 0, (FimTime) {.integer = k + k / 11 * 2});
	return AgreeAbout(engine, data, FIM_ALL, 1, DEEP_LENGTH, "deep stream");
}

#define LONG_EVENTS		90
#define LONG_LENGTH		24

/*
 * Episodes so long that lists of their prefixes are dropped on the way down.  Each prefix has
 * extensions under the second gap, for which its list is made again on the way back.
 */
static bool
CheckLong(const EpisodeEngine *engine)
{
	FimGap		gap[2] = {{{.integer = 1}, {.integer = 1}}, {{.integer = 60}, {.integer = 61}}};
	size_t		size = FimEpisodesBound(LONG_EVENTS, 1, 3, 2);
	bool		good = true;

	for (FimKind kind = FIM_ALL; kind <= FIM_MAXIMAL; kind++)
	{
		FimEpisodesData *data = OddAlloc(size);

		FimEpisodesBegin(data, size, LONG_EVENTS, 1, 3, gap, 2, false);
		for (uint32_t k = 0; k < LONG_EVENTS; k++)
			FimEpisodesAdd(data, k % 3, (FimTime) {.integer = k + k / 70});
		good &= AgreeAbout(engine, data, kind, 1, LONG_LENGTH, "long episodes");
	}
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
	FimEpisodesData *data = OddAlloc(size);
	uint32_t	type[BURST_TYPES];
	bool		good = true;

	FimEpisodesBegin(data, size, BURST_TYPES * BURST_EVENTS, 1, BURST_TYPES, &gap, 1, false);
	for (uint32_t t = 0; t < BURST_TYPES; t++)
	{
		type[t] = t;
		for (uint32_t k = 0; k < BURST_EVENTS; k++)
			FimEpisodesAdd(data, t, (FimTime) {.integer = 100 * t + k});
	}
	data = CompleteData(data);
	for (uint32_t strategy = 0; strategy < CountStrategies(engine); strategy++)
		if (IsChecked(engine, (int) strategy) && MinedSupport(engine, data, (int) strategy, type, BURST_TYPES) != 1)
			good = Complain("strategy %s: a burst", engine->strategies[strategy]);
	OddFree(data);
	return good;
}

#define CHAIN_TYPES		12
#define CHAIN_TIMES		40
#define CHAIN_LOST		3

/*
 * An episode as long as a chain, which occurs again and again in a partition that a GPU with little memory
 * cuts at multiples of its length: but of the first chain only the end is there, so that it
 * cuts all others near their ends.
 */
static bool
CheckChain(const EpisodeEngine *engine)
{
	FimGap		gap = {{.integer = 1}, {.integer = 5}};
	uint32_t	events = CHAIN_TYPES * CHAIN_TIMES + CHAIN_LOST;
	size_t		size = FimEpisodesBound(events, 1, CHAIN_TYPES, 1);
	FimEpisodesData *data = OddAlloc(size);
	uint32_t	type[CHAIN_TYPES];
	bool		good = true;

	FimEpisodesBegin(data, size, events, 1, CHAIN_TYPES, &gap, 1, false);
	for (uint32_t i = CHAIN_TYPES - CHAIN_LOST; i < CHAIN_TYPES * (CHAIN_TIMES + 1); i++)
		FimEpisodesAdd(data, i % CHAIN_TYPES, (FimTime) {.integer = 5 * i + i / CHAIN_TYPES});
	for (uint32_t t = 0; t < CHAIN_TYPES; t++)
		type[t] = t;
	data = CompleteData(data);
	for (uint32_t strategy = 0; strategy < CountStrategies(engine); strategy++)
		if (IsChecked(engine, (int) strategy) &&
			MinedSupport(engine, data, (int) strategy, type, CHAIN_TYPES) != CHAIN_TIMES)
			good = Complain("strategy %s: a chain", engine->strategies[strategy]);
	OddFree(data);
	return good;
}

#define SHORT_PERIODS	1200

/*
 * Each a can be followed by the b of its period and of the next one.  There are many fewer a
 * than b, but many a: wherever a list of these is cut, b that follow the last one before
 * follow the first one after, too, and count once.  If more or fewer are counted than there are,
 * what a -> b is extended by goes wrong.
 */
static bool
CheckShortList(const EpisodeEngine *engine)
{
	static const char types[] = "abbbbc";
	FimGap		gap = {{.integer = 1}, {.integer = 110}};
	size_t		size = FimEpisodesBound(6 * SHORT_PERIODS, 1, 3, 1);
	FimEpisodesData *data = OddAlloc(size);

	FimEpisodesBegin(data, size, 6 * SHORT_PERIODS, 1, 3, &gap, 1, false);
	for (uint32_t p = 0; p < SHORT_PERIODS; p++)
		for (uint32_t e = 0; e < 6; e++)
			FimEpisodesAdd(data, types[e] - 'a', (FimTime) {.integer = 100 * p + e});
	return AgreeAbout(engine, data, FIM_ALL, SHORT_PERIODS / 2, 3, "short list");
}

#define GAP_PERIODS		30

/*
 * a is followed by c under the first gap, and by b, a type that comes before c, under the
 * second one.  So few pairs follow each other that it pays to look for them first.
 */
static bool
CheckGaps(const EpisodeEngine *engine)
{
	FimGap		gap[2] = {{{.integer = 1}, {.integer = 2}}, {{.integer = 4}, {.integer = 5}}};
	size_t		size = FimEpisodesBound(3 * GAP_PERIODS, 1, 3, 2);
	FimEpisodesData *data = OddAlloc(size);

	FimEpisodesBegin(data, size, 3 * GAP_PERIODS, 1, 3, gap, 2, false);
	for (uint32_t p = 0; p < GAP_PERIODS; p++)
	{
		FimEpisodesAdd(data, 0, (FimTime) {.integer = 100 * p});
		FimEpisodesAdd(data, 2, (FimTime) {.integer = 100 * p + 2});
		FimEpisodesAdd(data, 1, (FimTime) {.integer = 100 * p + 5});
	}
	return AgreeAbout(engine, data, FIM_ALL, GAP_PERIODS, 2, "pairs under two gaps");
}

#define PASSED_TYPES	70

/*
 * Two passes through all types: each type of the first one is followed by each of the second
 * one, so all pairs occur once, and more candidates of one batch are frequent than a GPU
 * brings to the host at first.
 */
static bool
CheckManyFound(const EpisodeEngine *engine)
{
	FimGap		gap = {{.integer = 1}, {.integer = 2 * PASSED_TYPES}};
	size_t		size = FimEpisodesBound(2 * PASSED_TYPES, 1, PASSED_TYPES, 1);
	FimEpisodesData *data = OddAlloc(size);

	FimEpisodesBegin(data, size, 2 * PASSED_TYPES, 1, PASSED_TYPES, &gap, 1, false);
	for (uint32_t e = 0; e < 2 * PASSED_TYPES; e++)
		FimEpisodesAdd(data, e % PASSED_TYPES, (FimTime) {.integer = e});
	return AgreeAbout(engine, data, FIM_ALL, 1, 2, "many episodes found together");
}

#define REPEATED_EVENTS	3000
#define REPEATED_LENGTH	1000

/*
 * A given episode of many events of the same type, each of which follows the one before: all events of the type
 * end an occurrence of each prefix.  It is listed, or only counted.
 */
static bool
CheckRepeated(const EpisodeEngine *engine)
{
	FimGap		gap = {{.integer = 1}, {.integer = 1}};
	size_t		size = FimEpisodesBound(REPEATED_EVENTS, 1, 1, 1);
	FimEpisodesData *data = OddAlloc(size);
	size_t		job_size = sizeof(FimEpisodesSpec) + sizeof(uint32_t) * (2 * REPEATED_LENGTH - 1);
	FimEpisodesSpec *spec = calloc(1, job_size);
	bool		good = true;

	FimEpisodesBegin(data, size, REPEATED_EVENTS, 1, 1, &gap, 1, false);
	for (uint32_t i = 0; i < REPEATED_EVENTS; i++)
		FimEpisodesAdd(data, 0, (FimTime) {.integer = i});
	data = CompleteData(data);
	spec->head.size = (uint32_t) job_size;
	spec->episode_length = REPEATED_LENGTH;
	for (int count_only = 0; count_only < 2; count_only++)
	{
		TaskWorker	worker;
		uint64_t	found;

		spec->head.count_only = count_only == 1;
		StartTask(engine, spec, data, &worker, 1);
		RunWorkers(&worker, 1);
		found = count_only ? *(uint64_t *) worker.task.summary : worker.sink.results;
		if (worker.result != FIM_DONE || found != REPEATED_EVENTS / REPEATED_LENGTH)
			good = Complain("%llu occurrences of a repeated type", (unsigned long long) found);
		good &= EndWorkers(&worker, 1);
	}
	free(spec);
	OddFree(data);
	return good;
}

/*
 * A task's units of work are counted before an engine is at it, so by any strategy of either.
 * All but the first two mine level by level, in one unit.
 */
static bool
CheckUnits(const EpisodeEngine *engine)
{
	static const char *const strategies[] = FIM_EPISODES_GPU_STRATEGY_NAMES;
	FimGap		gap = {{.integer = 1}, {.integer = 2}};
	size_t		size = FimEpisodesBound(2, 1, 2, 1);
	FimEpisodesData *data = OddAlloc(size);
	FimEpisodesSpec spec = {.head = {.size = sizeof(spec)},.minsup = 1,.min_length = 1,.max_length = FIM_NO_LIMIT};
	bool		good = true;

	FimEpisodesBegin(data, size, 2, 1, 2, &gap, 1, false);
	FimEpisodesAdd(data, 0, (FimTime) {.integer = 0});
	FimEpisodesAdd(data, 1, (FimTime) {.integer = 1});
	data = CompleteData(data);
	for (int s = FIM_EPISODES_PROPAGATE + 1; strategies[s] != NULL; s++)
	{
		TaskWorker	worker;

		spec.head.strategy = s;
		StartTask(engine, &spec, data, &worker, 1);
		if (worker.task.shared->units != 1)
			good = Complain("strategy %s: %llu units of work", strategies[s], (unsigned long long) worker.task.shared->units);
		good &= EndWorkers(&worker, 1);
	}
	OddFree(data);
	return good;
}

bool
CheckFixedStreams(const EpisodeEngine *engine)
{
	for (size_t i = 0; i < sizeof(smallest) / sizeof(smallest[0]); i++)
		if (!CheckSmallest(engine, &smallest[i]))
			return false;
	return CheckUnits(engine) && CheckBurst(engine) && CheckChain(engine) && CheckDeep(engine) &&
		CheckLong(engine) && CheckShortList(engine) && CheckGaps(engine) && CheckManyFound(engine) &&
		CheckGivingUp(engine) && CheckTrying(engine) && CheckRepeated(engine);
}

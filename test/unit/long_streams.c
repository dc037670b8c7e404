/*-------------------------------------------------------------------------
 *
 * long_streams.c
 *	  Whether engines find the same episodes of streams that are too long for exhaustive search.
 *
 *-------------------------------------------------------------------------
 */
#include <stdlib.h>
#include <string.h>

#include "engine/episodes/episodes.h"
#include "long_streams.h"

#define LONG_EVENTS			1500
#define MOST_PARTITIONS		40
#define LONGEST_EPISODE		60
#define CHAINS				24
#define CHAIN_LENGTH		24
#define CHAIN_VARIANTS		3

/*
 * A stream long enough to be walked in several blocks, with more ties than not, in few
 * partitions or in many.  In some streams, half of the types are quiet every other while.
 */
static FimEpisodesData *
BuildLongStream(Rng *rng, uint32_t nevents, uint32_t ntypes)
{
	FimGap		gap[2] = {{{.integer = 1}, {.integer = 2 + RngBelow(rng, 20)}}, {{.integer = 3}, {.integer = 60}}};
	uint32_t	ngaps = 1 + (RngChance(rng, 0.2));
	uint32_t	density = 1 + RngBelow(rng, 3);
	uint32_t	most = RngChance(rng, 0.5) ? 2 : MOST_PARTITIONS;
	uint32_t	quiet = RngChance(rng, 0.5) ? UINT32_MAX : 20 + RngBelow(rng, 2000);
	size_t		size = FimEpisodesBound(nevents, most, ntypes, ngaps);
	FimEpisodesData *built = OddAlloc(size);

	FimEpisodesBegin(built, size, nevents, most, ntypes, gap, ngaps, false);
	for (uint32_t i = 0; i < nevents; i++)
	{
		/* a rare type, too: squares favour the first ones */
		uint32_t	type = RngBelow(rng, ntypes) * RngBelow(rng, ntypes) / ntypes;

		if (i / quiet % 2 != 0)
			type /= 2;
		if (i > 0 && built->partitions < most && RngBelow(rng, nevents / most) == 0)
			FimEpisodesNewPartition(built);
		FimEpisodesAdd(built, type, (FimTime) {.integer = i / density});
	}
	return CompleteData(built);
}

/*
 * A stream of two types by turns, with few events of others between: many entries of a
 * list, or many events of a type, may lie between two that are of use, and what can be
 * taken is decided by what was long before.
 */
static FimEpisodesData *
BuildTurns(Rng *rng, uint32_t nevents)
{
	FimGap		gap[2] = {{{.integer = 1}, {.integer = 2 + RngBelow(rng, 5)}}, {{.integer = 1}, {.integer = 2000}}};
	uint32_t	between = 10 + RngBelow(rng, 500);
	uint32_t	turn = 20 + RngBelow(rng, 300);
	uint32_t	turns = 2 + RngBelow(rng, 5);
	size_t		size = FimEpisodesBound(nevents, 1, 3, 2);
	FimEpisodesData *built = OddAlloc(size);

	FimEpisodesBegin(built, size, nevents, 1, 3, gap, 2, false);
	for (uint32_t i = 0; i < nevents; i++)
	{
		uint32_t	type = i / turn % turns == 0 ? 1 : 2;

		FimEpisodesAdd(built, RngBelow(rng, between) == 0 ? RngBelow(rng, 2) : type, (FimTime) {.integer = i});
	}
	return CompleteData(built);
}

/*
 * Bursts of events with pauses between them, which differences of 32 bits hold or do not: that
 * decides how times are copied to a device.  Partitions begin at any time.  In some streams many
 * events of one type follow each other, so that few occurrences do not overlap but many events end one.
 */
static FimEpisodesData *
BuildBursts(Rng *rng, uint32_t nevents, uint32_t ntypes)
{
	uint32_t	near = 1 + RngBelow(rng, 12);
	FimGap		gap[2] = {{{.integer = 1}, {.integer = near}}, {{.integer = 1 + near}, {.integer = 3 * near}}};
	uint64_t	longest = UINT64_C(1) << (4 + RngBelow(rng, 36));
	double		wraps = RngChance(rng, 0.5) ? 0.02 : 0; /* pauses that are next to none in 32 bits */
	uint32_t	most = RngChance(rng, 0.5) ? 1 : MOST_PARTITIONS;
	uint32_t	alike = RngChance(rng, 0.5) ? 1 : 20; /* events of a type that follow each other, on average */
	size_t		size = FimEpisodesBound(nevents, most, ntypes, 2);
	FimEpisodesData *built = OddAlloc(size);
	int64_t		at = 0;
	uint32_t	type = 0;

	FimEpisodesBegin(built, size, nevents, most, ntypes, gap, 2, false);
	for (uint32_t i = 0; i < nevents; i++)
	{
		if (i > 0 && built->partitions < most && RngBelow(rng, nevents / most) == 0)
		{
			FimEpisodesNewPartition(built);
			at = (int64_t) (RngNext(rng) % (2 * longest)) - (int64_t) longest;
		}
		if (RngChance(rng, wraps))
			at += INT64_C(1) << 32;
		at += RngBelow(rng, 8) == 0 ? (int64_t) (RngNext(rng) % longest) : (int64_t) RngBelow(rng, 4);
		if (RngBelow(rng, alike) == 0)
			type = RngBelow(rng, ntypes);
		FimEpisodesAdd(built, type, (FimTime) {.integer = at});
	}
	return CompleteData(built);
}

/*
 * Chains of many types, of which there are a few variants.  All share the types of some
 * places, and now and then one is missing.
 */
static FimEpisodesData *
BuildChains(Rng *rng)
{
	FimGap		gap = {{.integer = 1}, {.integer = 12}};
	size_t		size = FimEpisodesBound(CHAINS * CHAIN_LENGTH, 1, 2 * CHAIN_LENGTH, 1);
	FimEpisodesData *built = OddAlloc(size);
	uint32_t	type[CHAIN_VARIANTS][CHAIN_LENGTH];

	for (uint32_t v = 0; v < CHAIN_VARIANTS; v++)
		for (uint32_t k = 0; k < CHAIN_LENGTH; k++)
			type[v][k] = k + (RngChance(rng, 0.2) ? CHAIN_LENGTH : 0);
	FimEpisodesBegin(built, size, CHAINS * CHAIN_LENGTH, 1, 2 * CHAIN_LENGTH, &gap, 1, false);
	for (uint32_t c = 0; c < CHAINS; c++)
	{
		uint32_t	v = RngBelow(rng, CHAIN_VARIANTS);

		for (uint32_t k = 0; k < CHAIN_LENGTH; k++)
			if (RngChance(rng, 0.98))
				FimEpisodesAdd(built, type[v][k],
							   (FimTime) {.integer = 10 * (c * (CHAIN_LENGTH + 2) + k) + RngBelow(rng, 3)});
	}
	return CompleteData(built);
}

static bool
CheckLongEpisodes(const EpisodeEngine *engine, Rng *rng)
{
	FimEpisodesData *data = BuildChains(rng);
	uint32_t	minsup = 2 + RngBelow(rng, CHAINS / CHAIN_VARIANTS);
	bool		good = StrategiesAgree(engine, data, (FimKind) RngBelow(rng, 3), minsup,
									   2 + RngBelow(rng, CHAIN_LENGTH - 1));

	OddFree(data);
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
	good = (StrategiesAgree(engine, data, (FimKind) RngBelow(&rng, 3), minsup, 3) && CheckLongEpisodes(engine, &rng)) ||
		Complain("long stream of seed %llu", (unsigned long long) seed);
	OddFree(data);
	return good;
}

/* The last event in whose window an event is, among those that end an occurrence: start[] is not UINT32_MAX. */
static uint32_t
EventBefore(const FimEpisodesData *data, const uint32_t *start, uint32_t gap, uint32_t event)
{
	const uint32_t *first = FIM_EPISODES_PARTITIONS(data);
	const FimTime *time = FIM_EPISODES_TIMES(data);
	FimGapEdges edges = FIM_EPISODES_GAPS(data)[gap];
	uint32_t	partition = 0;

	while (first[partition + 1] <= event)
		partition++;
	for (uint32_t i = event; i-- > first[partition];)
	{
		uint64_t	apart = (uint64_t) (time[event].integer - time[i].integer);

		if (start[i] != UINT32_MAX && apart >= FIM_EPISODES_EDGES(data)[edges.low] &&
			apart < FIM_EPISODES_EDGES(data)[edges.high])
			return i;
	}
	return UINT32_MAX;
}

/*
 * The records of an episode's occurrences.  At each event that ends one, it is the one that begins latest; of
 * these, those that do not overlap are taken, the ones that end first.  start[k][i] is where the one of the
 * prefix of k + 1 types begins that ends with event i, and before[k][i] is its last but one event.
 */
static uint32_t *
ListOccurrences(const FimEpisodesData *data, const FimEpisodesSpec *spec, size_t *nwords)
{
	uint32_t	n = data->events;
	uint32_t	length = spec->episode_length;
	const uint32_t *first = FIM_EPISODES_PARTITIONS(data);
	const FimTime *time = FIM_EPISODES_TIMES(data);
	uint32_t   *start = malloc(sizeof(uint32_t) * n * length);
	uint32_t   *before = malloc(sizeof(uint32_t) * n * length);
	uint32_t   *words = malloc(sizeof(uint32_t) * (2 * (size_t) n + n));
	int64_t		free_after = INT64_MIN;
	uint32_t	partition = 0;

	memset(start, 0xFF, sizeof(uint32_t) * n * length);
	for (uint32_t k = 0; k < length; k++)
		for (uint32_t i = 0; i < n; i++)
		{
			if (FIM_EPISODES_TYPES(data)[i] != spec->words[k])
				continue;
			before[k * n + i] = k == 0 ? i : EventBefore(data, start + (k - 1) * n, spec->words[length + k - 1], i);
			if (k == 0)
				start[i] = i;
			else if (before[k * n + i] != UINT32_MAX)
				start[k * n + i] = start[(k - 1) * n + before[k * n + i]];
		}
	*nwords = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t	at = start[(length - 1) * n + i];
		uint32_t	event = i;

		for (; first[partition + 1] <= i; partition++)
			free_after = INT64_MIN;
		if (at == UINT32_MAX || time[at].integer <= free_after)
			continue;
		free_after = time[i].integer;
		words[*nwords] = partition;
		for (uint32_t k = length; k-- > 0; event = before[k * n + event])
			memcpy(words + *nwords + 1 + 2 * k, &time[event], sizeof(FimTime));
		*nwords += FIM_EPISODES_OCCURRENCE_WORDS(length);
	}
	free(start);
	free(before);
	return words;
}

bool
CheckLongOccurrences(const EpisodeEngine *engine, uint64_t seed)
{
	Rng			rng = {seed};
	uint32_t	types = 3 + RngBelow(&rng, 4);
	uint32_t	length = 2 + RngBelow(&rng, LONGEST_EPISODE - 1);
	FimEpisodesData *data = BuildLongStream(&rng, LONG_EVENTS, types);
	size_t		size = sizeof(FimEpisodesSpec) + sizeof(uint32_t) * (2 * (size_t) length - 1);
	FimEpisodesSpec *spec = calloc(1, size);
	TaskWorker	worker;
	size_t		nwords;
	uint32_t   *words;
	bool		good;

	spec->head.size = (uint32_t) size;
	spec->episode_length = length;
	for (uint32_t k = 0; k < length; k++)
		spec->words[k] = RngBelow(&rng, types) * RngBelow(&rng, types) / types;
	for (uint32_t k = 0; k + 1 < length; k++)
		spec->words[length + k] = RngBelow(&rng, data->ngaps);
	words = ListOccurrences(data, spec, &nwords);
	StartTask(engine, spec, data, &worker, 1);
	RunWorkers(&worker, 1);
	good = worker.result == FIM_DONE && worker.sink.nwords == nwords &&
		(nwords == 0 || memcmp(worker.sink.words, words, sizeof(uint32_t) * nwords) == 0);
	good &= EndWorkers(&worker, 1);
	free(words);
	free(spec);
	OddFree(data);
	return good || Complain("occurrences of an episode of %u events, seed %llu", length, (unsigned long long) seed);
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
	FimEpisodesSpec *spec = &room.spec;

	memset(&room, 0, sizeof(room));
	spec->head.size = sizeof(TestJob);
	spec->head.count_only = count;
	spec->episode_length = 3;
	spec->words[2] = last_type;
	return SameAsCpu(engine, spec, data) || Complain("other occurrences than the CPU engine's");
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

bool
CheckDeepStream(const EpisodeEngine *engine, int strategy, uint64_t seed, uint32_t events)
{
	Rng			rng = {seed};
	uint32_t	types = 3 + RngBelow(&rng, 5);
	FimEpisodesData *data = BuildLongStream(&rng, events, types);
	bool		good = AgreesWithCpu(engine, data, strategy, events / (20 + RngBelow(&rng, 400)), 5);

	OddFree(data);
	return good || Complain("deep stream of %u events, seed %llu", events, (unsigned long long) seed);
}

bool
CheckTurns(const EpisodeEngine *engine, int strategy, uint64_t seed, uint32_t events)
{
	Rng			rng = {seed};
	FimEpisodesData *data = BuildTurns(&rng, events);
	bool		good = AgreesWithCpu(engine, data, strategy, 2 + RngBelow(&rng, 10), 3);

	OddFree(data);
	return good || Complain("stream of %u events, two types by turns, seed %llu", events, (unsigned long long) seed);
}

bool
CheckBursts(const EpisodeEngine *engine, int strategy, uint64_t seed, uint32_t events)
{
	Rng			rng = {seed};
	uint32_t	types = 2 + RngBelow(&rng, 30);
	FimEpisodesData *data = BuildBursts(&rng, events, types);
	uint64_t	minsup = events / types / (4 + RngBelow(&rng, 40));
	bool		good = AgreesWithCpu(engine, data, strategy, minsup, 2) && AgreesWithCpu(engine, data, strategy, minsup, 3);

	OddFree(data);
	return good || Complain("bursts of %u events, seed %llu", events, (unsigned long long) seed);
}

/* All episodes of up to three of the types, or four of few types, to be counted on a few surrogates. */
static FimEpisodesSpec *
DrawLongSurrogates(Rng *rng, uint32_t types)
{
	uint32_t	length = types <= 3 ? 4 : 3;
	uint32_t	longest = types * types * types * (length == 4 ? types : 1);
	size_t		size = sizeof(FimEpisodesSpec) + sizeof(FimTrieNode) * length * longest;
	FimEpisodesSpec *spec = calloc(1, size);
	uint32_t	gap[3] = {0, 0, 0};
	uint32_t	open[4];
	FimTrie		trie = {.node = FIM_EPISODES_NODES(spec), .open = open};

	for (uint32_t e = 0; e < longest; e++)
	{
		uint32_t	type[4];
		uint32_t	below = longest; /* episodes with the same first types */

		for (uint32_t n = 1; n <= length; n++)
		{
			below /= types;
			type[n - 1] = e / below % types;
			if (e % below == 0)
				FimTrieAdd(&trie, type, gap, n, 1 + RngBelow(rng, 100));
		}
	}
	FimTrieFinish(&trie);
	spec->head.size = (uint32_t) size;
	spec->head.count_only = true;
	spec->nnodes = trie.n;
	spec->surrogates = 1 + RngBelow(rng, 4);
	spec->dither.integer = 1 + RngBelow(rng, RngChance(rng, 0.5) ? 10 : 1000);
	spec->seed = RngNext(rng);
	spec->method = RngBelow(rng, 3);
	return spec;
}

/* Whether an engine counts the same as the CPU on surrogates of a stream, which is freed. */
static bool
CheckSurrogatesOf(const char *stream, FimEpisodesData *data, const EpisodeEngine *engine, Rng *rng, uint32_t types,
				  uint64_t seed, uint32_t events)
{
	FimEpisodesSpec *spec = DrawLongSurrogates(rng, types);
	bool		good = SameAsCpu(engine, spec, data);

	free(spec);
	OddFree(data);
	return good || Complain("surrogates of %s of %u events, seed %llu", stream, events, (unsigned long long) seed);
}

bool
CheckLongSurrogates(const EpisodeEngine *engine, uint64_t seed, uint32_t events)
{
	Rng			rng = {seed};
	uint32_t	types = 2 + RngBelow(&rng, 4);

	return CheckSurrogatesOf("a stream", BuildLongStream(&rng, events, types), engine, &rng, types, seed, events);
}

bool
CheckBurstSurrogates(const EpisodeEngine *engine, uint64_t seed, uint32_t events)
{
	Rng			rng = {seed};
	uint32_t	types = 2 + RngBelow(&rng, 5);

	return CheckSurrogatesOf("bursts", BuildBursts(&rng, events, types), engine, &rng, types, seed, events);
}

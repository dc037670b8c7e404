/*-------------------------------------------------------------------------
 *
 * episode_significance.c
 *	  The SQL function episode_significance().
 *
 * It mines as frequent_episodes() does, keeps the episodes found, has the engine count them on
 * surrogates of the same data, and makes rows of them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/int.h"
#include "engine/episodes/episodes.h"
#include "episodes/episodes.h"
#include "gpufim.h"
#include "miscadmin.h"
#include "results.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "work/work.h"

/*
 * The episodes that a call has found, kept to be tested on surrogates.
 */

#define NO_NODE		UINT32_MAX

typedef struct TestedEpisodes
{
	FimSink		sink;			/* must be first; keeps a copy of each batch */
	struct Job *job;			/* the job whose memory includes what is allocated here */
	const ResultWords *result_words;
	MemoryContext context;
	uint32	   *words;			/* records as the engine wrote them */
	uint64		nwords;
	uint64		room;
	uint64		n;
	FimSurrogateMethod method;	/* how surrogates are made */

	/* set by TestedEpisodesSpec(), which sorts the episodes; arrays are [n] */
	uint64		ntested;
	uint64		nevents;		/* sum of the lengths of all tested episodes */
	uint64	   *record;			/* where in "words" each episode's record begins */
	uint32	   *node;			/* the trie's node of the episode; NO_NODE if it is not tested */
} TestedEpisodes;

#define FIRST_ROOM		8192
#define INTERRUPT_EPISODES	4096

/* The most nodes that fit an allocation behind the job's struct. */
#define MOST_NODES		((MaxAllocSize - sizeof(FimEpisodesSpec)) / sizeof(FimTrieNode))

static void
TakeMemory(TestedEpisodes *episodes, uint64 bytes)
{
	JobTakeMemory(episodes->job, bytes, "the episodes found");
}

static void
Grow(TestedEpisodes *episodes, uint64 least)
{
	uint64		room = Max(least, 2 * episodes->room);

	TakeMemory(episodes, (room - episodes->room) * sizeof(uint32));
	episodes->words = repalloc_huge(episodes->words, room * sizeof(uint32));
	episodes->room = room;
}

static bool
KeepBatch(FimSink *sink, const uint32_t *words, size_t nwords, size_t nresults)
{
	TestedEpisodes *episodes = (TestedEpisodes *) sink;

	CHECK_FOR_INTERRUPTS();
	CheckResults(episodes->n + nresults, episodes->result_words);
	if (episodes->nwords + nwords > episodes->room)
		Grow(episodes, episodes->nwords + nwords);
	memcpy(episodes->words + episodes->nwords, words, nwords * sizeof(uint32));
	episodes->nwords += nwords;
	episodes->n += nresults;
	return true;
}

static void
ForgetAll(FimSink *sink)
{
	TestedEpisodes *episodes = (TestedEpisodes *) sink;

	episodes->nwords = episodes->n = 0;
}

/* Returns a sink for the results of a job that is about to run; palloc'd.  Messages use these words. */
static TestedEpisodes *
TestedEpisodesCreate(struct Job *job, const ResultWords *result_words, FimSurrogateMethod method)
{
	TestedEpisodes *episodes = palloc0(sizeof(TestedEpisodes));

	episodes->sink.write = KeepBatch;
	episodes->sink.restart = ForgetAll;
	episodes->job = job;
	episodes->result_words = result_words;
	episodes->method = method;
	episodes->context = CurrentMemoryContext;
	episodes->room = FIRST_ROOM;
	episodes->words = palloc(FIRST_ROOM * sizeof(uint32));
	return episodes;
}

/* Compare records by the order in which a trie takes them: by type, gap, type, and so on. */
static int
CompareRecords(const void *a, const void *b, void *words)
{
	const uint32 *x = (uint32 *) words + *(const uint64 *) a;
	const uint32 *y = (uint32 *) words + *(const uint64 *) b;
	const uint32 *x_type = x + 1;
	const uint32 *y_type = y + 1;

	CHECK_FOR_INTERRUPTS();
	for (uint32 k = 0; k < x[0] && k < y[0]; k++)
	{
		uint32		x_gap = k > 0 ? x_type[x[0] + k - 1] : 0;
		uint32		y_gap = k > 0 ? y_type[y[0] + k - 1] : 0;

		if (x_gap != y_gap)
			return x_gap < y_gap ? -1 : 1;
		if (x_type[k] != y_type[k])
			return x_type[k] < y_type[k] ? -1 : 1;
	}
	return (x[0] > y[0]) - (x[0] < y[0]);
}

static bool
IsTested(const TestedEpisodes *episodes, const uint32 *record)
{
	uint32		length = record[0];

	if (length == 1 || episodes->method != FIM_SHIFT)
		return length > 1;
	for (uint32 k = 2; k <= length; k++)
		if (record[k] != record[1])
			return true;
	return false;
}

/* Sort the records, and count the tested episodes and their events.  Returns the length of the longest. */
static uint32
SortRecords(TestedEpisodes *episodes)
{
	uint64		at = 0;
	uint32		longest = 0;

	TakeMemory(episodes, (episodes->n + 1) * (sizeof(uint64) + sizeof(uint32)));
	episodes->record = MemoryContextAllocHuge(episodes->context, (episodes->n + 1) * sizeof(uint64));
	episodes->node = MemoryContextAllocHuge(episodes->context, (episodes->n + 1) * sizeof(uint32));
	for (uint64 e = 0; e < episodes->n; e++)
	{
		uint32		length = episodes->words[at];

		if (e % INTERRUPT_EPISODES == 0)
			CHECK_FOR_INTERRUPTS();
		episodes->record[e] = at;
		if (IsTested(episodes, episodes->words + at))
		{
			episodes->ntested++;
			episodes->nevents += length;
		}
		longest = Max(longest, length);
		at += FIM_EPISODES_RECORD_WORDS(length);
	}
	qsort_arg(episodes->record, episodes->n, sizeof(uint64), CompareRecords, episodes->words);
	return longest;
}

static void
AddRecord(TestedEpisodes *episodes, FimTrie *trie, uint64 e)
{
	const uint32 *record = episodes->words + episodes->record[e];
	uint32		length = record[0];
	uint64		support;

	episodes->node[e] = NO_NODE;
	if (!IsTested(episodes, record))
		return;
	memcpy(&support, record + 2 * (Size) length, sizeof(support));
	FimTrieAdd(trie, record + 1, record + 1 + length, length, (uint32) support);
	episodes->node[e] = trie->open[length - 1];
}

/*
 * Sort the episodes and make a trie of those that are tested.  Returns the engine's spec that
 * counts them, palloc'd; the caller sets its surrogates, dither and seed.  If no episode is
 * tested, the spec has no nodes.
 *
 * Single types are not tested, as they are equally frequent in all surrogates.  Nor are episodes
 * of one type if the method is FIM_SHIFT, which keeps what a type does by itself.
 */
static FimEpisodesSpec *
TestedEpisodesSpec(TestedEpisodes *episodes)
{
	uint32		longest = SortRecords(episodes);
	FimTrie		trie = {0};
	FimEpisodesSpec *spec;

	if (episodes->nevents > MOST_NODES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many episodes to be tested: %llu", (unsigned long long) episodes->ntested),
				 errhint("Raise \"minsup\", lower \"max_length\" or ask for \"closed\" or "
						 "\"maximal\" episodes to get fewer.")));
	/* for the spec, its copy for the engine, and the counts */
	TakeMemory(episodes, episodes->nevents * (2 * sizeof(FimTrieNode) + sizeof(FimSurrogateCounts)));
	spec = palloc0(sizeof(FimEpisodesSpec) + episodes->nevents * sizeof(FimTrieNode));
	trie.node = FIM_EPISODES_NODES(spec);
	trie.open = palloc(longest * sizeof(uint32));
	for (uint64 e = 0; e < episodes->n; e++)
	{
		if (e % INTERRUPT_EPISODES == 0)
			CHECK_FOR_INTERRUPTS();
		AddRecord(episodes, &trie, e);
	}
	FimTrieFinish(&trie);
	spec->nnodes = trie.n;
	spec->max_length = longest;
	spec->method = episodes->method;
	spec->head.size = sizeof(FimEpisodesSpec) + trie.n * sizeof(FimTrieNode);
	spec->head.count_only = true;
	return spec;
}

/* Partitions or episodes between two checks for interrupts. */
#define INTERRUPT_ROWS	65536
#define BATCH_ROWS	1024

/* The seed of the argument, or a random one. */
static int64
SeedOf(const SignificanceRequest *request)
{
	int64		seed = request->seed;

	if (!request->has_seed && !pg_strong_random(&seed, sizeof(seed)))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate a random seed"),
				 errhint("Give argument \"seed\".")));
	return seed;
}

/*
 * Returns a copy of the number of events of each type, because the data may be moved or freed
 * once the job has run.
 */
static const uint32 *
CopyCounts(const FimEpisodesData *data)
{
	Size		size = data->ntypes * sizeof(uint32);

	return memcpy(MemoryContextAllocHuge(CurrentMemoryContext, size), FIM_EPISODES_COUNTS(data), size);
}

/* Whether a dither is longer than a partition, from its first event to its last one. */
static bool
IsBeyond(const FimEpisodesData *data, uint32 partition, FimTime dither, FimTime *span)
{
	const FimTime *time = FIM_EPISODES_TIMES(data);
	const uint32 *first = FIM_EPISODES_PARTITIONS(data) + partition;
	FimTime		begin = time[first[0]];
	FimTime		end = time[first[1] - 1];

	if (data->real)
	{
		span->real = end.real - begin.real;
		return dither.real > span->real;
	}
	return !pg_sub_s64_overflow(end.integer, begin.integer, &span->integer) && dither.integer > span->integer;
}

/* Tell the user if no change of time that a dither keeps fits in any partition: it may be in the wrong unit. */
static void
WarnOfDither(const SignificanceRequest *request, const FimEpisodesData *data, FimTime dither, const EventTimes *times)
{
	FimTime		longest = {0};
	char	   *span;

	for (uint32 p = 0; p < data->partitions; p++)
	{
		FimTime		here = {0};

		if (p % INTERRUPT_ROWS == 0)
			CHECK_FOR_INTERRUPTS();
		if (FIM_EPISODES_PARTITIONS(data)[p] == FIM_EPISODES_PARTITIONS(data)[p + 1])
			continue;
		if (!IsBeyond(data, p, dither, &here))
			return;
		if (IsLater(times, here, longest))
			longest = here;
	}
	if (times->real)
		span = DatumGetCString(DirectFunctionCall1(numeric_out, DirectFunctionCall1(float8_numeric, Float8GetDatum(longest.real))));
	else
		span = TextOfTime(times, longest.integer);
	ereport(NOTICE,
			(errmsg("argument \"dither\" is longer than the events of any partition last"),
			 errdetail("The dither is %s; from the first event to the last one it is %s at most.",
					   DatumGetCString(DirectFunctionCall1(numeric_out, request->dither)), span),
			 errhint("The dither is in the unit of \"gaps\". Events stay in the span of their partition, "
					 "so that nothing of when types are busy is kept.")));
}

/*
 * Count the tested episodes on surrogates.  Returns an array with an element for each node of the
 * trie, or NULL if no episode is tested.
 */
static const FimSurrogateCounts *
CountOnSurrogates(struct Job *job, const uint32 *events, uint32 ntypes, const SignificanceRequest *request,
				  FimTime dither, TestedEpisodes *episodes)
{
	FimEpisodesSpec *spec = TestedEpisodesSpec(episodes);
	EngineCost	cost;

	spec->surrogates = request->surrogates;
	spec->dither = dither;
	spec->seed = (uint64) SeedOf(request);
	RunAddDetail("seed", (int64) spec->seed);
	RunAddDetail("tested_episodes", episodes->ntested);
	if (spec->nnodes == 0)
		return NULL;
	cost = SurrogatesCost(spec, events, ntypes);
	JobContinue(job, &spec->head, &cost);
	return JobRun(job, NULL);
}

/* Returns adjusted p-values.  Element r is that of an episode whose support is reached by r surrogates. */
static double *
AdjustedPValues(const TestedEpisodes *episodes, const FimSurrogateCounts *counts, uint32 surrogates)
{
	uint64	   *tests = palloc0((surrogates + 1) * sizeof(uint64));
	double	   *adjusted = palloc((surrogates + 1) * sizeof(double));

	for (uint64 e = 0; e < episodes->n; e++)
	{
		if (e % INTERRUPT_ROWS == 0)
			CHECK_FOR_INTERRUPTS();
		if (episodes->node[e] != NO_NODE)
			tests[counts[episodes->node[e]].reached]++;
	}
	FimAdjustPValues(tests, surrogates, adjusted);
	return adjusted;
}

static void
PutEpisodes(RowSink *sink, const TestedEpisodes *episodes, const FimSurrogateCounts *counts,
			uint32 surrogates)
{
	const double *adjusted = AdjustedPValues(episodes, counts, surrogates);
	uint64		begin = 0;

	ResultsForget();
	while (begin < episodes->n)
	{
		uint64		end = Min(begin + BATCH_ROWS, episodes->n);
		ResultBatch batch;

		ResultsBegin(&batch, sink->maker->words, end - begin);
		for (uint64 e = begin; e < end; e++)
		{
			const uint32 *record = episodes->words + episodes->record[e];
			EpisodeTest test = {.tested = episodes->node[e] != NO_NODE};
			uint64		support;

			memcpy(&support, record + 2 * (Size) record[0], sizeof(support));
			test.expected = support;
			if (test.tested)
			{
				const FimSurrogateCounts *count = &counts[episodes->node[e]];

				test.expected = (double) count->sum / surrogates;
				test.p_value = FimPValue(count->reached, surrogates);
				test.adjusted_p_value = adjusted[count->reached];
			}
			PutTestedEpisode(sink, record, &test);
		}
		ResultsEnd(&batch);
		begin = end;
	}
}

static void
TestSource(FunctionCallInfo fcinfo, void *arg)
{
	const SignificanceRequest *request = arg;
	MemoryLedger *ledger = LedgerCreate();
	MiningInput input;
	EngineCost	cost;
	FimEpisodesSpec *spec;
	FimEpisodesData *data;
	const uint32 *events;
	struct Job *job;
	RowSink    *sink;
	TestedEpisodes *episodes;
	const FimSurrogateCounts *counts;
	FimTime		dither;

	ReadMiningInput(&request->mining, ledger, &input);
	if (input.types == NULL)
		return;
	dither = DitherInTimes(request->dither, &input.stream->times);
	sink = EpisodeRowsCreate(fcinfo, ledger, input.types, &request->mining.gaps);
	spec = EpisodesSpecOf(&request->mining, &input);
	cost = EpisodesCost(input.kept.events, &request->mining.gaps);
	job = JobCreate(&FimEpisodesFamily, &spec->head, &cost);
	data = BuildEpisodesData(job, input.stream, &input.kept, &request->mining.gaps, NULL);
	ShowMiningInput(&input, data);
	WarnOfDither(request, data, dither, &input.stream->times);
	events = CopyCounts(data);
	LedgerDestroy(ledger);
	(void) JobOpenHost(job);
	JobCloseHost(job);
	RowSinkUseJob(sink, job);
	episodes = TestedEpisodesCreate(job, sink->maker->words, request->method);
	(void) JobRun(job, &episodes->sink);
	counts = CountOnSurrogates(job, events, input.kept.n, request, dither, episodes);
	PutEpisodes(sink, episodes, counts, request->surrogates);
	JobEnd(job);
}

PG_FUNCTION_INFO_V1(gpufim_episode_significance);

Datum
gpufim_episode_significance(PG_FUNCTION_ARGS)
{
	/* Which random numbers an event gets depends on the order of partitions. */
	SignificanceRequest request = {.mining.from.sort_partitions = true};

	return CallFunction(fcinfo, "episode_significance", ReadSignificanceRequest, TestSource, &request);
}

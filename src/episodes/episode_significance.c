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

#include "call.h"
#include "common/int.h"
#include "engine/episodes/p_values.h"
#include "episodes/encode.h"
#include "episodes/episode_significance.h"
#include "episodes/mining_input.h"
#include "episodes/result_rows.h"
#include "episodes/tested_episodes.h"
#include "figures.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

/* Between two checks for interrupts: episodes that are counted, and rows. */
#define INTERRUPT_EPISODES	65536
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
	Datum		span;

	for (uint32 p = 0; p < data->partitions; p++)
	{
		FimTime		here = {0};

		if (p % INTERRUPT_EPISODES == 0)
			CHECK_FOR_INTERRUPTS();
		if (FIM_EPISODES_PARTITIONS(data)[p] == FIM_EPISODES_PARTITIONS(data)[p + 1])
			continue;
		if (!IsBeyond(data, p, dither, &here))
			return;
		if (IsLater(times, here, longest))
			longest = here;
	}
	if (times->real)
		span = DirectFunctionCall1(float8_numeric, Float8GetDatum(longest.real));
	else
		span = NumericGetDatum(int64_div_fast_to_numeric(longest.integer, times->scale));
	ereport(NOTICE,
			(errmsg("argument \"dither\" is longer than the events of any partition last"),
			 errdetail("The dither is %s; from the first event to the last one it is %s at most.",
					   DatumGetCString(DirectFunctionCall1(numeric_out, request->dither)),
					   DatumGetCString(DirectFunctionCall1(numeric_out, span))),
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
	FimEpisodesJob *what = TestedEpisodesJob(episodes);
	EngineCost	cost;

	what->surrogates = request->surrogates;
	what->dither = dither;
	what->seed = (uint64) SeedOf(request);
	RunAddDetail("seed", (int64) what->seed);
	RunAddDetail("tested_episodes", episodes->ntested);
	if (what->nnodes == 0)
		return NULL;
	cost = SurrogatesCost(what, events, ntypes);
	JobContinue(job, &what->head, &cost);
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
		if (e % INTERRUPT_EPISODES == 0)
			CHECK_FOR_INTERRUPTS();
		if (episodes->node[e] != NO_NODE)
			tests[counts[episodes->node[e]].reached]++;
	}
	FimAdjustPValues(tests, surrogates, adjusted);
	return adjusted;
}

static void
PutEpisodes(ItemsetRows *rows, const TestedEpisodes *episodes, const FimSurrogateCounts *counts,
			uint32 surrogates)
{
	const double *adjusted = AdjustedPValues(episodes, counts, surrogates);
	uint64		begin = 0;

	ResultsForget();
	while (begin < episodes->n)
	{
		uint64		end = Min(begin + BATCH_ROWS, episodes->n);

		ItemsetRowsBeginBatch(rows, end - begin);
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
			PutTestedEpisode(rows, record, &test);
		}
		ItemsetRowsEndBatch(rows);
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
	FimEpisodesJob *what;
	FimEpisodesData *data;
	const uint32 *events;
	struct Job *job;
	ItemsetRows *rows;
	TestedEpisodes *episodes;
	const FimSurrogateCounts *counts;
	FimTime		dither;

	ReadMiningInput(&request->mining, ledger, &input);
	if (input.types == NULL)
		return;
	dither = DitherInTimes(request->dither, &input.stream->times);
	rows = EpisodeRowsCreate(fcinfo, ledger, input.types, &request->mining.gaps);
	what = EpisodesJobOf(&request->mining, &input);
	cost = EpisodesCost(input.kept.events, &request->mining.gaps);
	job = JobCreate(&FimEpisodesFamily, &what->head, &cost);
	data = BuildEpisodesData(job, input.stream, &input.kept, &request->mining.gaps, NULL);
	ShowMiningInput(&input, data);
	WarnOfDither(request, data, dither, &input.stream->times);
	events = CopyCounts(data);
	LedgerDestroy(ledger);
	(void) JobOpenHost(job);
	JobCloseHost(job);
	ItemsetRowsUseJob(rows, job);
	episodes = TestedEpisodesCreate(job, rows->words, request->method);
	(void) JobRun(job, &episodes->sink);
	counts = CountOnSurrogates(job, events, input.kept.n, request, dither, episodes);
	PutEpisodes(rows, episodes, counts, request->surrogates);
	JobEnd(job);
}

PG_FUNCTION_INFO_V1(gpufim_episode_significance);

Datum
gpufim_episode_significance(PG_FUNCTION_ARGS)
{
	/* Which random numbers an event gets depends on the order of partitions. */
	SignificanceRequest request = {.mining.function = "episode_significance",
	.mining.from.sort_partitions = true};

	return CallFunction(fcinfo, request.mining.function, ReadSignificanceRequest, TestSource, &request);
}

/*-------------------------------------------------------------------------
 *
 * frequent_episodes.c
 *	  The SQL functions frequent_episodes() and episode_counts().
 *
 * Both have a variant with a type sample behind gaps.  They read the events of the source,
 * keep those of frequent types, build the engine's data, mine them, and make rows of the
 * results.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "call.h"
#include "episodes/frequent_episodes.h"
#include "episodes/mining_input.h"
#include "episodes/result_rows.h"
#include "figures.h"

static void
MineSource(FunctionCallInfo fcinfo, void *arg)
{
	const EpisodesRequest *request = arg;
	MemoryLedger *ledger = LedgerCreate();
	ItemsetRows *results = NULL;
	MiningInput input;
	EngineCost	cost;
	FimEpisodesJob *what;
	FimEpisodesData *data;
	struct Job *job;
	uint64	   *counts;
	uint32		lengths;

	ReadMiningInput(request, ledger, &input);
	if (input.types == NULL)
		return;
	if (!request->count_only)
		results = EpisodeRowsCreate(fcinfo, ledger, input.types, &request->gaps);
	what = EpisodesJobOf(request, &input);
	cost = EpisodesCost(input.kept.events, &request->gaps);
	job = JobCreate(&FimEpisodesFamily, &what->head, &cost);
	data = BuildEpisodesData(job, input.stream, &input.kept, &request->gaps, NULL);
	ShowMiningInput(&input, data);
	LedgerDestroy(ledger);
	(void) JobOpenHost(job);
	JobCloseHost(job);
	if (results != NULL)
		ItemsetRowsUseJob(results, job);
	lengths = FimEpisodesLengths(what, data);
	if (request->count_only)
		JobTakeMemory(job, lengths * sizeof(uint64), "the numbers of episodes");
	counts = JobRun(job, results ? &results->sink : NULL);
	JobEnd(job);
	if (request->count_only)
		PutEpisodeCounts(fcinfo, counts, lengths);
}

Datum
EpisodesFunction(FunctionCallInfo fcinfo, const char *function, bool count_only)
{
	EpisodesRequest request = {.function = function,.count_only = count_only,.leaves_out_partitions = true};

	return CallFunction(fcinfo, function, ReadEpisodesRequest, MineSource, &request);
}

PG_FUNCTION_INFO_V1(gpufim_frequent_episodes);

Datum
gpufim_frequent_episodes(PG_FUNCTION_ARGS)
{
	return EpisodesFunction(fcinfo, "frequent_episodes", false);
}

PG_FUNCTION_INFO_V1(gpufim_episode_counts);

Datum
gpufim_episode_counts(PG_FUNCTION_ARGS)
{
	return EpisodesFunction(fcinfo, "episode_counts", true);
}

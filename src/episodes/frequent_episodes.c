/*-------------------------------------------------------------------------
 *
 * frequent_episodes.c
 *	  The SQL functions frequent_episodes() and episode_counts(), and the form of each
 *	  function that mines for parameters without types.
 *
 * Both have a variant with a type sample behind gaps.  They read the events of the source,
 * keep those of frequent types, build the engine's data, mine them, and make rows of the
 * results.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "engine/parts.h"
#include "episodes/episodes.h"
#include "fmgr.h"
#include "gpufim.h"
#include "scan/scan.h"

/* The types show in what has been read, and which of them are required, in their numbers. */
static void
AddRequestFingerprint(const EpisodesRequest *request, const MiningInput *input)
{
	uint64		required = 0;

	RunBeginFingerprint(&request->part);
	RunAddFingerprint(request->kind);
	RunAddFingerprint(request->min_length);
	RunAddFingerprint(request->max_length);
	RunAddFingerprint(input->minsup);
	RunAddFingerprint(input->events);
	if (input->types == NULL)
		return;
	for (uint32 r = 0; r < input->nrequired + input->nany; r++)
		required += FimFingerprint2(input->required[r], r >= input->nrequired);
	RunAddFingerprint(required);
	RunAddFingerprint(input->types->fingerprint);
}

static void
MineSource(FunctionCallInfo fcinfo, void *arg)
{
	const EpisodesRequest *request = arg;
	MemoryLedger *ledger = LedgerCreate();
	RowSink    *sink = NULL;
	MiningInput input;
	EngineCost	cost;
	FimEpisodesSpec *spec;
	FimEpisodesData *data;
	struct Job *job;
	uint64	   *counts;
	uint32		lengths;

	ReadMiningInput(request, ledger, &input);
	if (FimIsPart(&request->part))
		AddRequestFingerprint(request, &input);
	if (input.types == NULL)
		return;
	if (!request->count_only)
		sink = EpisodeRowsCreate(fcinfo, ledger, input.types, &request->gaps);
	spec = EpisodesSpecOf(request, &input);
	cost = EpisodesCost(input.kept.events, &request->gaps);
	cost.wants_few = RowScanWantsFew(fcinfo);
	cost.only_cpu = FimIsPart(&spec->head.part);
	job = JobCreate(&FimEpisodesFamily, &spec->head, &cost);
	data = BuildEpisodesData(job, input.stream, &input.kept, &request->gaps, NULL);
	ShowMiningInput(&input, data);
	LedgerDestroy(ledger);
	if (FimIsPart(&spec->head.part))
		RunAddFingerprint(FimEpisodesFingerprint(data, JobOpenHost(job)));
	else
		(void) JobOpenHost(job);
	JobCloseHost(job);
	if (sink != NULL)
	{
		RowSinkUseJob(sink, job);
		RowSinkMine(sink);
		return;
	}
	lengths = FimEpisodesLengths(spec, data);
	JobTakeMemory(job, lengths * sizeof(uint64), "the numbers of episodes");
	counts = JobRun(job, NULL);
	JobEnd(job);
	if (RowScanCounts(fcinfo))
		RowScanTakeCount(fcinfo, SumEpisodeCounts(counts, lengths));
	else
		PutEpisodeCounts(fcinfo, counts, lengths);
}

/* Run the function with this SQL name. */
static Datum
EpisodesFunction(FunctionCallInfo fcinfo, const char *function, bool count_only)
{
	EpisodesRequest request = {.leaves_out_partitions = true};

	request.count_only = count_only || RowScanCounts(fcinfo);
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

/*
 * The functions that mine episodes, for parameters without types; see arguments.c.  As there is
 * one form only, nothing is left to be guessed.
 */

/* Begin a call with the arguments that all functions that mine have in common. */
static void
BeginCall(FunctionCallInfo fcinfo, FunctionCallInfo call, Untyped *given)
{
	ReadUntyped(fcinfo, given);
	BeginTypedCall(fcinfo, call);
	AddArgument(call, TEXTOID, given->text[0]);
	AddArgument(call, NAMEOID, given->text[1]);
	AddArgument(call, NAMEOID, given->text[2]);
	AddArgument(call, FLOAT8OID, given->text[3]);
	AddArgument(call, NUMRANGEARRAYOID, given->text[4]);
	AddArgument(call, INT4OID, UntypedOr(given, 5, "1"));
	AddArgument(call, INT4OID, UntypedOr(given, 6, NULL));
	AddArgument(call, NAMEOID, UntypedOr(given, 7, NULL));
	AddArgument(call, TEXTARRAYOID, UntypedOr(given, 8, NULL));
	AddArgument(call, TEXTARRAYOID, UntypedOr(given, 9, NULL));
	AddArgument(call, TEXTOID, UntypedOr(given, 10, "all"));
}

static Datum
RunUntyped(FunctionCallInfo fcinfo, const char *function, bool count_only)
{
	LOCAL_FCINFO(call, UNTYPED_MAX_ARGUMENTS);
	Untyped		given;

	BeginCall(fcinfo, call, &given);
	AddArgument(call, INT4OID, UntypedOr(&given, 11, "0"));
	AddArgument(call, INT4OID, UntypedOr(&given, 12, "1"));
	AddArgument(call, TEXTARRAYOID, UntypedOr(&given, 13, NULL));
	return EpisodesFunction(call, function, count_only);
}

PG_FUNCTION_INFO_V1(gpufim_frequent_episodes_untyped);

Datum
gpufim_frequent_episodes_untyped(PG_FUNCTION_ARGS)
{
	return RunUntyped(fcinfo, "frequent_episodes", false);
}

PG_FUNCTION_INFO_V1(gpufim_episode_counts_untyped);

Datum
gpufim_episode_counts_untyped(PG_FUNCTION_ARGS)
{
	return RunUntyped(fcinfo, "episode_counts", true);
}

PG_FUNCTION_INFO_V1(gpufim_episode_significance_untyped);

Datum
gpufim_episode_significance_untyped(PG_FUNCTION_ARGS)
{
	LOCAL_FCINFO(call, UNTYPED_MAX_ARGUMENTS);
	Untyped		given;

	BeginCall(fcinfo, call, &given);
	AddArgument(call, INT4OID, UntypedOr(&given, 11, "1000"));
	AddArgument(call, NUMERICOID, UntypedOr(&given, 12, NULL));
	AddArgument(call, INT8OID, UntypedOr(&given, 13, NULL));
	AddArgument(call, TEXTOID, UntypedOr(&given, 14, "shift"));
	AddArgument(call, TEXTARRAYOID, UntypedOr(&given, 15, NULL));
	return gpufim_episode_significance(call);
}

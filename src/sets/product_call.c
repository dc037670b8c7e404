/*-------------------------------------------------------------------------
 *
 * product_call.c
 *	  What all calls of functions about products of sets do.
 *
 * They read the relations, number the values in the order of their type, build the
 * engine's data, multiply them, and make rows of the pairs.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "arguments.h"
#include "engine/minsup.h"
#include "figures.h"
#include "results.h"
#include "sets/encode.h"
#include "sets/pair_rows.h"
#include "sets/pair_scan.h"
#include "sets/product_call.h"
#include "sets/request.h"

/* The number of transactions, with or without items, if pairs are pairs of items. */
static uint64
CountTransactions(const Relations *relations)
{
	return relations->keys != NULL ? relations->nkeys : relations->source_rows;
}

/* The least number of pairs that a value must have to be in a result. */
static uint32
LeastPairs(SetsRequest *request, uint64 transactions)
{
	FimSetsJob *job = &request->job;

	if (job->result == FIM_SETS_PAIRS)
	{
		job->min_witnesses = FimThreshold(request->minsup, transactions);
		NoteHighMinsup(request->minsup, transactions,
					   gettext_noop("no pair can be frequent, because \"minsup\" is %s and the number of transactions is %llu"));
		CurrentRun->transactions = transactions;
		CurrentRun->minsup = job->min_witnesses;
	}
	return (uint32) Min(job->min_witnesses, UINT32_MAX);
}

/* Show in gpufim_last_run() the numbers that only this family has. */
static void
ShowData(const Relations *relations, const FimSetsData *data)
{
	RunAddDetail("left_pairs", data->left.npairs);
	RunAddDetail("left_values", data->left.nvalues);
	if (!relations->one)
	{
		RunAddDetail("right_pairs", data->right.npairs);
		RunAddDetail("right_values", data->right.nvalues);
	}
	RunAddDetail("common_keys", data->nkeys);
}

static void
ShowFound(const FimSetsSummary *summary)
{
	static const char *const names[FIM_SETS_STRATEGIES] = {
		[FIM_SETS_ROWS] = "found_by_rows",
		[FIM_SETS_BITS] = "found_by_bits",
		[FIM_SETS_BATMAP] = "found_by_batmap",
		[FIM_SETS_PREFIX] = "found_by_prefix"
	};

	for (int s = 0; s < FIM_SETS_STRATEGIES; s++)
	{
		if (summary->found[s] > 0 && names[s] != NULL)
			RunAddDetail(names[s], summary->found[s]);
	}
}

/* Show what strategy "auto" based its choice on, if there was a choice. */
static void
ShowPlan(const FimSetsSummary *summary)
{
	if (summary->tiled_left > 0)
	{
		RunAddDetail("tiled_left_values", summary->tiled_left);
		RunAddDetail("tiled_right_values", summary->tiled_right);
	}
	if (summary->rows_ms > 0)
		RunAddDetail("expected_rows_us", (int64) (summary->rows_ms * 1000));
	if (summary->split_ms > 0)
		RunAddDetail("expected_split_us", (int64) (summary->split_ms * 1000));
	if (summary->prefix_ms > 0)
		RunAddDetail("expected_prefix_us", (int64) (summary->prefix_ms * 1000));
}

/*
 * Have the job count the pairs before it lists them, so that a result that would exceed
 * temp_file_limit raises an error before it fills files.
 */
static void
CheckFiles(struct Job *job, FimSetsJob *what, const EngineCost *cost, const FimSink *sink)
{
	const FimSetsSummary *summary = JobRun(job, NULL);

	PairRowsCheckFiles(sink, summary->pairs);
	ResultsForget();
	what->head.count_only = false;
	JobContinue(job, &what->head, cost);
}

static void
Multiply(FunctionCallInfo fcinfo, SetsRequest *request, bool count_only)
{
	MemoryLedger *ledger = LedgerCreate();
	FimSink    *sink = NULL;
	Relations	relations;
	KeptValues	left;
	KeptValues	right = {0};
	FimSetsSummary *summary;
	FimSetsData *data;
	EngineCost	cost;
	struct Job *job;
	uint64		transactions;
	uint32		least;
	bool		counted_first;

	ReadRelations(&request->left, &request->right, ledger, &relations);
	RunEnterPhase(GPUFIM_ENCODING);
	transactions = CountTransactions(&relations);
	least = LeastPairs(request, transactions);
	if (relations.keys != NULL)
		DictionaryFree(relations.keys);
	left = KeepValues(&relations.left, least, !count_only);
	if (!relations.one)
		right = KeepValues(&relations.right, least, !count_only);
	CurrentRun->frequent_items = (int64) left.n + right.n;
	if (!count_only)
		sink = PairRowsCreate(fcinfo, &request->job, ledger, &left, relations.one ? NULL : &right,
							  transactions);
	counted_first = sink != NULL &&
		PairRowsMayFillFiles(sink, (double) left.n * (relations.one ? left.n : right.n));
	request->job.head.count_only = count_only || counted_first;
	cost = SetsCost(left.npairs + right.npairs);
	job = JobCreate(&FimSetsFamily, &request->job.head, &cost);
	data = BuildSetsData(job, &relations, &left, &right, ledger);
	ShowData(&relations, data);
	if (counted_first)
		CheckFiles(job, &request->job, &cost, sink);
	summary = JobRun(job, sink);
	if (sink != NULL)
		PairRowsEnd(sink);
	CurrentRun->results = request->found = summary->pairs;
	ShowFound(summary);
	ShowPlan(summary);
	JobEnd(job);
}

void
CountPairs(FunctionCallInfo fcinfo, void *request)
{
	Multiply(fcinfo, request, true);
}

void
ListPairs(FunctionCallInfo fcinfo, void *request)
{
	FimSetsJob *job = &((SetsRequest *) request)->job;

	if (job->result == FIM_SETS_PRODUCT && !PairColumnIsWanted(fcinfo, PAIR_WITNESSES))
		job->witnesses = false;
	if (PairScanCounts(fcinfo))
	{
		CountPairs(fcinfo, request);
		PairScanTakeCount(fcinfo, ((SetsRequest *) request)->found);
	}
	else
		Multiply(fcinfo, request, false);
}

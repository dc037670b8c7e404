/*-------------------------------------------------------------------------
 *
 * probable_itemsets.c
 *	  The SQL function probable_itemsets().
 *
 * It has an array form and a pair form, and each form a variant with a type witness
 * behind minprob.  All of them go through the phases of frequent_itemsets(): read the
 * source, keep the items that can be in a result, build the data, mine them, and make
 * rows of the results.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "arguments.h"
#include "call.h"
#include "engine/minsup.h"
#include "figures.h"
#include "probable/encode.h"
#include "probable/expected_threshold.h"
#include "probable/probable_itemsets.h"
#include "probable/request.h"
#include "probable/result_rows.h"
#include "probable/uncertain_rows.h"

static FimProbableJob
JobOfRequest(const ProbableRequest *request, const GpufimItems *items, int64 transactions)
{
	FimProbableJob job = {{0}};

	job.head.size = sizeof(job);
	job.kind = request->kind;
	job.minsup = FimThreshold(request->minsup, transactions);
	job.minprob = request->minprob;
	job.min_expected = ExpectedThreshold(request->minsup, transactions);
	job.exact = request->exact;
	job.nrequired = items->nrequired;
	job.min_length = request->min_length;
	job.max_length = request->max_length;
	return job;
}

/* Make gpufim_last_run() show how many itemsets each rule settled. */
static void
ShowSummary(const FimProbableSummary *summary)
{
	static const char *const rules[FIM_RULES] = {
		[FIM_RULE_COUNT] = "count",
		[FIM_RULE_MEDIAN] = "median",
		[FIM_RULE_HOEFFDING] = "hoeffding",
		[FIM_RULE_BERRY_ESSEEN] = "berry_esseen",
		[FIM_RULE_CHERNOFF] = "chernoff",
		[FIM_RULE_BINOMIAL] = "binomial",
		[FIM_RULE_POISSON] = "poisson",
		[FIM_RULE_INVERSION] = "inversion",
		[FIM_RULE_CONVOLUTION] = "convolution",
		[FIM_RULE_DOUBLE_DOUBLE] = "double_double",
		[FIM_RULE_EXACT] = "exact",
		[FIM_RULE_EXPECTATION] = "expectation"
	};

	for (int i = 0; i < FIM_RULES; i++)
		RunAddDetail(rules[i], summary->settled[i]);
	RunAddDetail("values", summary->values);
}

/* Mine the rows, which are freed on the way, and make rows of the results. */
static void
MineRows(FunctionCallInfo fcinfo, const ProbableRequest *request, GpufimRows *rows,
		 const GpufimItems *items)
{
	FimProbableJob what = JobOfRequest(request, items, rows->transactions);
	EngineCost	cost = ProbableCost(rows, items);
	ItemsetRows *results = ProbableRowsCreate(fcinfo, rows->ledger, items);
	struct Job *job = JobCreate(&FimProbableFamily, &what.head, &cost);

	BuildProbableData(job, rows, items);
	ItemsetRowsUseJob(results, job);
	ShowSummary(JobRun(job, &results->sink));
	JobEnd(job);
}

/* The least number of occurrences that an itemset of the result can have. */
static uint32
LeastOccurrences(const ProbableRequest *request, int64 transactions)
{
	if (isnan(request->minprob))
		return (uint32) Min(ceil(ExpectedThreshold(request->minsup, transactions)),
							FIM_MAX_TRANSACTIONS);
	return FimThreshold(request->minsup, transactions);
}

static void
MineSource(FunctionCallInfo fcinfo, void *arg)
{
	const ProbableRequest *request = arg;
	MemoryLedger *ledger = LedgerCreate();
	GpufimRows *rows = ReadUncertainRows(&request->from, request->minsup, ledger);
	ItemFilter	filter = {.min_length = request->min_length,.max_length = request->max_length,
	.including = request->including,.excluding = request->excluding,.with_values = true};
	GpufimItems *items;

	RunEnterPhase(GPUFIM_ENCODING);
	NoteHighMinsup(request->minsup, rows->transactions,
				   gettext_noop("no itemset can be probable, because \"minsup\" is %s and the number of transactions is %llu"));
	CurrentRun->minsup = FimThreshold(request->minsup, rows->transactions);
	filter.minsup = LeastOccurrences(request, rows->transactions);
	if (isnan(request->minprob))
		filter.least_expected = ExpectedThreshold(request->minsup, rows->transactions);
	items = PruneItems(rows, &filter);
	if (items->impossible)
	{
		RowsClose(rows);
		LedgerDestroy(ledger);
		return;
	}
	CurrentRun->frequent_items = items->nitems + items->nrequired;
	MineRows(fcinfo, request, rows, items);
}

Datum
ProbableFunction(FunctionCallInfo fcinfo, bool pairs)
{
	ProbableRequest request = {.function = "probable_itemsets",.pairs = pairs};

	return CallFunction(fcinfo, request.function, ReadItemsetsRequest, MineSource, &request);
}

PG_FUNCTION_INFO_V1(gpufim_probable_itemsets_array);

Datum
gpufim_probable_itemsets_array(PG_FUNCTION_ARGS)
{
	return ProbableFunction(fcinfo, false);
}

PG_FUNCTION_INFO_V1(gpufim_probable_itemsets_pairs);

Datum
gpufim_probable_itemsets_pairs(PG_FUNCTION_ARGS)
{
	return ProbableFunction(fcinfo, true);
}

/*-------------------------------------------------------------------------
 *
 * minsup_of_rules.c
 *	  A threshold that the itemsets of the k best rules by leverage reach.
 *
 * If an itemset is in a share f of all transactions, so is each side of a rule made of it, at least, and the rule's leverage is at
 * most f - f^2.  The rules of two items, which are found quickly, already tell what leverage the k best ones have at least.  So
 * they tell how frequent an itemset has to be, and all that are rarer need not be mined.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "engine/itemsets/itemsets.h"
#include "engine/rules/rules.h"
#include "itemsets/itemsets.h"
#include "itemsets/rules.h"
#include "miscadmin.h"
#include "work/work.h"

/* A threshold is this part lower than its formula says, because that is rounded. */
#define ROUNDED		1e-9

typedef struct PairsSink
{
	FimSink		sink;			/* must be first */
	const FimRulesSpec *spec;
	const GpufimItems *items;
	uint32		transactions;
	uint32		k;
	uint32		last;			/* the first item of the last record */
	FimBest		best;
	FimBestCounter counter;
} PairsSink;

static void
BeginCounting(FimSink *sink)
{
	PairsSink  *pairs = (PairsSink *) sink;

	FimBestInit(&pairs->best, pairs->k, -INFINITY);
	FimBestBegin(&pairs->counter, &pairs->best);
}

/* Count the rule from one item to another one if it is selected. */
static void
CountRule(PairsSink *pairs, uint32 support, uint32 from, uint32 to)
{
	uint32		antecedent = pairs->items->items[from].support;
	uint32		consequent = pairs->items->items[to].support;

	if (FimConfidence(support, antecedent) >= pairs->spec->minconf &&
		FimLift(support, antecedent, consequent, pairs->transactions) >= pairs->spec->minlift)
		(void) FimBestCount(&pairs->counter, FimLeverage(support, antecedent, consequent, pairs->transactions), 1);
}

static bool
CountBatch(FimSink *sink, const uint32_t *words, size_t nwords, size_t nresults)
{
	PairsSink  *pairs = (PairsSink *) sink;

	CHECK_FOR_INTERRUPTS();
	for (size_t i = 0; i < nresults; i++)
	{
		uint32		kept = words[0];
		const uint32 *added = words + 2;
		uint32		nadded = words[1];

		words = added + nadded + 1;
		if (kept == 0 && nadded > 0)
			pairs->last = added[0];
		if (kept + nadded == 2)
		{
			CountRule(pairs, added[nadded], pairs->last, added[nadded - 1]);
			CountRule(pairs, added[nadded], added[nadded - 1], pairs->last);
		}
	}
	return true;
}

void
RaiseMinsup(struct Job *job, FimRulesSpec *spec, FimItemsetsSpec *itemsets, const EngineCost *cost, const GpufimItems *items,
			uint32 transactions, uint32 k)
{
	FimItemsetsSpec of_two = *itemsets;
	PairsSink  *pairs = palloc(sizeof(PairsSink));
	double		least;

	of_two.min_length = of_two.max_length = 2;
	pairs->sink = (FimSink) {.write = CountBatch,.restart = BeginCounting};
	pairs->spec = spec;
	pairs->items = items;
	pairs->transactions = transactions;
	pairs->k = k;
	BeginCounting(&pairs->sink);
	JobContinue(job, &of_two.head, cost);
	(void) JobRun(job, &pairs->sink);
	FimBestTell(&pairs->counter);
	least = FimBestLeast(FimBestThreshold(&pairs->best));
	pfree(pairs);
	if (least > 0)
	{
		double		share = (1 - sqrt(Max(1 - 4 * least, 0))) / 2;

		spec->least = least;
		itemsets->minsup = Max(itemsets->minsup, (uint32) (share * (1 - ROUNDED) * transactions));
	}
	JobContinue(job, &itemsets->head, cost);
}

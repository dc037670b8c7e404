/*-------------------------------------------------------------------------
 *
 * rule_rows.c
 *	  Turning association rules into rows.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "compat.h"
#include "engine/rules/rules.h"
#include "gpufim.h"
#include "itemset_rows.h"
#include "itemsets/itemsets.h"
#include "itemsets/rules.h"
#include "scan/scan.h"

/*
 * Rules with the same supports often follow each other soon, so there is a table of the p-values that were computed
 * last: with a place for a quarter of the itemsets, within these limits.
 */
#define LEAST_KNOWN		256
#define MOST_KNOWN		65536

typedef struct KnownPValue
{
	FimTest		test;			/* its support is 0 if there is none */
	double		p;
	double		adjusted;
} KnownPValue;

typedef struct RuleMaker
{
	ItemsetMaker itemsets;		/* must be first */
	uint32		transactions;
	uint32		nrequired;
	RulePValues p_values;
	KnownPValue *known;			/* [nknown] */
	uint32		nknown;			/* a power of 2; 0: nobody asks for p-values */
	ItemsetArray consequent;	/* beside the maker's own array, which has the antecedent */

	/* the items that were sorted last: as the rules have them, and sorted, with the bit in FimRule's "chosen" behind the rank */
	uint32		length;
	uint32		items[FIM_SUPPORTS_LENGTH];
	uint64		sorted[FIM_SUPPORTS_LENGTH];

	/* the numbers of the row that was made last */
	int64		integers[RULE_ADJUSTED_P_VALUE + 1];
	double		reals[RULE_ADJUSTED_P_VALUE + 1];
} RuleMaker;

static uint32
LengthOfRule(const RowMaker *maker, const uint32 **record)
{
	const FimRule *rule = (const FimRule *) *record;

	*record += FIM_RULE_WORDS(rule);
	return ((const RuleMaker *) maker)->nrequired + rule->length;
}

/* Sort the items of a rule by their ranks, unless they are those of the rule before, as they are for most rules. */
static void
SortItems(RuleMaker *maker, const FimRule *rule)
{
	const uint32 *items = (const uint32 *) rule + FIM_RULE_HEAD;
	Size		size = rule->length * sizeof(uint32);

	if (rule->length == maker->length && memcmp(items, maker->items, size) == 0)
		return;
	maker->length = rule->length;
	memcpy(maker->items, items, size);
	for (uint32 n = 0; n < rule->length; n++)
	{
		uint64		item = (uint64) maker->itemsets.ranks[items[n]] << 32 | UINT32_C(1) << n;
		uint32		i = n;

		for (; i > 0 && maker->sorted[i - 1] > item; i--)
			maker->sorted[i] = maker->sorted[i - 1];
		maker->sorted[i] = item;
	}
}

/* Build the array of those items that were sorted last whose bits are set, and of the nrequired first required items. */
static Datum
BuildSide(RuleMaker *maker, uint32 chosen, uint32 nrequired)
{
	const uint32 *required = maker->itemsets.required;
	uint32		n = nrequired;
	uint32		r = 0;
	char	   *at = ArrayStart(&maker->itemsets);

	for (uint32 i = 0; i < maker->length; i++)
	{
		uint32		rank = (uint32) (maker->sorted[i] >> 32);

		if (((uint32) maker->sorted[i] & chosen) == 0)
			continue;
		while (r < nrequired && required[r] < rank)
			at = AppendImage(&maker->itemsets, at, required[r++]);
		at = AppendImage(&maker->itemsets, at, rank);
		n++;
	}
	while (r < nrequired)
		at = AppendImage(&maker->itemsets, at, required[r++]);
	return ArrayEnd(&maker->itemsets, at, n);
}

static double
LogAdjusted(const RulePValues *from, double log_p)
{
	Size		low = 0;
	Size		high = from->n;

	if (from->p == NULL)
		return Min(log_p + from->log_factor, 0);
	while (low < high)
	{
		Size		middle = low + (high - low) / 2;

		if (from->p[middle].log_p < log_p)
			low = middle + 1;
		else
			high = middle;
	}
	return from->p[low].log_adjusted;
}

static const KnownPValue *
PValueOf(RuleMaker *maker, const FimRule *rule)
{
	FimTest		test = FimTestOf(rule);
	KnownPValue *known = &maker->known[FimTestHash(&test) & (maker->nknown - 1)];
	double		log_p;

	if (!FimSameTest(&known->test, &test))
	{
		known->test = test;
		log_p = FimFisherLog(test.support, test.antecedent, test.consequent, maker->transactions);
		known->p = exp(log_p);
		known->adjusted = exp(LogAdjusted(&maker->p_values, log_p));
	}
	return known;
}

static void
SetNumbers(RuleMaker *maker, const FimRule *rule)
{
	maker->integers[RULE_SUPPORT] = rule->support;
	maker->integers[RULE_ANTECEDENT_SUPPORT] = rule->antecedent;
	maker->integers[RULE_CONSEQUENT_SUPPORT] = rule->consequent;
	maker->reals[RULE_CONFIDENCE] = FimConfidence(rule->support, rule->antecedent);
	maker->reals[RULE_LIFT] = FimLift(rule->support, rule->antecedent, rule->consequent, maker->transactions);
	if (maker->nknown > 0)
	{
		const KnownPValue *known = PValueOf(maker, rule);

		maker->reals[RULE_P_VALUE] = known->p;
		maker->reals[RULE_ADJUSTED_P_VALUE] = known->adjusted;
	}
}

static void
NextRow(RowMaker *rows, Datum *values)
{
	RuleMaker  *maker = (RuleMaker *) rows;
	const FimRule *rule = (const FimRule *) maker->itemsets.next;

	maker->itemsets.next += FIM_RULE_WORDS(rule);
	SetNumbers(maker, rule);
	if (rows->wanted[RULE_ANTECEDENT] || rows->wanted[RULE_CONSEQUENT])
		SortItems(maker, rule);
	if (rows->wanted[RULE_ANTECEDENT])
		values[RULE_ANTECEDENT] = BuildSide(maker, ~rule->chosen, maker->nrequired);
	if (rows->wanted[RULE_CONSEQUENT])
	{
		ItemsetMakerSwapArray(&maker->itemsets, &maker->consequent);
		values[RULE_CONSEQUENT] = BuildSide(maker, rule->chosen, 0);
		ItemsetMakerSwapArray(&maker->itemsets, &maker->consequent);
	}
	for (int i = RULE_SUPPORT; i <= RULE_TRANSACTIONS; i++)
		if (rows->wanted[i])
			values[i] = Int64GetDatumFast(maker->integers[i]);
	for (int i = RULE_CONFIDENCE; i <= RULE_ADJUSTED_P_VALUE; i++)
		if (rows->wanted[i])
			values[i] = Float8GetDatumFast(maker->reals[i]);
}

RowSink *
RuleRowsCreate(FunctionCallInfo fcinfo, MemoryLedger *ledger, const GpufimItems *items, uint32 transactions,
			   bool best, RulePValues **p_values)
{
	static const ResultWords words = {
		"rule", "rules", "items",
		"Raise \"minsup\" or \"minconf\", lower \"max_length\" or ask for \"minimal\" rules to get fewer."
	};
	static const ResultWords words_of_best = {
		"rule", "rules", "items", "Lower \"k\", or set \"ties\" to false to get no more than \"k\"."
	};
	RuleMaker  *maker = ItemsetMakerCreate(sizeof(RuleMaker), fcinfo, ledger, items, best ? &words_of_best : &words);
	RowMaker   *rows = &maker->itemsets.rows;

	rows->next = NextRow;
	rows->length = LengthOfRule;
	maker->transactions = transactions;
	maker->nrequired = items->nrequired;
	maker->integers[RULE_TRANSACTIONS] = transactions;
	maker->p_values.context = rows->memory;
	if (rows->wanted[RULE_CONSEQUENT])
		ItemsetMakerAddArray(&maker->itemsets, &maker->consequent);
	*p_values = &maker->p_values;
	return RowSinkCreate(fcinfo, rows);
}

void
RuleRowsRemember(RowSink *sink, uint32 itemsets)
{
	RuleMaker  *maker = (RuleMaker *) sink->maker;
	RowMaker   *rows = &maker->itemsets.rows;

	if (!rows->wanted[RULE_P_VALUE] && !rows->wanted[RULE_ADJUSTED_P_VALUE])
		return;
	maker->nknown = LEAST_KNOWN;
	while (maker->nknown < MOST_KNOWN && maker->nknown < itemsets / 4)
		maker->nknown *= 2;
	maker->known = RowMakerResize(rows, NULL, 0, maker->nknown * sizeof(KnownPValue), rows->results_found);
	memset(maker->known, 0, maker->nknown * sizeof(KnownPValue));
}

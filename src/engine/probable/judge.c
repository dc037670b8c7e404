/*-------------------------------------------------------------------------
 *
 * judge.c
 *	  Whether itemsets are selected, and their values.
 *
 * Itemsets are decided by what costs least and suffices: first the number of rows and the
 * mean, which are known of every candidate, then the higher moments, then the distribution.
 *
 *-------------------------------------------------------------------------
 */
#include "judge.h"

#include "engine/ascending.h"
#include "inversion.h"

#include <math.h>

/* The probabilities of the itemset at hand, whose factors are in the data. */
typedef struct ItemsetChances
{
	FimChances	chances;		/* must be first */
	const ProbableMiner *m;
} ItemsetChances;

/* The probability of an item of a row. */
static double
FactorOf(const FimProbableData *data, uint32_t row, uint32_t item)
{
	const uint64_t *start = FIM_PROBABLE_STARTS(data) + row;

	return FIM_PROBABLE_PROBABILITIES(data)[FirstNotBelow(FIM_PROBABLE_ITEMS(data), start[0], start[1], item)];
}

static void
Factors(const FimChances *chances, uint32_t i, double *factor)
{
	const ProbableMiner *m = ((const ItemsetChances *) chances)->m;

	for (uint32_t k = 0; k < m->nitems; k++)
		factor[k] = FactorOf(m->data, m->rows[i], m->items[k]);
}

/* The largest relative error of a product of this many factors; that of none is 1, which is exact. */
static double
ProductError(uint32_t nfactors)
{
	return nfactors > 1 ? FimProductError(nfactors) : 0;
}

static ItemsetChances
ChancesAtHand(const ProbableMiner *m, uint32_t n)
{
	ItemsetChances of = {.m = m};

	of.chances.n = n;
	of.chances.p = m->probabilities;
	of.chances.nfactors = ProbableFactors(m);
	of.chances.error = ProductError(of.chances.nfactors);
	of.chances.factors = m->data->by_entry ? Factors : NULL;
	return of;
}

/* Decide by moments.  Where expected support selects, it is compared with its threshold. */
static FimVerdict
VerdictOf(const ProbableMiner *m, const FimMoments *moments, FimProbableRule *rule, double *low)
{
	*rule = FIM_RULE_EXPECTATION;
	if (m->by_expectation)
		return FimExpectationDecide(m->job->min_expected, moments);
	return FimBoundsDecide(&m->goal, moments, rule, low);
}

static FimVerdict
Decide(ProbableMiner *m, const FimMoments *moments, Extension *itemset)
{
	FimProbableRule rule;
	FimVerdict	verdict = VerdictOf(m, moments, &rule, &itemset->probability);

	itemset->settled = false;
	if (verdict != FIM_OPEN)
		m->summary->settled[rule]++;
	return verdict;
}

/* The moments that are known before the probabilities are looked at one by one. */
static FimMoments
FirstMoments(const Extension *itemset, double error, uint32_t nfactors)
{
	FimMoments	moments = {.n = itemset->n,.mean = itemset->mean,.variance = NAN};

	moments.error = error + ProductError(nfactors);
	return moments;
}

bool
IsRuledOut(ProbableMiner *m, const Extension *extension)
{
	FimMoments	moments = FirstMoments(extension, SUMS_ERROR, ProbableFactors(m) + 1);
	FimProbableRule rule;
	double		low;

	if (VerdictOf(m, &moments, &rule, &low) != FIM_NO)
		return false;
	m->summary->settled[rule]++;
	return true;
}

FimVerdict
JudgeMean(ProbableMiner *m, Extension *itemset, double error, uint32_t nfactors)
{
	FimMoments	moments = FirstMoments(itemset, error, nfactors);

	return Decide(m, &moments, itemset);
}

/* Decide by the probabilities at hand, with as many digits as it takes. */
static bool
SettleExpectation(ProbableMiner *m, Extension *itemset)
{
	ItemsetChances of = ChancesAtHand(m, itemset->n);
	FimSettled	settled;

	ProbableExpect(m, FimExpectationSettle(&m->workspace, &of.chances, m->job->min_expected,
										   &settled));
	m->summary->settled[FIM_RULE_EXPECTATION]++;
	itemset->mean = settled.value;
	return settled.reaches;
}

static bool
SettleTail(ProbableMiner *m, Extension *itemset)
{
	ItemsetChances of = ChancesAtHand(m, itemset->n);
	FimSettled	settled;

	ProbableExpect(m, FimTailSettle(&m->workspace, &of.chances, m->job->minsup, m->job->minprob,
									m->job->exact, &settled));
	m->summary->settled[settled.rule]++;
	m->summary->values += m->job->exact && settled.reaches;
	itemset->probability = settled.value;
	itemset->settled = m->job->exact;
	return settled.reaches;
}

/* Decide to a few digits, which is enough for most itemsets. */
static FimVerdict
DecideByInversion(ProbableMiner *m, const FimMoments *moments, Extension *itemset)
{
	FimInterval tail = FimInversionBracket(m->sums, m->probabilities, ProductError(ProbableFactors(m)),
										   moments, m->job->minsup);
	FimVerdict	verdict = VerdictOn(tail, m->job->minprob);

	ProbableWork(m, 2 * moments->n);
	if (verdict != FIM_OPEN)
		m->summary->settled[FIM_RULE_INVERSION]++;
	itemset->probability = tail.low;
	return verdict;
}

/* Decide by the distribution, with as many digits as it takes. */
static bool
JudgeDistribution(ProbableMiner *m, const FimMoments *moments, Extension *itemset)
{
	FimVerdict	verdict = DecideByInversion(m, moments, itemset);

	return verdict == FIM_OPEN ? SettleTail(m, itemset) : verdict == FIM_YES;
}

bool
JudgeProbabilities(ProbableMiner *m, Extension *itemset)
{
	FimMoments	moments;
	FimVerdict	verdict;

	if (m->by_expectation)
		return SettleExpectation(m, itemset);
	FimMomentsOf(m->probabilities, itemset->n, ProductError(ProbableFactors(m)), &moments);
	verdict = Decide(m, &moments, itemset);
	return verdict == FIM_OPEN ? JudgeDistribution(m, &moments, itemset) : verdict == FIM_YES;
}

/* Take the probabilities of a node's itemset and, for finding their factors, the rows that hold it. */
static void
TakeProbabilities(ProbableMiner *m, const ProbableNode *node)
{
	NodeProbabilities(m, node, m->probabilities);
	if (m->data->by_entry)
		NodeRows(node, m->rows);
	ProbableWork(m, node->view->nrows);
}

/* The same for an extension of a node.  That of a list is not looked for in all rows of the view. */
static void
TakeExtension(ProbableMiner *m, const ProbableNode *node, const Extension *extension)
{
	ArenaMark	mark = ArenaGetMark(&m->arena);
	ProbableNode extended;

	if (HasLists(node->view))
	{
		ListProbabilities(node, extension, m->probabilities, m->rows);
		return;
	}
	ExtendNode(m, node, extension, &extended);
	TakeProbabilities(m, &extended);
	ArenaRelease(&m->arena, mark);
}

bool
JudgeNode(ProbableMiner *m, const ProbableNode *node, Extension *itemset)
{
	FimVerdict	verdict = JudgeMean(m, itemset, SUMS_ERROR, ProbableFactors(m));

	if (verdict != FIM_OPEN)
		return verdict == FIM_YES;
	TakeProbabilities(m, node);
	return JudgeProbabilities(m, itemset);
}

bool
JudgeExtension(ProbableMiner *m, const ProbableNode *node, Extension *extension)
{
	FimVerdict	verdict = JudgeMean(m, extension, SUMS_ERROR, ProbableFactors(m) + 1);
	FimMoments	moments;
	bool		selected;

	if (verdict == FIM_OPEN && !m->by_expectation)
	{
		ExtensionMoments(m, node, extension, &moments);
		moments.error += 4 * ProductError(ProbableFactors(m) + 1);
		verdict = Decide(m, &moments, extension);
	}
	if (verdict != FIM_OPEN)
		return verdict == FIM_YES;
	ProbablePush(m, extension->item);
	TakeExtension(m, node, extension);
	selected = m->by_expectation ? SettleExpectation(m, extension) :
		JudgeDistribution(m, &moments, extension);
	ProbablePop(m);
	return selected;
}

/* The probability written by expectation without values: a bound from the number of rows and the mean. */
static double
LowerBound(const ProbableMiner *m, const Extension *itemset)
{
	FimMoments	moments = FirstMoments(itemset, SUMS_ERROR, ProbableFactors(m));

	if (itemset->n < m->job->minsup)
		return 0;
	return fmax(FimHoeffdingBound(&moments, m->job->minsup).low,
				FimMedianBound(&moments, m->job->minsup).low);
}

static double
ValueOf(ProbableMiner *m, const ProbableNode *node, const Extension *itemset)
{
	FimMoments	moments = FirstMoments(itemset, SUMS_ERROR, ProbableFactors(m));
	ItemsetChances of = ChancesAtHand(m, itemset->n);
	FimSettled	settled;

	if (FimBoundsValue(&moments, m->job->minsup, &settled.value))
		return settled.value;
	if (node != NULL)
		TakeProbabilities(m, node);
	ProbableExpect(m, FimTailSettle(&m->workspace, &of.chances, m->job->minsup, NAN, true, &settled));
	m->summary->values++;
	return settled.value;
}

void
EmitItemset(ProbableMiner *m, const ProbableNode *node, const Extension *judged)
{
	ProbableResult result = {judged->probability, judged->mean, judged->n};

	if (!ProbableWants(m))
		return;
	if (m->job->head.count_only)
	{
		ProbableEmit(m, &result);
		return;
	}
	if (m->job->exact && !judged->settled)
		result.probability = ValueOf(m, node, judged);
	else if (m->by_expectation && !m->job->exact)
		result.probability = LowerBound(m, judged);
	/* the itemset was selected, so the nearest double is at least minprob */
	if (!m->by_expectation && result.probability < m->job->minprob)
		result.probability = m->job->minprob;
	ProbableEmit(m, &result);
}

/*-------------------------------------------------------------------------
 *
 * judge.c
 *	  Whether itemsets are selected, and their values.
 *
 * Itemsets are decided by what costs least and suffices: first the number of rows and the
 * mean, which are known of every candidate, then the higher moments, then the distribution.
 * Of that, a few digits mostly suffice.  How these digits are computed comes first, then the judging of
 * itemsets, and at last their values as they are written.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>

#include "engine/arena.h"
#include "miner.h"
#include "sums.h"
#include "tail.h"

/*
 * A few digits of P(S >= k), from the characteristic function of S.
 */

/*
 * With f(t) = E exp(i t S), the product of all 1 - p + p exp(i t), and the angles
 * t_j = 2 pi j / M, the inverse of the discrete Fourier transform is exact:
 *
 * 	P(S mod M is one of k, ..., k + L - 1, mod M) =
 * 		(L + 2 sum of Re(f(t_j) exp(-i t_j (k + (L - 1) / 2))) * sin(t_j L / 2) / sin(t_j / 2)) / M
 *
 * the sum being over j from 1 to M / 2 (the last one halved if M is even).  Taking it for
 * P(S >= k) makes four errors, each of which is bounded:
 *
 * - S may lie outside of the bulk of its distribution, the M numbers of which k + L - 1 is
 *   the last.  The bulk reaches so far to both sides of the mean that Bernstein's inequality
 *   allows at most exp(-FAR) beyond each end.
 * - Only few angles are taken: |f(t)|^2 is the product of all 1 - 4 p (1 - p) sin(t / 2)^2,
 *   so |f(t)| <= exp(-2 variance sin(t / 2)^2).
 * - Rounding: the parts of a factor, and its product, have a relative error of less than 8
 *   ulps, since the factor's modulus is near 1 where t is small.
 * - Each p is right to a relative error, which moves its factor by at most that times
 *   p |exp(i t) - 1| = 2 p sin(t / 2).
 *
 * About eight angles are enough, each of which takes a complex product for each p.
 */

/* exp(-12) is 6e-6. */
#define FAR				12.0

/* Below this variance, the angles that matter are not small. */
#define LEAST_VARIANCE	100.0

#define PI				3.14159265358979323846

/* Angles after the last one taken that are bounded one by one. */
#define NEXT_ANGLES		32

typedef struct Inversion
{
	FimInterval mean;
	FimInterval variance;
	int64_t		first;			/* the first number of the bulk */
	uint64_t	modulus;		/* M: the bulk's length */
	uint64_t	length;			/* L: the length of the bulk's part from k on */
	double		n;
	double		error;			/* relative error of each p */
} Inversion;

/* The sine of half of angle number j. */
static double
HalfSine(const Inversion *of, uint64_t j)
{
	return sin(PI * (double) j / (double) of->modulus);
}

/* The largest absolute value that the summand of an angle can have. */
static double
Greatest(const Inversion *of, uint64_t j)
{
	double		sine = HalfSine(of, j);

	return 2 / (double) of->modulus * exp(-2 * of->variance.low * sine * sine * (1 - 1e-12)) / sine *
		(1 + 1e-12);
}

/* Choose the bulk.  Returns false if the method does not apply. */
static bool
Begin(Inversion *of, const FimMoments *moments, double error, uint32_t k)
{
	double		slack = moments->error * moments->mean * 1.0001;
	double		reach;
	double		last;

	of->mean = (FimInterval) {moments->mean - slack, moments->mean + slack};
	of->variance = (FimInterval) {moments->variance - slack, moments->variance + slack};
	if (!(of->variance.low >= LEAST_VARIANCE))
		return false;
	reach = FAR / 3 + sqrt(FAR * FAR / 9 + 2 * FAR * of->variance.high) + 1;
	of->first = (int64_t) floor(of->mean.low - reach);
	last = ceil(of->mean.high + reach);
	if (k <= of->first || k > last)
		return false;
	of->modulus = (uint64_t) ((int64_t) last - of->first + 1);
	of->length = (uint64_t) ((int64_t) last - k + 1);
	of->n = (double) moments->n;
	of->error = error;
	return true;
}

#define SMALL			1e-6

/* The number of angles to take: up to the first one whose summand is at most SMALL. */
static uint64_t
Angles(const Inversion *of)
{
	uint64_t	j = 1;

	while (j < of->modulus / 2 && Greatest(of, j) > SMALL)
		j++;
	return j;
}

/* A bound of the sum over all angles that are left out. */
static double
Truncated(const Inversion *of, uint64_t angles)
{
	double		sum = 0;
	uint64_t	j = angles + 1;

	for (; j <= of->modulus / 2 && j <= angles + NEXT_ANGLES; j++)
		sum += Greatest(of, j);
	/* the others are at most as large as the first of them */
	if (j <= of->modulus / 2)
		sum += (double) (of->modulus / 2) * Greatest(of, j);
	return sum;
}

/* pi * a * b / modulus, with full turns taken away. */
static double
Angle(const Inversion *of, uint64_t a, uint64_t b)
{
	uint64_t	turn = 2 * of->modulus;

	return PI * (double) (a * (b % turn) % turn) / (double) of->modulus;
}

/* The summand of an angle, given the characteristic function there. */
static double
Summand(const Inversion *of, uint64_t j, uint32_t k, double re, double im)
{
	double		turn = Angle(of, j, 2 * (uint64_t) k + of->length - 1);
	double		sine = sin(Angle(of, j, of->length));

	return 2 / (double) of->modulus * (re * cos(turn) + im * sin(turn)) * sine / HalfSine(of, j);
}

FimInterval
FimInversionBracket(const ProbableSums *sums, const double *p, double error,
					const FimMoments *moments, uint32_t k)
{
	Inversion	of;
	uint64_t	angles;
	double		sum;
	double		off;

	if (!Begin(&of, moments, error, k))
		return (FimInterval) {0, 1};
	angles = Angles(&of);
	sum = (double) of.length / (double) of.modulus;
	/* 1e-12 is more than the roundings of the sum and of the angles */
	off = 2 * exp(-FAR) + Truncated(&of, angles) + 1e-12;
	for (uint64_t j = 1; j <= angles; j += SUMS_ANGLES)
	{
		double		cosine[SUMS_ANGLES];
		double		sine[SUMS_ANGLES];
		double		re[SUMS_ANGLES];
		double		im[SUMS_ANGLES];

		for (int i = 0; i < SUMS_ANGLES; i++)
		{
			double		half = HalfSine(&of, j + i);

			cosine[i] = 2 * half * half;
			sine[i] = sin(Angle(&of, 2, j + i));
		}
		sums->turn(p, (uint32_t) moments->n, cosine, sine, re, im);
		for (int i = 0; i < SUMS_ANGLES && j + i <= angles; i++)
		{
			sum += Summand(&of, j + i, k, re[i], im[i]);
			off += Greatest(&of, j + i) *
				(8 * UNIT_ROUNDOFF * of.n + of.error * of.mean.high * 2 * HalfSine(&of, j + i));
		}
	}
	return ProbabilityWithin(sum - off, sum + off);
}

/*
 * Judging.
 *
 * A verdict is yes, no or open.  To decide is to take a verdict, and to count its rule unless it is
 * open.  To settle takes as many digits as are needed, and leaves nothing open.  To judge is all of these in turn.
 */

/* The probabilities of the itemset at hand, whose factors are in the data. */
typedef struct ItemsetChances
{
	FimChances	chances;		/* must be first */
	const ProbableMiner *m;
} ItemsetChances;

/* The probability of an item in a row. */
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
VerdictByMoments(const ProbableMiner *m, const FimMoments *moments, FimProbableRule *rule, double *low)
{
	*rule = FIM_RULE_EXPECTATION;
	if (m->by_expectation)
		return FimExpectationDecide(m->spec->min_expected, moments);
	return FimBoundsDecide(&m->goal, moments, rule, low);
}

static FimVerdict
Decide(ProbableMiner *m, const FimMoments *moments, Extension *itemset)
{
	FimProbableRule rule;
	FimVerdict	verdict = VerdictByMoments(m, moments, &rule, &itemset->probability);

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

	if (VerdictByMoments(m, &moments, &rule, &low) != FIM_NO)
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

/* Settle by the probabilities at hand. */
static bool
SettleExpectation(ProbableMiner *m, Extension *itemset)
{
	ItemsetChances of = ChancesAtHand(m, itemset->n);
	FimSettled	settled;

	ProbableExpect(m, FimExpectationSettle(&m->workspace, &of.chances, m->spec->min_expected,
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

	ProbableExpect(m, FimTailSettle(&m->workspace, &of.chances, m->spec->minsup, m->spec->minprob,
									m->spec->exact, &settled));
	m->summary->settled[settled.rule]++;
	m->summary->values += m->spec->exact && settled.reaches;
	itemset->probability = settled.value;
	itemset->settled = m->spec->exact;
	return settled.reaches;
}

/* Decide to a few digits, which is enough for most itemsets. */
static FimVerdict
DecideByInversion(ProbableMiner *m, const FimMoments *moments, Extension *itemset)
{
	FimInterval tail = FimInversionBracket(m->sums, m->probabilities, ProductError(ProbableFactors(m)),
										   moments, m->spec->minsup);
	FimVerdict	verdict = VerdictOn(tail, m->spec->minprob);

	ProbableWork(m, 2 * moments->n);
	if (verdict != FIM_OPEN)
		m->summary->settled[FIM_RULE_INVERSION]++;
	itemset->probability = tail.low;
	return verdict;
}

/* Judge by the distribution: to a few digits, and by SettleTail() if these leave it open. */
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

/* The same for an extension of a node.  If columns are lists, only the extension's list is gone through. */
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

/*
 * Values.
 */

/*
 * The probability to write where expected support selects and values are not wanted: a lower bound from the
 * number of rows and the mean.
 */
static double
LowerBound(const ProbableMiner *m, const Extension *itemset)
{
	FimMoments	moments = FirstMoments(itemset, SUMS_ERROR, ProbableFactors(m));

	if (itemset->n < m->spec->minsup)
		return 0;
	return fmax(FimBoundBy(FIM_RULE_HOEFFDING, &moments, m->spec->minsup).low,
				FimBoundBy(FIM_RULE_MEDIAN, &moments, m->spec->minsup).low);
}

static double
ValueOf(ProbableMiner *m, const ProbableNode *node, const Extension *itemset)
{
	FimMoments	moments = FirstMoments(itemset, SUMS_ERROR, ProbableFactors(m));
	ItemsetChances of = ChancesAtHand(m, itemset->n);
	FimSettled	settled;

	if (FimBoundsValue(&moments, m->spec->minsup, &settled.value))
		return settled.value;
	if (node != NULL)
		TakeProbabilities(m, node);
	ProbableExpect(m, FimTailSettle(&m->workspace, &of.chances, m->spec->minsup, NAN, true, &settled));
	m->summary->values++;
	return settled.value;
}

void
EmitItemset(ProbableMiner *m, const ProbableNode *node, const Extension *judged)
{
	ProbableResult result = {judged->probability, judged->mean, judged->n};

	if (!ProbableWants(m))
		return;
	if (m->spec->head.count_only)
	{
		ProbableEmit(m, &result);
		return;
	}
	if (m->spec->exact && !judged->settled)
		result.probability = ValueOf(m, node, judged);
	else if (m->by_expectation && !m->spec->exact)
		result.probability = LowerBound(m, judged);
	/* the itemset was selected, so the nearest double is at least minprob */
	if (!m->by_expectation && result.probability < m->spec->minprob)
		result.probability = m->spec->minprob;
	ProbableEmit(m, &result);
}

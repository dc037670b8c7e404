/*-------------------------------------------------------------------------
 *
 * tail.c
 *	  Tails of supports, P(S >= k), and whole distributions, see tail.h.
 *
 * First a tail is bracketed in double precision: halves of the distribution come from the tree of
 * convolutions, and the side beyond the mean is summed.  Then comes settling, in stages.  Where
 * the bracket leaves a decision or a value open, it goes on in double-double arithmetic and,
 * where that leaves it open, too, exactly.  The distribution as a whole comes last.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>

#include "tail.h"
#include "tree.h"

/* ---- brackets ---- */

/* P(S >= k) if upper, otherwise P(S < k): the side that is beyond the mean. */
typedef struct FimSide
{
	bool		upper;
	FimInterval probability;
} FimSide;

/* The relative error of the tilt's scale and of a few operations with it. */
#define SCALE_ERROR		1e-14

/* More than what is lost to underflow in all operations together. */
#define UNDERFLOW		0x1p-960

/* A sum in two parts, of positive numbers. */
typedef struct Accumulator
{
	double		sum;
	double		rest;
} Accumulator;

static inline void
Accumulate(Accumulator *a, double x)
{
	double		sum = a->sum + x;
	double		from_x = sum - a->sum;

	a->rest += (a->sum - (sum - from_x)) + (x - from_x);
	a->sum = sum;
}

/*
 * weight[i] is the part of E[H] (tree.h) that coefficient i of the left bulk is multiplied by:
 * the sum of right->f[j] * ratio^distance over all j for which the sum i + j is on the side wanted.
 * "beyond" is how far the side's first place is beyond the first places of both bulks.  If
 * the side is the lower one, both bulks are counted from their far ends.
 */
static void
WeighLeft(const Bulk *left, const Bulk *right, int64_t beyond, const Tilt *tilt, double *weight)
{
	int64_t		first = (int64_t) right->n - 1 > beyond ? (int64_t) right->n - 1 : beyond;
	Accumulator sum = {0, 0};

	for (int64_t at = first; at > beyond - (int64_t) left->n; at--)
	{
		double		f = 0;

		if (at >= 0 && at < right->n)
			f = right->f[tilt->upper ? at : (int64_t) right->n - 1 - at];
		if (tilt->ratio < 1)
			sum.sum = sum.sum * tilt->ratio + f;
		else
			Accumulate(&sum, f);
		if (at <= beyond)
			weight[tilt->upper ? beyond - at : (int64_t) left->n - 1 - (beyond - at)] = sum.sum + sum.rest;
	}
}

/* The roundings of WeighLeft(), of the sum over the left bulk, and of dividing by both masses. */
static double
SideRoundings(const Bulk *left, const Bulk *right, const Tilt *tilt)
{
	double		n = (double) left->n + right->n;

	return 3 * (SUM_ROUNDINGS(n) + 4) + 8 + (tilt->ratio < 1 ? 2 * n : 0);
}

/* E[H], see tree.h, and its error. */
static double
SideSum(const Halves *halves, const Tilt *tilt, uint32_t k, double *room, double *error)
{
	const Bulk *left = &halves->left;
	const Bulk *right = &halves->right;
	double		mass = left->mass * right->mass;
	int64_t		beyond = (int64_t) k - (int64_t) (left->offset + right->offset);
	double		sum;
	double		as_it_is;

	if (!tilt->upper)
		beyond = (int64_t) left->n + right->n - 1 - beyond;
	WeighLeft(left, right, beyond, tilt, room);
	sum = CurrentConvolution()->dot(left->f, room, left->n) / mass;

	/* one part in 10^3 allows for products of rounding errors */
	as_it_is = sum * (halves->roundings * UNIT_ROUNDOFF * 1.001 + fabs(mass - 1)) + 2 * halves->dropped;
	*error = Smaller(as_it_is, halves->error) +
		sum * 1.001 * UNIT_ROUNDOFF * SideRoundings(left, right, tilt) + UNDERFLOW;
	return sum;
}

static FimInterval
Scaled(double sum, double error, const WideNumber *scale)
{
	int			exponent = (int) (scale->exponent > INT32_MAX ? INT32_MAX :
								  scale->exponent < INT32_MIN ? INT32_MIN : scale->exponent);
	double		low = Larger(0, sum - error) * scale->high * (1 - SCALE_ERROR);
	double		high = (sum + error) * scale->high * (1 + SCALE_ERROR);

	return ProbabilityWithin(ldexp(low, exponent), ldexp(high, exponent));
}

/* For 1 <= k <= n. */
static FimResult
SideBracket(FimWorkspace *ws, const FimChances *chances, uint32_t k, FimSide *side)
{
	Tilt		tilt;
	Halves		halves;
	double	   *room;
	double		sum;
	double		error;
	FimResult	result;

	if (!TiltChoose(ws, chances->p, chances->n, k, &tilt) ||
		!TiltScale(ws, chances->p, chances->n, k, &tilt))
		return FIM_STOPPED;
	result = TreeHalves(ws, chances->p, chances->n, &tilt, &halves, &room);
	if (result != FIM_DONE)
		return result;
	sum = SideSum(&halves, &tilt, k, room, &error);
	side->upper = tilt.upper;
	side->probability = Scaled(sum, error, &tilt.scale);
	if (chances->error > 0)
	{
		error = PerturbationError(&tilt, chances->error, chances->n, k, side->probability.high);
		side->probability = ProbabilityWithin(side->probability.low - error, side->probability.high + error);
	}
	return FIM_DONE;
}

FimResult
FimTailBracket(FimWorkspace *ws, const FimChances *chances, uint32_t k, FimInterval *tail)
{
	FimSide		side;
	FimResult	result;

	if (k == 0 || k > chances->n)
	{
		*tail = k == 0 ? (FimInterval) {1, 1} : (FimInterval) {0, 0};
		return FIM_DONE;
	}
	result = SideBracket(ws, chances, k, &side);
	if (result == FIM_DONE)
		*tail = side.upper ? side.probability : Complement(side.probability);
	return result;
}

/* ---- settling ---- */

/* Below this, half the distance between neighbouring doubles might not be a double. */
#define LEAST_THRESHOLD		0x1p-900

/* A problem, and what has been found out about it. */
typedef struct Settling
{
	FimWorkspace *ws;
	const FimChances *chances;
	uint32_t	k;
	double		threshold;		/* NaN when there is none, or when it has been decided */
	bool		want_value;		/* false once the value has been found */
	bool		nearest;		/* the value has to be the nearest double */
	FimSettled *settled;
} Settling;

static void
Decide(Settling *s, FimVerdict verdict, FimProbableRule rule)
{
	if (isnan(s->threshold) || verdict == FIM_OPEN)
		return;
	s->settled->reaches = verdict == FIM_YES;
	s->settled->rule = rule;
	s->threshold = NAN;
}

static bool
IsSettled(const Settling *s)
{
	return isnan(s->threshold) && !s->want_value;
}

/*
 * Compare a side of the distribution with a threshold t.  For the lower side L, 1 - L reaches t if
 * L is at most 1 - t plus half the distance from t to the double below it.  That bound is a double
 * for t from 1/2 to 1.
 */
static FimVerdict
CompareSide(const FimSide *side, double threshold)
{
	FimInterval tail = side->upper ? side->probability : Complement(side->probability);
	FimVerdict	verdict = VerdictOn(tail, threshold);

	if (verdict == FIM_OPEN && !side->upper && threshold >= 0.5 && threshold <= 1)
	{
		double		most = (1 - threshold) + (threshold - DoubleBelow(threshold)) / 2;

		if (side->probability.high <= most)
			return FIM_YES;
		if (side->probability.low > most)
			return FIM_NO;
	}
	return verdict;
}

/* First stage: double precision. */
static FimResult
SettleByConvolution(Settling *s)
{
	FimSide		side;
	FimInterval tail;
	FimResult	result = SideBracket(s->ws, s->chances, s->k, &side);

	if (result != FIM_DONE)
		return result;
	Decide(s, CompareSide(&side, s->threshold), FIM_RULE_CONVOLUTION);
	tail = side.upper ? side.probability : Complement(side.probability);
	s->settled->value = tail.low;
	if (!s->nearest && FimTellsValue(tail))
		s->want_value = false;
	return FIM_DONE;
}

/* Is the number at least the middle between the threshold and the double below it? */
static FimVerdict
ComparePrecise(const Precise *x, double threshold)
{
	double		half = (threshold - DoubleBelow(threshold)) / 2;
	DoubleDouble beyond = DdMinus(x->value, DdSum(threshold, -half));
	double		error = x->error + 8 * DD_ULP * (fabs(x->value.high) + fabs(threshold));

	if (threshold < LEAST_THRESHOLD)
		return FIM_OPEN;
	if (beyond.high > error)
		return FIM_YES;
	return beyond.high < -error ? FIM_NO : FIM_OPEN;
}

/* Take the nearest double as the value if it is known, otherwise a lower bound. */
static void
TakePreciseValue(Settling *s, const Precise *x)
{
	double		error = x->error * 1.01 + 4 * DD_ULP * x->value.high;
	double		least = x->value.high + (x->value.low - error);
	double		most = x->value.high + (x->value.low + error);

	if (least == most)
	{
		s->settled->value = least;
		s->want_value = false;
	}
	else
	{
		s->settled->value = Larger(s->settled->value, DoubleBelow(least));
		if (!s->nearest)
			s->want_value = false;
	}
}

/* Last stage: the question that is left open, to be answered with as many digits as it takes. */
static ExactQuestion
QuestionOf(const Settling *s)
{
	return (ExactQuestion) {s->threshold, &s->settled->reaches, s->want_value ? &s->settled->value : NULL};
}

static void
NoteExact(Settling *s)
{
	if (!isnan(s->threshold))
		s->settled->rule = FIM_RULE_EXACT;
}

static FimResult
SettleTail(Settling *s)
{
	FimResult	result = SettleByConvolution(s);
	ExactQuestion question;
	Precise		tail;

	if (result != FIM_DONE || IsSettled(s))
		return result;
	result = PreciseTail(s->ws, s->chances, s->k, &tail);
	if (result != FIM_DONE)
		return result;
	Decide(s, ComparePrecise(&tail, s->threshold), FIM_RULE_DOUBLE_DOUBLE);
	TakePreciseValue(s, &tail);
	if (IsSettled(s))
		return FIM_DONE;
	question = QuestionOf(s);
	NoteExact(s);
	return ExactTail(s->ws, s->chances, s->k, &question);
}

FimResult
FimTailSettle(FimWorkspace *ws, const FimChances *chances, uint32_t k, double threshold, bool want_value,
			  FimSettled *settled)
{
	Settling	s = {ws, chances, k, threshold, want_value,
	chances->n <= FIM_FEW_TRANSACTIONS, settled};

	settled->rule = FIM_RULE_CONVOLUTION;
	settled->value = k == 0;
	settled->reaches = settled->value >= threshold;
	if (k == 0 || k > chances->n)
		return FIM_DONE;
	if (threshold <= 0)
		Decide(&s, FIM_YES, FIM_RULE_CONVOLUTION);
	if (threshold > 1)
		Decide(&s, FIM_NO, FIM_RULE_CONVOLUTION);
	return SettleTail(&s);
}

FimResult
FimExpectationSettle(FimWorkspace *ws, const FimChances *chances, double threshold, FimSettled *settled)
{
	Settling	s = {ws, chances, 0, threshold, true, true, settled};
	Precise		mean;
	ExactQuestion question;
	FimResult	result = PreciseMean(ws, chances, &mean);

	if (result != FIM_DONE)
		return result;
	settled->rule = FIM_RULE_DOUBLE_DOUBLE;
	settled->value = 0;
	settled->reaches = false;
	if (threshold <= 0)
		Decide(&s, FIM_YES, FIM_RULE_DOUBLE_DOUBLE);
	if (threshold > chances->n)
		Decide(&s, FIM_NO, FIM_RULE_DOUBLE_DOUBLE);
	Decide(&s, ComparePrecise(&mean, threshold), FIM_RULE_DOUBLE_DOUBLE);
	TakePreciseValue(&s, &mean);
	if (IsSettled(&s))
		return FIM_DONE;
	question = QuestionOf(&s);
	NoteExact(&s);
	return ExactMean(ws, chances, &question);
}

/* ---- the distribution as a whole: the convolution of both halves' bulks ---- */

/* The most that is cut off at each end. */
#define TRIM			1e-20

/* One part in 10^3 allows for products of rounding errors. */
#define SLACK			1.001

/* Divide by the mass, which would be 1 without errors, and return the largest value. */
static double
Normalize(double *p, uint32_t n, double mass)
{
	double		largest = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		p[i] /= mass;
		largest = Larger(largest, p[i]);
	}
	return largest;
}

static void
CutEnds(FimDistribution *distribution)
{
	double		low = 0;
	double		high = 0;

	while (distribution->count > 1 && low + distribution->p[0] <= TRIM)
	{
		low += *distribution->p++;
		distribution->first++;
		distribution->count--;
	}
	while (distribution->count > 1 && high + distribution->p[distribution->count - 1] <= TRIM)
		high += distribution->p[--distribution->count];
	distribution->error += low + high;
}

/*
 * The error of any P(S = s) that errors of the chances cause.  Its derivative by log p[i] is
 * p[i] times the difference of two values of the distribution of the other variables, whose
 * variance is at most 1/4 less than that of all.  So the derivatives add up to at most the mean
 * times the largest value of such a distribution.  Errors of 1 % in sum change these bounds by
 * less than 3 %.  The errors of factors that underflow are negligible beside the roundings of
 * the largest value, which is one of n + 1 that add up to 1.
 */
static double
ErrorOfChances(const FimChances *chances, double mean, double variance)
{
	if (chances->error == 0)
		return 0;
	if (chances->n * chances->error > MOST_PERTURBED)
		return 1;
	return 1.05 * chances->error * mean * SmoothnessOf(variance, 0.25, 1, chances->n).first;
}

/*
 * The error of any value that computing it causes: that of all roundings so far, or, as a value
 * is the difference of two tails, twice halves->error, whichever is smaller.  The roundings of
 * convolving the halves and of their masses come on top.
 */
static double
ErrorOf(const Halves *halves, double mass, double largest, uint32_t n, uint32_t count)
{
	double		rounding = largest * UNIT_ROUNDOFF * SLACK;
	double		own = rounding * (2 * CONVOLUTION_ROUNDINGS(n) + 3 * (count / 32.0 + 28));

	return own + Smaller(rounding * halves->roundings + largest * fabs(mass - 1) + 2 * halves->dropped,
						 2 * halves->error);
}

FimResult
FimDistributionOf(FimWorkspace *ws, const FimChances *chances, FimDistribution *distribution)
{
	Tilt		tilt;
	Halves		halves;
	const Bulk *a;
	const Bulk *b;
	double	   *room;
	double		mean;
	double		mass;
	double		largest;
	FimResult	result;

	if (!TiltNone(ws, chances->p, chances->n, &tilt, &mean))
		return FIM_STOPPED;
	result = TreeHalves(ws, chances->p, chances->n, &tilt, &halves, &room);
	if (result != FIM_DONE)
		return result;
	a = halves.left.n < halves.right.n ? &halves.left : &halves.right;
	b = a == &halves.left ? &halves.right : &halves.left;
	if (!BulksConvolve(ws, a, b, room))
		return FIM_STOPPED;
	distribution->first = a->offset + b->offset;
	distribution->count = a->n + b->n - 1;
	distribution->p = room;
	mass = a->mass * b->mass;
	largest = Normalize(room, distribution->count, mass);
	distribution->error = ErrorOf(&halves, mass, largest, a->n, distribution->count) +
		ErrorOfChances(chances, mean, tilt.variance);
	CutEnds(distribution);
	return FIM_DONE;
}

/*-------------------------------------------------------------------------
 *
 * bounds.c
 *	  Whether an itemset is wanted, by bounds that take no convolution.
 *
 *-------------------------------------------------------------------------
 */
#include "bounds.h"

#include "binomial.h"
#include "tail.h"

/* More than a product that underflows can be off by, see moments.h. */
#define UNDERFLOW		0x1p-1040

/* The relative error of numbers that are computed in a few operations. */
#define FEW_ROUNDINGS	(16 * UNIT_ROUNDOFF)

/* Below any variance that matters, and above any whose inverse overflows. */
#define LEAST_VARIANCE	1e-280

/* Shevtsova's constant, for summands of different distributions. */
#define BERRY_ESSEEN	0.56

/* If the exponent of Bernstein's bound is at least this, Chernoff's bound may tell a value. */
#define WORTH_EXPONENT	12

static const FimInterval anything = {0, 1};

/* Bounds of the true moments. */
typedef struct Known
{
	double		n;
	FimInterval mean;
	double		widest;			/* upper bound of mean (1 - mean / n) */
	FimInterval variance;
	double		third;			/* upper bound */
	double		squares;		/* upper bound */
} Known;

static inline FimInterval
Around(double value, double slack)
{
	return (FimInterval) {Larger(0, value - slack), value + slack};
}

/* The variance is at most mean (1 - mean / n), which it is where all p are equal. */
static Known
KnownFrom(const FimMoments *moments)
{
	double		n = (double) moments->n;
	double		slack = (moments->error + FEW_ROUNDINGS) * moments->mean + n * UNDERFLOW;
	Known		known;

	known.n = n;
	known.mean = Around(moments->mean, slack);
	known.mean.high = Smaller(n, known.mean.high);
	known.widest = Smaller(n / 4, known.mean.high * (1 - known.mean.low / n + FEW_ROUNDINGS));
	known.variance = (FimInterval) {0, known.widest};
	known.third = known.squares = INFINITY;
	if (!isnan(moments->variance))
	{
		known.variance = Around(moments->variance, slack);
		known.variance.high = Smaller(known.widest, known.variance.high);
		known.third = moments->third + slack;
		known.squares = moments->squares + slack;
	}
	return known;
}

/*
 * The median is within 1 of the mean: P(S >= floor(mean)) is at least 1/2.  For k >= mean + 1,
 * P(S >= k) is at most P(B >= k), where B is binomial of mean m = k - 1.  P(B <= m) is at
 * least 1/2 plus a third of P(B = m), which is above 0.7 / sqrt(n).  The code takes
 * 0.6 / sqrt(n), which leaves room for roundings.
 */
static FimInterval
MedianBound(const Known *known, double k)
{
	if (k <= floor(known->mean.low))
		return (FimInterval) {0.5, 1};
	if (k - 1 >= known->mean.high)
		return (FimInterval) {0, 0.5 - 0.2 / sqrt(known->n)};
	return anything;
}

static FimInterval
HoeffdingBound(const Known *known, double k)
{
	if (k <= known->mean.low)
		return (FimInterval) {FimBinomialTail(known->n, known->mean.low, k).low, 1};
	if (k - 1 >= known->mean.high)
		return (FimInterval) {0, FimBinomialTail(known->n, known->mean.high, k).high};
	return anything;
}

/* Bounds of P(Z >= distance / deviation), for any deviation in the interval. */
static double
LargestNormalTail(double distance, FimInterval deviation)
{
	return FimNormalTail(distance / (distance > 0 ? deviation.high : deviation.low) *
						 (1 - copysign(FEW_ROUNDINGS, distance))).high;
}

static double
LeastNormalTail(double distance, FimInterval deviation)
{
	return FimNormalTail(distance / (distance > 0 ? deviation.low : deviation.high) *
						 (1 + copysign(FEW_ROUNDINGS, distance))).low;
}

/*
 * The distribution function of S is constant from k - 1 up to, but not including, k, and
 * nowhere farther from that of the normal distribution than "off".
 */
static FimInterval
BerryEsseenBound(const Known *known, double k)
{
	FimInterval deviation = {sqrt(known->variance.low), sqrt(known->variance.high)};
	double		off = BERRY_ESSEEN * known->third / (known->variance.low * deviation.low) *
		(1 + FEW_ROUNDINGS);

	if (!(off < 1))
		return anything;
	return ProbabilityWithin(LeastNormalTail(k - 1 - known->mean.low, deviation) - off,
							 LargestNormalTail(k - known->mean.high, deviation) + off);
}

/* Bernstein: S is above its mean by d or more with probability at most exp(-this); the same holds below. */
static double
BernsteinExponent(const Known *known, double d)
{
	return d * d / (2 * (known->variance.high + d / 3)) * (1 - FEW_ROUNDINGS);
}

/* Bennett: the same, with an exponent that is at least as large. */
static double
BennettExponent(const Known *known, double d)
{
	double		variance = Larger(known->variance.high, LEAST_VARIANCE);
	double		u = d / variance;
	double		grown = (variance + d) * log1p(u);

	return grown - d - 2 * FEW_ROUNDINGS * (grown + d);
}

/* How far k is above the mean, and how far k - 1 is below it; not positive if it may not be. */
static double
DistanceAbove(const Known *known, double k)
{
	return (k - known->mean.high) * (1 - FEW_ROUNDINGS);
}

static double
DistanceBelow(const Known *known, double k)
{
	return (known->mean.low - (k - 1)) * (1 - FEW_ROUNDINGS);
}

/* An upper bound of exp(-exponent). */
static double
ExpOfMinus(double exponent)
{
	return Smaller(1, exp(-exponent) * (1 + FEW_ROUNDINGS + FEW_ROUNDINGS * exponent) + DBL_MIN);
}

/* An upper bound of P(S < k), where k - 1 is below the mean by at least "below". */
static double
ChernoffBelow(const Known *known, double k, double below)
{
	return ExpOfMinus(Larger(FimBinomialDivergence(known->n, known->mean.low, k - 1),
							 BennettExponent(known, below)));
}

static FimInterval
ChernoffBound(const Known *known, double k)
{
	double		above = DistanceAbove(known, k);
	double		below = DistanceBelow(known, k);

	if (above > 0)
		return ProbabilityWithin(0, ExpOfMinus(Larger(FimBinomialDivergence(known->n, known->mean.high, k),
													BennettExponent(known, above))));
	if (below > 0)
		return ProbabilityWithin(1 - ChernoffBelow(known, k, below), 1);
	return anything;
}

/*
 * For probabilities that are almost equal: Ehm's theorem.  Its quotient is the difference
 * between the variance of the binomial distribution and that of S, relative to the former.
 */
static FimInterval
BinomialBound(const Known *known, double k)
{
	double		lacking = known->widest - known->variance.low;
	double		least = known->mean.low * (1 - known->mean.high / known->n - FEW_ROUNDINGS);
	double		off = lacking / least * (1 + FEW_ROUNDINGS);

	if (!(least > 0 && off < 1))
		return anything;
	return ProbabilityWithin(FimBinomialTail(known->n, known->mean.low, k).low - off,
							 FimBinomialTail(known->n, known->mean.high, k).high + off);
}

/* Le Cam's error in the form of Barbour and Hall. */
static FimInterval
PoissonBound(const Known *known, double k)
{
	double		off = known->squares / Larger(known->mean.low, 1) * (1 + FEW_ROUNDINGS);

	if (!(off < 1) || known->mean.low <= 0)
		return anything;
	return ProbabilityWithin(FimPoissonTail(known->mean.low, k).low - off,
							 FimPoissonTail(known->mean.high, k).high + off);
}

/* From cheap to expensive.  The median rule, which matters near 1/2 only, has been tried before. */
static const struct
{
	FimProbableRule rule;
	FimInterval (*bound) (const Known *known, double k);
}			bounds[] = {
	{FIM_RULE_BERRY_ESSEEN, BerryEsseenBound},
	{FIM_RULE_CHERNOFF, ChernoffBound},
	{FIM_RULE_HOEFFDING, HoeffdingBound},
	{FIM_RULE_BINOMIAL, BinomialBound},
	{FIM_RULE_POISSON, PoissonBound}
};

void
FimGoalInit(FimGoal *goal, uint32_t minsup, double minprob)
{
	goal->minsup = minsup;
	goal->minprob = minprob;
	goal->missed = DoubleBelow(minprob);
	goal->no_exponent = goal->missed > 0 ? -log(goal->missed) * (1 + FEW_ROUNDINGS) + DBL_MIN : INFINITY;
	goal->yes_exponent = minprob < 1 ? -log1p(-minprob) * (1 + FEW_ROUNDINGS) + DBL_MIN : INFINITY;
}

static FimVerdict
VerdictOf(const FimGoal *goal, FimInterval tail)
{
	if (tail.low >= goal->minprob)
		return FIM_YES;
	return tail.high <= goal->missed ? FIM_NO : FIM_OPEN;
}

/* Most itemsets are so far from the threshold that Bernstein's bound, which takes no logarithm, decides. */
static FimVerdict
DecideFar(const FimGoal *goal, const Known *known, double *low)
{
	double		above = DistanceAbove(known, goal->minsup);
	double		below = DistanceBelow(known, goal->minsup);

	*low = 0;
	if (above > 0 && BernsteinExponent(known, above) >= goal->no_exponent)
		return FIM_NO;
	if (below > 0 && BernsteinExponent(known, below) >= goal->yes_exponent)
	{
		*low = Larger(goal->minprob, DoubleBelow(1 - ExpOfMinus(BernsteinExponent(known, below))));
		return FIM_YES;
	}
	return FIM_OPEN;
}

FimVerdict
FimBoundsDecide(const FimGoal *goal, const FimMoments *moments, FimProbableRule *rule, double *low)
{
	Known		known;
	FimInterval tail;
	FimVerdict	verdict;

	*rule = FIM_RULE_COUNT;
	*low = 0;
	if (moments->n < goal->minsup)
		return goal->minprob > 0 ? FIM_NO : FIM_YES;
	known = KnownFrom(moments);

	*rule = FIM_RULE_MEDIAN;
	tail = MedianBound(&known, goal->minsup);
	*low = tail.low;
	if ((verdict = VerdictOf(goal, tail)) != FIM_OPEN)
		return verdict;

	*rule = FIM_RULE_CHERNOFF;
	if ((verdict = DecideFar(goal, &known, low)) != FIM_OPEN)
		return verdict;

	for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++)
	{
		*rule = bounds[i].rule;
		tail = bounds[i].bound(&known, goal->minsup);
		*low = tail.low;
		if ((verdict = VerdictOf(goal, tail)) != FIM_OPEN)
			return verdict;
	}
	return FIM_OPEN;
}

/* Bernstein's bound, which takes no logarithm, is close enough to Chernoff's to tell whether to try that. */
bool
FimBoundsValue(const FimMoments *moments, uint32_t minsup, double *value)
{
	Known		known = KnownFrom(moments);
	double		below = DistanceBelow(&known, minsup);
	double		missing;

	if (moments->n < minsup || below <= 0 || BernsteinExponent(&known, below) < WORTH_EXPONENT)
		return false;
	missing = ChernoffBelow(&known, minsup, below);
	/* then 1 is nearer than the double below it */
	if (missing <= UNIT_ROUNDOFF / 2)
		*value = 1;
	else if (missing <= FIM_VALUE_ERROR - 4 * UNIT_ROUNDOFF && moments->n > FIM_FEW_TRANSACTIONS)
		*value = DoubleBelow(1 - missing);
	else
		return false;
	return true;
}

FimVerdict
FimExpectationDecide(double threshold, const FimMoments *moments)
{
	Known		known = KnownFrom(moments);

	return VerdictOn(known.mean, threshold);
}

FimInterval
FimMedianBound(const FimMoments *moments, uint32_t k)
{
	Known		known = KnownFrom(moments);

	return MedianBound(&known, k);
}

FimInterval
FimHoeffdingBound(const FimMoments *moments, uint32_t k)
{
	Known		known = KnownFrom(moments);

	return HoeffdingBound(&known, k);
}

FimInterval
FimBerryEsseenBound(const FimMoments *moments, uint32_t k)
{
	Known		known = KnownFrom(moments);

	return BerryEsseenBound(&known, k);
}

FimInterval
FimChernoffBound(const FimMoments *moments, uint32_t k)
{
	Known		known = KnownFrom(moments);

	return ChernoffBound(&known, k);
}

FimInterval
FimBinomialBound(const FimMoments *moments, uint32_t k)
{
	Known		known = KnownFrom(moments);

	return BinomialBound(&known, k);
}

FimInterval
FimPoissonBound(const FimMoments *moments, uint32_t k)
{
	Known		known = KnownFrom(moments);

	return PoissonBound(&known, k);
}

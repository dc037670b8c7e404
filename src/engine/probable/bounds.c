/*-------------------------------------------------------------------------
 *
 * bounds.c
 *	  Whether an itemset is wanted, by bounds that take no convolution, see tail.h.
 *
 * First the moments of an itemset's probabilities are summed.  Then come the tails of three
 * known distributions, with which most bounds compare that of support; then the bounds; and
 * at last what is decided by them.
 *
 *-------------------------------------------------------------------------
 */
#include <stdint.h>
#include <string.h>

#include "engine/stirling.h"
#include "tail.h"

/* ---- moments ---- */

#define LANES	8
#define ROUNDS	64				/* values that a lane adds up before its sum goes to the total */

typedef struct LaneSums
{
	double		mean[LANES];
	double		variance[LANES];
	double		third[LANES];
} LaneSums;

static inline void
AddValue(LaneSums *sums, int lane, double p)
{
	double		variance = p * (1 - p);

	sums->mean[lane] += p;
	sums->variance[lane] += variance;
	sums->third[lane] += variance * (1 - 2 * variance);
}

static double
SumOfLanes(const double *lane)
{
	double		sum = 0;

	for (int i = 0; i < LANES; i++)
		sum += lane[i];
	return sum;
}

/* Add the sums over n values, at most LANES * ROUNDS, to the moments. */
static void
AddBlock(FimMoments *moments, const double *p, uint64_t n)
{
	LaneSums	sums;
	uint64_t	i = 0;

	memset(&sums, 0, sizeof(sums));
	for (; i + LANES <= n; i += LANES)
		for (int lane = 0; lane < LANES; lane++)
			AddValue(&sums, lane, p[i + (uint64_t) lane]);
	for (; i < n; i++)
		AddValue(&sums, (int) (i % LANES), p[i]);
	moments->mean += SumOfLanes(sums.mean);
	moments->variance += SumOfLanes(sums.variance);
	moments->third += SumOfLanes(sums.third);
}

/*
 * Computing a term takes at most five roundings; then it goes through ROUNDS + LANES
 * additions and those of the blocks.  All terms are positive and at most p.  An error of
 * e * p in p causes one of at most e * p in p (1 - p) and in the third moment, since their
 * derivatives are within -1 and 1.  The sum of squares is the mean less the variance, so it
 * has the errors of both.
 */
void
FimMomentsOf(const double *p, uint64_t n, double error, FimMoments *moments)
{
	const uint64_t block = LANES * ROUNDS;
	double		additions = ROUNDS + LANES + (double) (n / block);

	memset(moments, 0, sizeof(*moments));
	moments->n = n;
	for (uint64_t i = 0; i < n; i += block)
		AddBlock(moments, p + i, n - i < block ? n - i : block);
	moments->squares = moments->mean - moments->variance;
	moments->error = 2.001 * (error + (additions + 8) * UNIT_ROUNDOFF);
}

/* ---- tails of the binomial, the Poisson and the normal distribution ---- */

/*
 * A tail is its largest term times a series of positive terms that fall at least as
 * fast as a geometric one, whose rest is known.  The term is computed by way of the
 * deviance and Stirling's formula (C. Loader, Fast and accurate computation of binomial
 * probabilities, 2000), which keeps large logarithms from being subtracted.
 *
 * log1p, log, exp and erfc of the C library are taken to be right to LIBM_ERROR, which
 * is several times what the manuals of the libraries in use give.
 */

#define LIBM_ERROR		(16 * UNIT_ROUNDOFF)	/* relative */

/* The series ends when its rest is below this part of the sum. */
#define SERIES_REST		(1.0 / (1 << 20))
#define SERIES_STEPS	16		/* terms between two looks at the rest */

#define STIRLING_ERROR	1e-15	/* absolute, of FimStirlingError() */

/* A number with a bound of its absolute error. */
typedef struct Approximate
{
	double		value;
	double		error;
} Approximate;

/* k log(k / mean), given d = k - mean; k > 0. */
static double
DevianceTerm(double k, double d, double mean)
{
	return k * log1p(d / mean);
}

/*
 * A binomial distribution and a place k.  Mean and rest are the expected numbers of
 * successes and of failures, and d is k - mean.  They are passed separately so that each
 * is right to a few ulps.
 */
typedef struct BinomialPlace
{
	double		n;
	double		mean;
	double		rest;
	double		k;
	double		d;
} BinomialPlace;

/*
 * k log(k / mean) + (n - k) log((n - k) / rest).  The two terms almost cancel: one is close
 * to d, the other to -d.  Errors of a few ulps in d, in the quotients and in log1p cause an
 * error of as many ulps of d and of the terms.
 */
static Approximate
BinomialDeviance(const BinomialPlace *at)
{
	double		left = at->k > 0 ? DevianceTerm(at->k, at->d, at->mean) : 0;
	double		right = at->k < at->n ? DevianceTerm(at->n - at->k, -at->d, at->rest) : 0;
	double		scale = fabs(at->d) + fabs(left) + fabs(right);

	return (Approximate) {left + right, (LIBM_ERROR + 8 * UNIT_ROUNDOFF) * scale};
}

/* k log(k / mean) - (k - mean). */
static Approximate
PoissonDeviance(double mean, double k)
{
	double		d = k - mean;
	double		left = k > 0 ? DevianceTerm(k, d, mean) : 0;

	return (Approximate) {left - d, (LIBM_ERROR + 8 * UNIT_ROUNDOFF) * (fabs(d) + fabs(left))};
}

/*
 * A lower bound of n times the Kullback-Leibler divergence of Bernoulli variables with
 * means k / n and mean / n, for k and mean from 0 to n.
 */
static double
BinomialDivergence(double n, double mean, double k)
{
	BinomialPlace at = {n, mean, n - mean, k, k - mean};
	Approximate deviance;

	if (mean <= 0 || mean >= n)
		return mean == k ? 0 : INFINITY;
	deviance = BinomialDeviance(&at);
	return deviance.value - deviance.error;
}

/* P(X = k), for 0 < mean < n. */
static Approximate
BinomialTerm(const BinomialPlace *at)
{
	Approximate deviance = BinomialDeviance(at);
	double		value = exp(-deviance.value);
	double		failures = at->n - at->k;
	double		error = deviance.error + LIBM_ERROR;

	if (at->k > 0 && failures > 0)
	{
		value *= sqrt(at->n / (2 * M_PI * at->k * failures)) *
			exp(FimStirlingError(at->n) - FimStirlingError(at->k) - FimStirlingError(failures));
		error += 3 * STIRLING_ERROR + 2 * LIBM_ERROR;
	}
	return (Approximate) {value, 1.01 * error * value};
}

static Approximate
PoissonTerm(double mean, double k)
{
	Approximate deviance = PoissonDeviance(mean, k);
	double		value = exp(-deviance.value);
	double		error = deviance.error + LIBM_ERROR;

	if (k > 0)
	{
		value *= exp(-FimStirlingError(k)) / sqrt(2 * M_PI * k);
		error += STIRLING_ERROR + 2 * LIBM_ERROR;
	}
	return (Approximate) {value, 1.01 * error * value};
}

/* Quotients of neighbouring terms, top / bottom * scale.  After each, top and bottom change by their steps. */
typedef struct Quotients
{
	double		top;
	double		top_step;
	double		bottom;
	double		bottom_step;
	double		scale;
} Quotients;

/*
 * The sum of 1 + r + r s + ... for falling quotients r, s, ... below 1; a quotient of 0 ends
 * it.  The rest after a term is at most that of a geometric series.
 */
static FimInterval
SumSeries(Quotients q)
{
	double		term = 1;
	double		sum = 1;
	double		terms = 1;
	double		rest;
	double		margin;

	do
	{
		double		next;

		for (int i = 0; i < SERIES_STEPS && q.top > 0; i++)
		{
			term *= q.top / q.bottom * q.scale;
			sum += term;
			q.top += q.top_step;
			q.bottom += q.bottom_step;
		}
		terms += SERIES_STEPS;
		next = q.top > 0 ? q.top / q.bottom * q.scale * (1 + 4 * UNIT_ROUNDOFF) : 0;
		rest = next < 1 ? term * next / (1 - next) : INFINITY;
	} while (rest > sum * SERIES_REST);
	margin = (5 * terms + 8) * UNIT_ROUNDOFF;
	return (FimInterval) {sum * (1 - margin), (sum + rest) * (1 + margin)};
}

/* The product of term and series, outward.  DBL_MIN allows for underflow, whose error is not relative. */
static FimInterval
TailOf(Approximate term, FimInterval series)
{
	return ProbabilityWithin((term.value - term.error) * series.low * (1 - 4 * UNIT_ROUNDOFF) - DBL_MIN,
							 (term.value + term.error) * series.high * (1 + 4 * UNIT_ROUNDOFF) + DBL_MIN);
}

/* P(X >= k) for k > mean. */
static FimInterval
BinomialUpperTail(const BinomialPlace *at)
{
	Quotients	q = {at->n - at->k, -1, at->k + 1, 1, at->mean / at->rest};

	return TailOf(BinomialTerm(at), SumSeries(q));
}

FimInterval
FimBinomialTail(double n, double mean, double k)
{
	BinomialPlace above = {n, mean, n - mean, k, k - mean};
	BinomialPlace below = {n, n - mean, mean, n - k + 1, mean - (k - 1)};

	if (k <= 0)
		return (FimInterval) {1, 1};
	if (k > n || mean <= 0)
		return (FimInterval) {0, 0};
	if (mean >= n)
		return (FimInterval) {1, 1};
	return k > mean ? BinomialUpperTail(&above) : Complement(BinomialUpperTail(&below));
}

/* P(X <= k) for k < mean, and P(X >= k) for k > mean. */
static FimInterval
PoissonLowerTail(double mean, double k)
{
	return TailOf(PoissonTerm(mean, k), SumSeries((Quotients) {k, -1, mean, 0, 1}));
}

static FimInterval
PoissonUpperTail(double mean, double k)
{
	return TailOf(PoissonTerm(mean, k), SumSeries((Quotients) {mean, 0, k + 1, 1, 1}));
}

FimInterval
FimPoissonTail(double mean, double k)
{
	if (k <= 0)
		return (FimInterval) {1, 1};
	return k > mean ? PoissonUpperTail(mean, k) : Complement(PoissonLowerTail(mean, k - 1));
}

FimInterval
FimNormalTail(double x)
{
	double		tail = 0.5 * erfc(x * M_SQRT1_2);

	/* an error of a few ulps in x changes the tail by at most 0.25 ulps */
	return ProbabilityWithin(tail - LIBM_ERROR, tail + LIBM_ERROR);
}

/* ---- bounds ---- */

/* More than a product that underflows can be off by. */
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
	return ExpOfMinus(Larger(BinomialDivergence(known->n, known->mean.low, k - 1),
							 BennettExponent(known, below)));
}

static FimInterval
ChernoffBound(const Known *known, double k)
{
	double		above = DistanceAbove(known, k);
	double		below = DistanceBelow(known, k);

	if (above > 0)
		return ProbabilityWithin(0, ExpOfMinus(Larger(BinomialDivergence(known->n, known->mean.high, k),
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

/* ---- decisions ---- */

static FimInterval (*const bounds[FIM_RULES]) (const Known *known, double k) = {
	[FIM_RULE_MEDIAN] = MedianBound,
	[FIM_RULE_HOEFFDING] = HoeffdingBound,
	[FIM_RULE_BERRY_ESSEEN] = BerryEsseenBound,
	[FIM_RULE_CHERNOFF] = ChernoffBound,
	[FIM_RULE_BINOMIAL] = BinomialBound,
	[FIM_RULE_POISSON] = PoissonBound
};

/* From cheap to expensive.  The median rule, which matters near 1/2 only, has been tried before. */
static const FimProbableRule tried[] = {
	FIM_RULE_BERRY_ESSEEN, FIM_RULE_CHERNOFF, FIM_RULE_HOEFFDING, FIM_RULE_BINOMIAL, FIM_RULE_POISSON
};

FimInterval
FimBoundBy(FimProbableRule rule, const FimMoments *moments, uint32_t k)
{
	Known		known = KnownFrom(moments);

	return bounds[rule] (&known, k);
}

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
VerdictOnTail(const FimGoal *goal, FimInterval tail)
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
		return FIM_NO;
	known = KnownFrom(moments);

	*rule = FIM_RULE_MEDIAN;
	tail = MedianBound(&known, goal->minsup);
	*low = tail.low;
	if ((verdict = VerdictOnTail(goal, tail)) != FIM_OPEN)
		return verdict;

	*rule = FIM_RULE_CHERNOFF;
	if ((verdict = DecideFar(goal, &known, low)) != FIM_OPEN)
		return verdict;

	for (size_t i = 0; i < sizeof(tried) / sizeof(tried[0]); i++)
	{
		*rule = tried[i];
		tail = bounds[*rule] (&known, goal->minsup);
		*low = tail.low;
		if ((verdict = VerdictOnTail(goal, tail)) != FIM_OPEN)
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

/*-------------------------------------------------------------------------
 *
 * tail.h
 *	  Tails of supports, P(S >= k), with errors that are certified: bounds, intervals, decisions and
 *	  values, and the distribution as a whole.
 *
 * doc/probable_numbers.md describes the method and proves its error bounds.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PROBABLE_TAIL_H
#define FIM_PROBABLE_TAIL_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"
#include "probable.h"

/*
 * workspace.c: Memory that computations of tails use one after the other, and their polls.
 */

/* One for each worker.  It grows to what the longest list of probabilities takes. */
typedef struct FimWorkspace
{
	FimHost    *host;
	void	   *block;			/* as the host gave it */
	size_t		size;
	uint64_t	work;			/* multiplications since the last poll */
} FimWorkspace;

extern void FimWorkspaceInit(FimWorkspace *ws, FimHost *host);
extern void FimWorkspaceFree(FimWorkspace *ws);

/*
 * Reserve a block of memory, aligned to 64 bytes.  The block reserved before is lost.  Returns
 * NULL if there is not enough memory.
 */
extern void *WorkspaceReserve(FimWorkspace *ws, size_t bytes);

/* To be called before this much work is done: polls after each WORK_PER_POLL.  Does the host want to stop? */
#define WORK_PER_POLL	(UINT64_C(1) << 23)

static inline bool
WorkspaceStops(FimWorkspace *ws, uint64_t work)
{
	if ((ws->work += work) < WORK_PER_POLL)
		return false;
	ws->work = 0;
	return ws->host->poll(ws->host);
}

/*
 * The probabilities that transactions hold an itemset.
 */

/*
 * Under tuple uncertainty these are doubles, which are exact.  Under attribute uncertainty
 * each is a product of as many factors as the itemset has items: p holds the rounded
 * products, and the factors are fetched only by the more exact computations, which need
 * them.  A caller whose factors() needs data of its own puts this struct at the beginning
 * of its own one.
 */
typedef struct FimChances
{
	uint32_t	n;
	const double *p;			/* [n], from 0 to 1 */

	/*
	 * The largest relative error of any p[i], which may be off by nfactors * 2^-1074 more
	 * where products underflow.  0 if there is one factor.
	 */
	double		error;

	/* The nfactors factors of transaction i; NULL if p is exact. */
	uint32_t	nfactors;
	void		(*factors) (const struct FimChances *chances, uint32_t i, double *factor);
} FimChances;

/* The error of a product that was rounded after each factor but the first. */
static inline double
FimProductError(uint32_t nfactors)
{
	return (nfactors - 1) * 0x1.02p-53;
}

/*
 * Intervals that are proven to hold a number.
 *
 * "double" must be what IEEE 754 calls binary64, and each operation on it rounded to
 * that: error bounds and arithmetic on pairs of doubles rest on it.
 */

#if FLT_EVAL_METHOD != 0 || DBL_MANT_DIG != 53
#error "operations on double must be rounded to double; on i386, compile with -msse2 -mfpmath=sse"
#endif

/* The largest relative error of an operation whose result is not subnormal. */
#define UNIT_ROUNDOFF	(DBL_EPSILON / 2)

typedef struct FimInterval
{
	double		low;
	double		high;
} FimInterval;

/* Cheaper than fmin() and fmax(), which treat NaN separately. */
static inline double
Smaller(double a, double b)
{
	return a < b ? a : b;
}

static inline double
Larger(double a, double b)
{
	return a > b ? a : b;
}

/* The doubles beside x. */
static inline double
DoubleBelow(double x)
{
	return nextafter(x, -INFINITY);
}

static inline double
DoubleAbove(double x)
{
	return nextafter(x, INFINITY);
}

/* The interval of a probability between two numbers, each of which was rounded once. */
static inline FimInterval
ProbabilityWithin(double low, double high)
{
	low = DoubleBelow(low);
	high = DoubleAbove(high);
	return (FimInterval) {low > 0 ? low : 0, high < 1 ? high : 1};
}

/* The interval of 1 - p. */
static inline FimInterval
Complement(FimInterval p)
{
	return (FimInterval) {p.high > 0 ? ProbabilityWithin(1 - p.high, 1).low : 1,
		p.low < 1 ? ProbabilityWithin(0, 1 - p.low).high : 0};
}

/* Whether a number reaches a threshold, or has another property. */
typedef enum FimVerdict
{
	FIM_NO,
	FIM_YES,
	FIM_OPEN					/* cannot be told */
} FimVerdict;

/*
 * A number reaches a threshold if its nearest double is not below the threshold; the middle
 * of two doubles is rounded upward.  From an interval of doubles no more can be told than
 * what this returns.
 */
static inline FimVerdict
VerdictOn(FimInterval x, double threshold)
{
	if (x.low >= threshold)
		return FIM_YES;
	return x.high <= DoubleBelow(threshold) ? FIM_NO : FIM_OPEN;
}

/*
 * bounds.c: Whether an itemset is wanted, by bounds that take no convolution.
 *
 * The support S of an itemset is a sum of independent Bernoulli variables.  Each bound
 * here is an interval that holds P(S >= k), proven from the moments of S and rounded
 * outward, so that what it decides is decided:
 *
 * 	median			K. Jogdeo, S. M. Samuels, Ann. Math. Statist. 39 (1968), 1191
 * 	Hoeffding		W. Hoeffding, Ann. Math. Statist. 27 (1956), theorem 4
 * 	Berry-Esseen	I. Shevtsova, Dokl. Math. 82 (2010), 862: constant 0.5600
 * 	Chernoff		W. Hoeffding, JASA 58 (1963), theorem 1; G. Bennett, JASA 57 (1962)
 * 	Poisson			A. D. Barbour, P. Hall, Math. Proc. Camb. Phil. Soc. 95 (1984), after Le Cam
 *
 * doc/probable_numbers.md says how they follow.
 */

/*
 * Sums over an itemset's probabilities, from which bounds are computed.
 */

/*
 * Of n transactions in which an itemset has the probabilities p > 0.  All sums but the
 * first two are unknown if variance is NaN.
 */
typedef struct FimMoments
{
	uint64_t	n;
	double		mean;			/* sum of p: the expected support */
	double		variance;		/* sum of p (1 - p): the variance of the support */
	double		third;			/* sum of p (1 - p) (1 - 2 p (1 - p)), the third absolute
								 * central moment of a transaction */
	double		squares;		/* sum of p^2 */
	double		error;			/* each sum is off by at most error * mean */
} FimMoments;

/*
 * The moments of p[n], each of which is off by at most error * p[i].  A product of f
 * factors that underflows may be off by f * 2^-1074 more; the readers of moments allow
 * for that.
 */
extern void FimMomentsOf(const double *p, uint64_t n, double error, FimMoments *moments);

/*
 * Tails of the binomial, the Poisson and the normal distribution, as intervals.
 */

/*
 * P(X >= k) for the binomial distribution of n trials with the given mean, which is from
 * 0 to n; n and k are whole numbers below 2^32.  The interval's width is at most about
 * 10^-6 of the smaller of P(X >= k) and P(X < k).
 */
extern FimInterval FimBinomialTail(double n, double mean, double k);

/* The same for the Poisson distribution; the mean is above 0. */
extern FimInterval FimPoissonTail(double mean, double k);

/* P(Z >= x) of the standard normal distribution. */
extern FimInterval FimNormalTail(double x);

/* What itemsets are asked: does P(S >= minsup) reach minprob? */
typedef struct FimGoal
{
	uint32_t	minsup;
	double		minprob;
	double		missed;			/* the largest double that does not reach minprob */
	double		yes_exponent;	/* P(S < minsup) <= exp(-this) is a yes */
	double		no_exponent;	/* P(S >= minsup) <= exp(-this) is a no */
} FimGoal;

/* minsup >= 1, minprob > 0. */
extern void FimGoalInit(FimGoal *goal, uint32_t minsup, double minprob);

/*
 * Decide from the moments.  If they decide, "rule" tells by which bound, and "low" is a lower
 * bound of the probability.  A variance of NaN means that only n and mean are known: bounds
 * that need the higher moments then tell nothing.
 */
extern FimVerdict FimBoundsDecide(const FimGoal *goal, const FimMoments *moments,
								  FimProbableRule *rule, double *low);

/*
 * The value of P(S >= minsup), where it is so close to 1 that Chernoff's bound tells it: 1 if
 * that is the nearest double, otherwise a lower bound that is off by at most FIM_VALUE_ERROR.
 * Returns false if Chernoff's bound does not tell.
 */
extern bool FimBoundsValue(const FimMoments *moments, uint32_t minsup, double *value);

/* Does the expected support reach the threshold? */
extern FimVerdict FimExpectationDecide(double threshold, const FimMoments *moments);

/*
 * One of the bounds, those from FIM_RULE_MEDIAN to FIM_RULE_POISSON, as an interval of P(S >= k), k >= 1; [0, 1] where
 * it does not apply.  FimBoundsDecide() uses the same bounds, and stops at the first that decides.
 */
extern FimInterval FimBoundBy(FimProbableRule rule, const FimMoments *moments, uint32_t k);

/*
 * tail.c: Tails, by convolution and by what decides where that leaves a doubt, and the distribution as a whole.
 */

/*
 * An interval that holds P(S >= k), for any k, in double precision.  If the chances have error
 * 0, and for up to ten million transactions, its width is below 10^-12 and, unless P(S >= k) is
 * below 10^-100, below 10^-9 of P(S >= k).
 */
extern FimResult FimTailBracket(FimWorkspace *ws, const FimChances *chances, uint32_t k,
								FimInterval *tail);

/* For lists up to this length the value is the nearest double. */
#define FIM_FEW_TRANSACTIONS	128

/*
 * A value that is not the nearest double is below the truth by at most FIM_VALUE_ERROR and,
 * unless it is below FIM_VALUE_TINY, by at most FIM_VALUE_PART of it.
 */
#define FIM_VALUE_ERROR	1e-12
#define FIM_VALUE_PART	1e-9
#define FIM_VALUE_TINY	1e-100

/* Is an interval so narrow that its lower bound can be the value? */
static inline bool
FimTellsValue(FimInterval interval)
{
	double		width = interval.high - interval.low;

	return width <= FIM_VALUE_ERROR && (width <= FIM_VALUE_PART * interval.low || interval.high < FIM_VALUE_TINY);
}

/*
 * The comparison of a real number with a threshold, which it reaches if its nearest double does,
 * as VerdictOn() says.
 */
typedef struct FimSettled
{
	bool		reaches;
	double		value;			/* the nearest double, or a lower bound of the number */
	FimProbableRule rule;		/* what decided: convolution, double-double or exact */
} FimSettled;

/*
 * Decide whether P(S >= k) reaches the threshold, which is always done rightly; NaN for no
 * threshold.  Without want_value, the value is the lower bound that was found on the way.  With
 * it, the value is the nearest double for lists of few transactions and where that came to light,
 * and otherwise a lower bound as tight as that of FimTailBracket() with error 0, even if p has an
 * error.  In any case P(S >= k) reaches the value.
 */
extern FimResult FimTailSettle(FimWorkspace *ws, const FimChances *chances, uint32_t k,
							   double threshold, bool want_value, FimSettled *settled);

/* The same for the expected support.  The value has a relative error of at most 10^-15. */
extern FimResult FimExpectationSettle(FimWorkspace *ws, const FimChances *chances, double threshold,
									  FimSettled *settled);

/*
 * The bulk of a distribution: P(S = first + i) is p[i], off by at most "error".  All other
 * probabilities together are at most that.
 */
typedef struct FimDistribution
{
	uint64_t	first;
	uint32_t	count;
	const double *p;			/* [count]; lives until the workspace is used again */
	double		error;			/* below 10^-12 if that of the chances is 0 */
} FimDistribution;

/* The distribution of support.  There must be at least one transaction. */
extern FimResult FimDistributionOf(FimWorkspace *ws, const FimChances *chances,
								   FimDistribution *distribution);

#endif							/* FIM_PROBABLE_TAIL_H */

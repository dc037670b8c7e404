/*-------------------------------------------------------------------------
 *
 * bounds.h
 *	  Whether an itemset is wanted, by bounds that take no convolution.
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
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_BOUNDS_H
#define FIM_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "interval.h"
#include "rules.h"

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
 * The bounds one by one, as intervals of P(S >= k), k >= 1; [0, 1] where one does not
 * apply.  FimBoundsDecide() uses the same bounds, and stops at the first that decides.
 */
extern FimInterval FimMedianBound(const FimMoments *moments, uint32_t k);
extern FimInterval FimHoeffdingBound(const FimMoments *moments, uint32_t k);
extern FimInterval FimBerryEsseenBound(const FimMoments *moments, uint32_t k);
extern FimInterval FimChernoffBound(const FimMoments *moments, uint32_t k);
extern FimInterval FimBinomialBound(const FimMoments *moments, uint32_t k);
extern FimInterval FimPoissonBound(const FimMoments *moments, uint32_t k);

#endif							/* FIM_BOUNDS_H */

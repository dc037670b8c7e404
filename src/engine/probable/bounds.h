/*-------------------------------------------------------------------------
 *
 * bounds.h
 *	  Whether an itemset is wanted, by bounds that take no convolution.
 *
 * The support S of an itemset is a sum of independent Bernoulli variables.  Each bound
 * here is an interval that holds P(S >= k), proven from the moments of S and rounded
 * outward, so that what it decides is decided:
 *
 *		median			K. Jogdeo, S. M. Samuels, Ann. Math. Statist. 39 (1968), 1191
 *		Hoeffding		W. Hoeffding, Ann. Math. Statist. 27 (1956), theorem 4
 *		Berry-Esseen	I. Shevtsova, Dokl. Math. 82 (2010), 862: constant 0.5600
 *		Chernoff		W. Hoeffding, JASA 58 (1963), theorem 1; G. Bennett, JASA 57 (1962)
 *		Poisson			A. D. Barbour, P. Hall, Math. Proc. Camb. Phil. Soc. 95 (1984), after Le Cam
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
#include "moments.h"
#include "rules.h"

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

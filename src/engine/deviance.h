/*-------------------------------------------------------------------------
 *
 * deviance.h
 *	  How far observed numbers are from expected ones, for the measures and tests of families.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DEVIANCE_H
#define DEVIANCE_H

#include <math.h>
#include <stdint.h>

/* Device code has these functions, too. */
#ifdef __CUDACC__
#define FIM_DEVIANCE	static __host__ __device__ inline
#else
#define FIM_DEVIANCE	static inline
#endif

/*
 * x log(x / expected) - d, given d = x - expected and v = d / (x + expected), which is at most a tenth.  Of
 * the series of the logarithm in v, the first term almost cancels d, and what is left of the two is v * d.
 */
FIM_DEVIANCE double
FimNearDeviance(double x, double d, double v)
{
	double		w = v * v;

	return v * (d + 2 * x * w * (1.0 / 3 + w * (1.0 / 5 + w * (1.0 / 7 + w * (1.0 / 9 + w * (1.0 / 11 + w *
																						  (1.0 / 13 + w * (1.0 / 15 + w / 17))))))));
}

/*
 * observed * log(observed / expected) - difference, given difference = observed - expected, of numbers that are
 * not negative.  It is right to a few ulps of itself where the two terms almost cancel, too.
 */
FIM_DEVIANCE double
FimDeviance(double observed, double difference, double expected)
{
	double		v = difference / (observed + expected);

	if (fabs(v) <= 0.1)
		return FimNearDeviance(observed, difference, v);
	return (observed > 0 ? observed * log(observed / expected) : 0) - difference;
}

/*
 * The transactions with one side of a rule, or those without it, of which "both" have the other side: the deviance of
 * both numbers.  "more" is by how much there are more with both than expected.
 */
FIM_DEVIANCE double
FimSideDeviance(double both, double only, double more, double expected_both, double expected_only)
{
	return FimDeviance(both, more, expected_both) + FimDeviance(only, -more, expected_only);
}

/*
 * Dunning's log-likelihood ratio, G2, of a rule: 0 if its sides are independent, and never negative.  The numbers are
 * those of FimRuleMeasures() in rules.h.
 */
FIM_DEVIANCE double
FimLogLikelihoodRatio(uint64_t support, uint64_t antecedent, uint64_t consequent, uint64_t transactions)
{
	double		x = (double) antecedent;
	double		not_x = (double) (transactions - antecedent);
	double		y = (double) consequent;
	double		not_y = (double) (transactions - consequent);
	double		n = (double) transactions;
	double		more = (double) ((__int128) support * transactions - (__int128) antecedent * consequent) / n;

	return 2 * (FimSideDeviance((double) support, (double) (antecedent - support), more, x * y / n, x * not_y / n) +
				FimSideDeviance((double) (consequent - support),
								(double) (transactions - antecedent - (consequent - support)), -more,
								not_x * y / n, not_x * not_y / n));
}

#endif							/* DEVIANCE_H */

/*-------------------------------------------------------------------------
 *
 * inversion.h
 *	  P(S >= k) to a few digits, from the characteristic function of support.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_INVERSION_H
#define FIM_INVERSION_H

#include "interval.h"
#include "moments.h"
#include "sums.h"

/*
 * An interval that holds P(S >= k) and is less than 10^-4 wide, or [0, 1] where the method
 * does not apply: S has too small a variance, or k is too far from its mean.  p[n] have a
 * relative error of at most "error", and all of their moments must be given.  Where n is
 * large, this takes a fraction of the time of FimTailBracket().
 */
extern FimInterval FimInversionBracket(const ProbableSums *sums, const double *p, double error,
									   const FimMoments *moments, uint32_t k);

#endif							/* FIM_INVERSION_H */

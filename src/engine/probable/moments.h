/*-------------------------------------------------------------------------
 *
 * moments.h
 *	  Sums over an itemset's probabilities, from which bounds are computed.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_MOMENTS_H
#define FIM_MOMENTS_H

#include <stdint.h>

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

#endif							/* FIM_MOMENTS_H */

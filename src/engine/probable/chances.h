/*-------------------------------------------------------------------------
 *
 * chances.h
 *	  The probabilities that transactions hold an itemset.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_CHANCES_H
#define FIM_CHANCES_H

#include <stdint.h>

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

#endif							/* FIM_CHANCES_H */

/*-------------------------------------------------------------------------
 *
 * p_values.h
 *	  P-values of episodes that have been counted on surrogates, and their correction for many tests.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_P_VALUES_H
#define FIM_P_VALUES_H

#include <stdint.h>

/* The p-value of an episode whose support is reached in this many of the surrogates. */
static inline double
FimPValue(uint64_t reached, uint32_t surrogates)
{
	return (1.0 + (double) reached) / (1.0 + surrogates);
}

/*
 * The adjusted p-values of Y. Benjamini and Y. Hochberg, "Controlling the False
 * Discovery Rate", Journal of the Royal Statistical Society B 57, 1995.  tests[r] is the
 * number of tested episodes that are reached in r of the surrogates, and adjusted[r] their
 * adjusted p-value.  Both arrays have surrogates + 1 elements.
 */
extern void FimAdjustPValues(const uint64_t *tests, uint32_t surrogates, double *adjusted);

#endif							/* FIM_P_VALUES_H */

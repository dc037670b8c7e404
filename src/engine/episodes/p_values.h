/*-------------------------------------------------------------------------
 *
 * p_values.h
 *	  P-values of episodes that have been counted on surrogates, and their correction for many tests.
 *
 * Included by the SQL functions of episodes, by p_values.c and by the tests.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_P_VALUES_H
#define FIM_P_VALUES_H

#include <stdint.h>

/* Of an episode whose support is reached in so many of the surrogates. */
static inline double
FimPValue(uint64_t reached, uint32_t surrogates)
{
	return (1.0 + (double) reached) / (1.0 + surrogates);
}

/*
 * The adjusted p-values of Y. Benjamini and Y. Hochberg, "Controlling the False
 * Discovery Rate", Journal of the Royal Statistical Society B 57, 1995.  Of the episodes
 * tested, tests[r] are reached in r of the surrogates, and adjusted[r] is what they get; both
 * are [surrogates + 1].
 */
extern void FimAdjustPValues(const uint64_t *tests, uint32_t surrogates, double *adjusted);

#endif							/* FIM_P_VALUES_H */

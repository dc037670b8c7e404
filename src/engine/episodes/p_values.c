/*-------------------------------------------------------------------------
 *
 * p_values.c
 *	  The correction of p-values for many tests.
 *
 *-------------------------------------------------------------------------
 */
#include "p_values.h"

/*
 * From the largest p-value to the smallest, an adjusted p-value is the least value of
 * p * tests / rank so far.  Of equal p-values the rank of the last one gives the least value.
 */
void
FimAdjustPValues(const uint64_t *tests, uint32_t surrogates, double *adjusted)
{
	uint64_t	all = 0;
	uint64_t	rank;
	double		least = 1.0;

	for (uint32_t r = 0; r <= surrogates; r++)
		all += tests[r];
	rank = all;
	for (uint32_t r = surrogates + 1; r-- > 0;)
	{
		if (tests[r] > 0)
		{
			double		value = FimPValue(r, surrogates) * (double) all / (double) rank;

			if (value < least)
				least = value;
		}
		adjusted[r] = least;
		rank -= tests[r];
	}
}

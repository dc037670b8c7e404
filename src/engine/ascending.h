/*-------------------------------------------------------------------------
 *
 * ascending.h
 *	  Looking for a number among ascending ones.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_ENGINE_ASCENDING_H
#define FIM_ENGINE_ASCENDING_H

#include <stdint.h>

/*
 * Returns the first index from "low" to "high" - 1 at which the ascending numbers are not below a
 * bound; "high" if there is none.
 */
static inline uint64_t
FirstNotBelow(const uint32_t *number, uint64_t low, uint64_t high, uint64_t bound)
{
	while (low < high)
	{
		uint64_t	middle = low + (high - low) / 2;

		if (number[middle] < bound)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif							/* FIM_ENGINE_ASCENDING_H */

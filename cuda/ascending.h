/*-------------------------------------------------------------------------
 *
 * ascending.h
 *	  Searches in arrays of ascending numbers, each by a single thread.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_ASCENDING_H
#define FIM_ASCENDING_H

#include <stdint.h>

/* The first place from "low" on whose number is not below the bound, or "high" if there is none. */
template <typename Number, typename Place>
static __device__ __forceinline__ Place
FirstNotBelow(const Number *number, Place low, Place high, Number bound)
{
	while (low < high)
	{
		Place		middle = low + (high - low) / 2;

		if (number[middle] < bound)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* How many of n ascending numbers are less than another one. */
static __device__ __forceinline__ uint32_t
CountLess(const uint32_t *number, uint32_t n, uint32_t than)
{
	return FirstNotBelow(number, 0u, n, than);
}

/* The place of the last of n ascending numbers that is at most "most".  The first number must be. */
template <typename Number>
static __device__ __forceinline__ uint32_t
LastUpTo(const Number *number, uint32_t n, Number most)
{
	uint32_t	low = 0;

	while (n - low > 1)
	{
		uint32_t	middle = low + (n - low) / 2;

		if (number[middle] <= most)
			low = middle;
		else
			n = middle;
	}
	return low;
}

#endif							/* FIM_ASCENDING_H */

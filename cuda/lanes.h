/*-------------------------------------------------------------------------
 *
 * lanes.h
 *	  Sums over the threads of warps and blocks.
 *
 * All lanes of the warp call a function together, or all threads of the block.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPU_LANES_H
#define GPU_LANES_H

#include <stdint.h>

#define ALL_LANES	0xffffffffu

/* The sum of all lanes' values, for which sm_75 has no instruction. */
static __device__ __forceinline__ uint32_t
SumOverLanes(uint32_t value)
{
#if __CUDA_ARCH__ >= 800
	return __reduce_add_sync(ALL_LANES, value);
#else
	for (int step = 16; step > 0; step /= 2)
		value += __shfl_xor_sync(ALL_LANES, value, step);
	return value;
#endif
}

/* Like SumOverLanes(), for values of 64 bits, for which no device has an instruction. */
static __device__ __forceinline__ unsigned long long
LongSumOverLanes(unsigned long long value)
{
	for (int step = 16; step > 0; step /= 2)
		value += __shfl_xor_sync(ALL_LANES, value, step);
	return value;
}

/* The sum of the values of this lane and of all lanes before it. */
static __device__ __forceinline__ uint32_t
SumUpTo(uint32_t value)
{
	for (uint32_t step = 1; step < 32; step *= 2)
	{
		uint32_t	other = __shfl_up_sync(ALL_LANES, value, step);

		if (threadIdx.x % 32 >= step)
			value += other;
	}
	return value;
}

/* The sum of the values of all threads of a block of THREADS threads.  Each thread gets it. */
template <int THREADS>
static __device__ uint32_t
SumOverBlock(uint32_t value)
{
	__shared__ uint32_t sums[THREADS / 32];
	uint32_t	sum = SumOverLanes(value);

	/* no thread may still be reading the sums of an earlier call */
	__syncthreads();
	if (threadIdx.x % 32 == 0)
		sums[threadIdx.x / 32] = sum;
	__syncthreads();
	sum = 0;
	for (int w = 0; w < THREADS / 32; w++)
		sum += sums[w];
	return sum;
}

/*
 * Searches in arrays of ascending numbers, each by a single thread.
 */

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

#endif							/* GPU_LANES_H */

/*-------------------------------------------------------------------------
 *
 * plan_kernels.cu
 *	  Counting paths for the planner, see plan.h.
 *
 *-------------------------------------------------------------------------
 */
#include "ascending.h"
#include "fault.h"
#include "lanes.h"
#include "sets/plan.h"

#define THREADS		256

/*
 * Adds the paths of a left pair to sums[level]: the right values of its key that belong to the part of
 * the level.
 */
static __device__ __forceinline__ void
AddLevelPaths(const Relations &r, uint64_t pair, unsigned long long (&sums)[FIM_SETS_LEVELS])
{
	uint32_t	row = LastUpTo(r.left.start, r.left.nvalues, pair);
	uint64_t	first = r.key_start[r.left.key[pair]];
	uint64_t	end = r.key_start[r.left.key[pair] + 1];

#pragma unroll
	for (int level = 0; level < FIM_SETS_LEVELS; level++)
		if (row < r.left.nvalues >> level)
		{
			if (level > 0)
				end = FirstNotBelow(r.rank, first, end, r.right.nvalues >> level);
			sums[level] += end - first;
		}
}

/*
 * A thread for each pair of the sample: the middle one of "step" pairs, since values with most keys
 * come first.
 */
static __global__ void __launch_bounds__(THREADS)
CountLevelPathsKernel(Relations r, uint64_t step, unsigned long long *paths)
{
	uint64_t	pair = ((uint64_t) blockIdx.x * THREADS + threadIdx.x) * step + step / 2;
	unsigned long long sums[FIM_SETS_LEVELS] = {};

	if (pair < r.left.npairs)
		AddLevelPaths(r, pair, sums);
#pragma unroll
	for (int level = 0; level < FIM_SETS_LEVELS; level++)
	{
		unsigned long long sum = LongSumOverLanes(sums[level]);

		if (threadIdx.x % 32 == 0 && sum > 0)
			atomicAdd(&paths[level], sum);
	}
}

static __global__ void __launch_bounds__(THREADS)
FindKeyLengthsKernel(Relations r, const uint32_t *key, uint32_t n, uint64_t *length)
{
	uint32_t	i = blockIdx.x * THREADS + threadIdx.x;

	if (i < n)
		length[i] = r.key_start[key[i] + 1] - r.key_start[key[i]];
}

cudaError_t
CountLevelPaths(GpuDevice *device, const Relations *relations, uint64_t step, unsigned long long *paths)
{
	CountLevelPathsKernel<<<GpuBlocks(relations->left.npairs, (uint32_t) (step * THREADS)), THREADS, 0, device->streams[GPU_COUNT]>>>
		(*relations, step, paths);
	return GpuLaunched(device, "counting paths of parts");
}

cudaError_t
FindKeyLengths(GpuDevice *device, const Relations *relations, const uint32_t *key, uint32_t n, uint64_t *length)
{
	FindKeyLengthsKernel<<<GpuBlocks(n, THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>(*relations, key, n, length);
	return GpuLaunched(device, "counting values of keys");
}

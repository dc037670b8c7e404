/*-------------------------------------------------------------------------
 *
 * plan_kernels.cu
 *	  Counting paths for the planner, see plan.h.
 *
 *-------------------------------------------------------------------------
 */
#include "fault.h"
#include "sets/lanes.h"
#include "sets/plan.h"

#define THREADS		256
#define WARPS		(THREADS / 32)

/* Adds to sums[level] the paths of a lane's keys of a row, whose list is shorter with each level. */
static __device__ __forceinline__ void
AddLevelPaths(const Relations &r, uint32_t row, unsigned long long (&sums)[FIM_SETS_LEVELS])
{
	for (uint64_t k = r.left.start[row] + threadIdx.x % 32; k < r.left.start[row + 1]; k += 32)
	{
		uint64_t	first = r.key_start[r.left.key[k]];
		uint64_t	end = r.key_start[r.left.key[k] + 1];

#pragma unroll
		for (int level = 0; level < FIM_SETS_LEVELS; level++)
			if (row < r.left.nvalues >> level)
			{
				if (level > 0)
					end = FirstNotBelow(r.rank, first, end, r.right.nvalues >> level);
				sums[level] += end - first;
			}
	}
}

/*
 * A warp for each row that is looked at: in the middle of "step" ones, since those with most keys come first.  The
 * sums are in registers, and go to memory once for each warp.
 */
static __global__ void __launch_bounds__(THREADS)
CountLevelPathsKernel(Relations r, uint32_t step, unsigned long long *paths)
{
	uint64_t	row = (uint64_t) (blockIdx.x * WARPS + threadIdx.x / 32) * step + step / 2;
	unsigned long long sums[FIM_SETS_LEVELS] = {};

	if (row >= r.left.nvalues)
		return;
	AddLevelPaths(r, (uint32_t) row, sums);
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
CountLevelPaths(GpuDevice *device, const Relations *relations, uint32_t step, unsigned long long *paths)
{
	uint32_t	looked_at = GpuBlocks(relations->left.nvalues, step);

	CountLevelPathsKernel<<<GpuBlocks(looked_at, WARPS), THREADS, 0, device->streams[GPU_COUNT]>>>
		(*relations, step, paths);
	return GpuLaunched(device, "counting paths of parts");
}

cudaError_t
FindKeyLengths(GpuDevice *device, const Relations *relations, const uint32_t *key, uint32_t n, uint64_t *length)
{
	FindKeyLengthsKernel<<<GpuBlocks(n, THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>(*relations, key, n, length);
	return GpuLaunched(device, "counting values of keys");
}

/*-------------------------------------------------------------------------
 *
 * plan_kernels.cu
 *	  Counting paths for the planner, see plan.h.
 *
 *-------------------------------------------------------------------------
 */
#include "fault.h"
#include "sets/plan.h"

#define THREADS		256
#define WARPS		(THREADS / 32)

/* A warp for each left value that is looked at. */
static __global__ void __launch_bounds__(THREADS)
CountLevelPathsKernel(Relations r, uint32_t step, unsigned long long *paths)
{
	__shared__ unsigned long long sums[FIM_SETS_LEVELS];
	uint64_t	row = (uint64_t) (blockIdx.x * WARPS + threadIdx.x / 32) * step;

	if (threadIdx.x < FIM_SETS_LEVELS)
		sums[threadIdx.x] = 0;
	__syncthreads();
	if (row < r.left.nvalues)
		for (uint64_t k = r.left.start[row] + threadIdx.x % 32; k < r.left.start[row + 1]; k += 32)
		{
			uint64_t	first = r.key_start[r.left.key[k]];
			uint64_t	end = r.key_start[r.left.key[k] + 1];

			for (int level = 0; level < FIM_SETS_LEVELS && row < r.left.nvalues >> level; level++)
			{
				end = FirstNotBelow(r.rank, first, end, r.right.nvalues >> level);
				atomicAdd(&sums[level], (unsigned long long) (end - first));
			}
		}
	__syncthreads();
	if (threadIdx.x < FIM_SETS_LEVELS && sums[threadIdx.x] > 0)
		atomicAdd(&paths[threadIdx.x], sums[threadIdx.x]);
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
	uint32_t	looked_at = relations->left.nvalues / step + 1;

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

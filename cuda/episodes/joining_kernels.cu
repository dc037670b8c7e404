/*-------------------------------------------------------------------------
 *
 * joining_kernels.cu
 *	  Making extensions of runs, see joining.h.
 *
 *-------------------------------------------------------------------------
 */
#include "episodes/joining.h"

#define THREADS		256

/* The run that an extension belongs to. */
static __device__ __forceinline__ JoinedRun
RunWith(const JoinedRun *runs, uint32_t nruns, uint32_t number)
{
	uint32_t	low = 0;

	while (nruns - low > 1)
	{
		uint32_t	middle = low + (nruns - low) / 2;

		if (runs[middle].first <= number)
			low = middle;
		else
			nruns = middle;
	}
	return runs[low];
}

/* A thread for each extension. */
static __global__ void __launch_bounds__(THREADS)
JoinKernel(const JoinedRun *runs, uint32_t nruns, const EpisodeEnd *ends, Extension *extensions, uint32_t n,
		   const uint32_t *free, Counted *counted)
{
	uint32_t	number = blockIdx.x * THREADS + threadIdx.x;
	JoinedRun	run;
	EpisodeEnd	end;

	if (number >= n)
		return;
	run = RunWith(runs, nruns, number);
	end = ends[run.end + number - run.first];
	extensions[number] = {run.list, end.type, run.gap != GPU_NONE ? run.gap : end.gap, number, end.place, end.nplaces};
	if (free != nullptr)
		counted[number].free = free[number];
}

cudaError_t
JoinRuns(GpuDevice *device, const JoinedRun *runs, uint32_t nruns, const EpisodeEnd *ends, Extension *extensions,
		 uint32_t n, const uint32_t *free, Counted *counted)
{
	JoinKernel<<<GpuBlocks(n, THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>
		(runs, nruns, ends, extensions, n, free, counted);
	return GpuLaunched(device, "joining candidates");
}

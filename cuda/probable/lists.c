/*-------------------------------------------------------------------------
 *
 * lists.c
 *	  Making lists of probabilities, see lists.h.
 *
 *-------------------------------------------------------------------------
 */
#include "probable/launch.h"
#include "probable/lists.h"

cudaError_t
ListsAppend(ProbableJob *job, GpuDevice *device, const UncertainBlock *block, const ProbabilityLists *lists,
			uint32_t n)
{
	double		cost = (double) block->nslabs * FIM_SLAB_BITS;
	uint32_t	some;
	GpuTimer   *timer;

	for (uint32_t done = 0; done < n; done += some)
	{
		GPU_TRY(BeginSome(job, device, cost, done, n, &some, &timer));
		GPU_TRY(LaunchLists(device, block, lists, done, some));
		GPU_TRY(GpuEnd(device, GPU_COUNT, timer));
	}
	return cudaSuccess;
}

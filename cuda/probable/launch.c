/*-------------------------------------------------------------------------
 *
 * launch.c
 *	  How much a launch does, see launch.h.
 *
 *-------------------------------------------------------------------------
 */
#include "probable/launch.h"

cudaError_t
BeginSome(ProbableJob *job, GpuDevice *device, double cost, uint32_t done, uint32_t n, uint32_t *some,
		  GpuTimer **timer)
{
	double		wanted;

	GPU_TRY(GpuThrottle(&job->team, device, "convolving distributions"));
	wanted = GpuLaunchAmount(device, cost, LAUNCH_FIRST_AMOUNT) / cost;
	*some = wanted < n - done ? (uint32_t) wanted : n - done;
	if (*some == 0)
		*some = 1;
	return GpuBegin(device, GPU_COUNT, FIM_GPU_COUNT, cost * *some, timer);
}

/*-------------------------------------------------------------------------
 *
 * launch.h
 *	  Cutting work on many equal things into launches.
 *
 * The unit of costs is that of moments.c: the time that one transaction of one candidate
 * takes there.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PROBABLE_LAUNCH_H
#define FIM_PROBABLE_LAUNCH_H

#include "probable/probable_job.h"

#ifdef __cplusplus
extern "C"
{
#endif

#define LAUNCH_FIRST_AMOUNT	2e9 /* cost of a job's first launch, when no times are known */

/*
 * Begins a launch.  Of n things that cost "cost" each, "done" are done.  Sets *some to
 * how many of the rest the launch is to do, at least 1, and *timer to what GpuEnd() is to
 * be called with after the launch.
 */
extern cudaError_t BeginSome(ProbableJob *job, GpuDevice *device, double cost, uint32_t done, uint32_t n,
							 uint32_t *some, GpuTimer **timer);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_PROBABLE_LAUNCH_H */

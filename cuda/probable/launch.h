/*-------------------------------------------------------------------------
 *
 * launch.h
 *	  Launches of some of a number of things that cost about the same.
 *
 * The unit of costs is that of moments.c: a transaction of a candidate.
 *
 * Included by the files of cuda/probable that launch kernels.
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

#define LAUNCH_FIRST_AMOUNT	2e9 /* of a job's first launch */

/*
 * Begins a launch of some of n things from "done" on, each of which costs as much: sets
 * *some, and the timer that GpuEnd() is to be called with after the launch.
 */
extern cudaError_t BeginSome(ProbableJob *job, GpuDevice *device, double cost, uint32_t done, uint32_t n,
							 uint32_t *some, GpuTimer **timer);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_PROBABLE_LAUNCH_H */

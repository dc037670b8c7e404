/*-------------------------------------------------------------------------
 *
 * timing.h
 *	  How long it takes what the devices do, and waiting for it.
 *
 * Nothing stops a kernel that runs.  So launches are cut to about GPU_LAUNCH_MS each,
 * few of them are queued at a time, and whoever waits looks meanwhile whether the job
 * is to stop.
 *
 * Included by families, and by copies.c and contexts.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TIMING_H
#define FIM_TIMING_H

#include "stopping.h"

#ifdef __cplusplus
extern "C"
{
#endif

#define GPU_LAUNCH_MS	10.0

/*
 * Measures the work that a stream is given between the two calls.  Its time and its
 * amount, see FimGpuPhase, are added to the device's figures for the phase.
 */
extern cudaError_t GpuBegin(GpuDevice *device, int stream, FimGpuPhase phase, double amount,
							GpuTimer **timer);
extern cudaError_t GpuEnd(GpuDevice *device, int stream, GpuTimer *timer);

/* At the end of a job: what has been done counts in the figures, the rest is forgotten. */
extern void GpuEndTimers(GpuDevice *device);

/*
 * Waits, before a launch that counts, until few of them are under way.  Makes the
 * device the current one.
 */
extern cudaError_t GpuThrottle(GpuTeam *team, GpuDevice *device, const char *what);

/*
 * The amount that the next launch may count so that it takes GPU_LAUNCH_MS, "least"
 * at the least.  Nothing is known for the job's first launch, which may count "first"
 * or a constant.
 */
extern double GpuLaunchAmount(const GpuDevice *device, double least, double first);

/* Waits until an event has been reached, or all that a stream has been given is done. */
extern cudaError_t GpuWaitEvent(GpuTeam *team, GpuDevice *device, cudaEvent_t event, const char *what);
extern cudaError_t GpuWait(GpuTeam *team, GpuDevice *device, int stream, const char *what);

/* What a stream is given from now on is done after what the stream "before" was given. */
extern cudaError_t GpuFollow(GpuDevice *device, int stream, int before, const char *what);

/* The same for all other streams of the device. */
extern cudaError_t GpuAllFollow(GpuDevice *device, int before, const char *what);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_TIMING_H */

/*-------------------------------------------------------------------------
 *
 * timing.h
 *	  How long the work of the devices takes, and waiting for it.
 *
 * Nothing stops a kernel that runs.  So launches are cut to about GPU_LAUNCH_MS each,
 * few of them are queued at a time, and whoever waits looks meanwhile whether the job
 * is to stop.
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

/* Called at the end of a job: adds the work that is done to the figures, and forgets the rest. */
extern void GpuEndTimers(GpuDevice *device);

/*
 * Called before a launch that counts: waits until few such launches are under way, and makes
 * the device the current one.
 */
extern cudaError_t GpuThrottle(GpuTeam *team, GpuDevice *device, const char *what);

/*
 * The amount that the next launch may count so that it takes GPU_LAUNCH_MS, but no less than
 * "least".  Before the job's first launch nothing is known about the pace: that launch may
 * count the lesser of "first" and a constant.
 */
extern double GpuLaunchAmount(const GpuDevice *device, double least, double first);

/* Wait until an event has been reached, or until all work of a stream is done. */
extern cudaError_t GpuWaitEvent(GpuTeam *team, GpuDevice *device, cudaEvent_t event, const char *what);
extern cudaError_t GpuWait(GpuTeam *team, GpuDevice *device, int stream, const char *what);

/* Work that "stream" is given from now on waits for the work that "before" has been given. */
extern cudaError_t GpuFollow(GpuDevice *device, int stream, int before, const char *what);

/* The same for the streams that count, of a device and of another one, "before". */
extern cudaError_t GpuFollowDevice(GpuDevice *device, GpuDevice *before, const char *what);

/* The same for all other streams of the device: they wait for the stream "before". */
extern cudaError_t GpuAllFollow(GpuDevice *device, int before, const char *what);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_TIMING_H */

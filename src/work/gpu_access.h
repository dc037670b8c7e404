/*-------------------------------------------------------------------------
 *
 * gpu_access.h
 *	  The GPUs that this backend can have jobs done on, and the worker that owns
 *	  them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_GPU_ACCESS_H
#define GPUFIM_GPU_ACCESS_H

#include "engine/gpu.h"
#include "work/gpu_queue.h"

/* How long to wait for a worker that is being started, in ms. */
extern double GpuStartPatience(void);

/* How long making contexts is assumed to take until it has been done; see bench/results/gpu.md. */
#define GPU_UNKNOWN_DELAY_MS	150

typedef enum GpuReadiness
{
	GPU_NEVER,					/* none can be used */
	GPU_LATER,					/* others use the GPUs, or nobody knows yet */
	GPU_NOW						/* the GPUs are kept for this process's job */
} GpuReadiness;

/*
 * Why no GPU can be used, palloc'd, or NULL if one can.  If that is not known yet, a
 * worker is started or waited for, to find out.
 */
extern char *GpuUnusable(void);

/* The same.  If a GPU can be used, also sets the worker's control structure and the devices to use. */
extern char *GpuFindUsable(GpuControl **control, FimGpuOptions *options);

/* Could there be a GPU?  No worker is asked, so the answer costs nothing. */
extern bool GpuMayBeThere(void);

/*
 * May a job that the CPU has begun change to the GPUs?  Waits for nothing, but may start a worker;
 * *starts, 0 in the beginning, counts how often that was done for this job.  If the answer was
 * GPU_NOW but the job will not change, GpuNotForChange() lets the jobs of others do so.
 */
extern GpuReadiness GpuReadyForChange(int *starts);
extern void GpuNotForChange(void);

/* How long the job that the GPUs are doing has taken by now, in ms; 0 if there is none. */
extern double GpuBusy(void);

/*
 * How long it takes until a GPU that is free begins with a job, in ms: 0 if the devices
 * of gpufim.gpus have contexts, otherwise the time that it took last to make contexts.
 */
extern double GpuDelay(void);

/* Wait for the worker, or anything else that sets this process's latch. */
extern void AwaitGpuWorker(long milliseconds);

/* This backend's slot in the queue. */
extern GpuSlot *GpuOwnSlot(GpuControl *control);

/*
 * Is this the session's own control structure?  Then the session has to see to it that a
 * worker runs.  GpuOwnWorkerRuns() says whether one runs or has been given a slot to start.
 * GpuKeepOwnWorker() starts a worker if none runs, unless it has done so too often
 * according to the caller's counter.  It returns true if a worker runs, and also if one can
 * be started once workers of an earlier call have given up their slots: then call it again.
 */
extern bool GpuControlIsOwn(const GpuControl *control);
extern bool GpuOwnWorkerRuns(void);
extern bool GpuKeepOwnWorker(int *starts);

/* What is known of the devices.  Returns false if this server has no GPU engine. */
extern bool GpuLookAtDevices(GpuState *state);

/* Why a device is turned off, palloc'd, or NULL if it is not. */
extern const char *GpuDeviceOff(const GpuState *state, int device);

/* Forget the faults of the devices and what was found out about them. */
extern void GpuReset(void);

#endif							/* GPUFIM_GPU_ACCESS_H */

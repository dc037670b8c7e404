/*-------------------------------------------------------------------------
 *
 * gpu_access.h
 *	  The GPUs that this backend can have jobs done on, and the worker that owns
 *	  them.
 *
 * Included by the choice of the engine, by both sides of a job that may change
 * engines, and by gpufim_devices(), gpufim_reset() and the check of gpufim.gpus.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_GPU_ACCESS_H
#define GPUFIM_GPU_ACCESS_H

#include "engine/gpu.h"
#include "work/gpu_queue.h"

/* How long, in ms, a worker that is being started is waited for. */
extern double GpuStartPatience(void);

/* How long making contexts is assumed to take until it has been done; see bench/results/gpu.md. */
#define GPU_UNKNOWN_DELAY_MS	150

typedef enum GpuReadiness
{
	GPU_NEVER,					/* none can be used */
	GPU_LATER,					/* others use them, or nobody knows yet */
	GPU_NOW						/* they are kept for this process's job */
} GpuReadiness;

/*
 * Why no GPU can be used, palloc'd, or NULL if one can.  If that is not known yet, a
 * worker is started or waited for, to find out.
 */
extern char *GpuUnusable(void);

/* The same, and how to reach the worker and which devices to use if one can. */
extern char *GpuFindUsable(GpuControl **control, FimGpuOptions *options);

/* Could there be a GPU?  No worker is asked, so the answer costs nothing. */
extern bool GpuMayBeThere(void);

/*
 * May a job that the CPU has begun change to the GPUs?  Waits for nothing.  GpuNotForChange()
 * lets others change if this process may and its job will not come.
 */
extern GpuReadiness GpuForChange(void);
extern void GpuNotForChange(void);

/* How long, in ms, the job under way has taken by now; 0 if there is none. */
extern double GpuBusy(void);

/*
 * How long it takes until a GPU that is free begins, in ms: nothing if the devices
 * of gpufim.gpus have contexts, otherwise what it took last to make them.
 */
extern double GpuDelay(void);

/* Wait for the worker, or anything else that sets this process's latch. */
extern void GpuWait(long milliseconds);

/* This backend's place in the queue. */
extern GpuSlot *GpuOwnSlot(GpuControl *control);

/*
 * Is this the session's own control structure?  Then the session has to see to it
 * that a worker runs.  GpuOwnWorkerRuns() says whether one does or has been given a slot.
 * GpuKeepOwnWorker() starts one if none does, unless it has done
 * so too often according to the caller's counter.  It returns whether one runs, or can be
 * started when workers of an earlier call have given up their slots: call it again then.
 */
extern bool GpuControlIsOwn(const GpuControl *control);
extern bool GpuOwnWorkerRuns(void);
extern bool GpuKeepOwnWorker(int *starts);

/* What is known of the devices.  Returns false if this server has no GPU engine. */
extern bool GpuLookAtDevices(GpuState *state);

/* Why a device is turned off, palloc'd, or NULL if it is not. */
extern const char *GpuDeviceOff(const GpuState *state, int device);

/*
 * Read a list of device numbers, as gpufim.gpus has it, into the options.  An empty
 * list stands for all devices.  Returns false if it is no such list.
 */
extern bool GpuParseDevices(const char *list, FimGpuOptions *options);

/* Forget the faults of the devices and what was found out about them. */
extern void GpuReset(void);

#endif							/* GPUFIM_GPU_ACCESS_H */

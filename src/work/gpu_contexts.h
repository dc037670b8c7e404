/*-------------------------------------------------------------------------
 *
 * gpu_contexts.h
 *	  The devices that the GPU worker finds, and its contexts on them.
 *
 * What is found out is published in the control structure, where backends read it.
 * All functions are for the GPU worker's process alone.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_GPU_CONTEXTS_H
#define GPUFIM_GPU_CONTEXTS_H

#include "work/gpu_queue.h"

/* Load the library if that has not been done, look which devices there are, and publish them. */
extern void GpuLookForDevices(GpuControl *control);

/* The devices found last; returns how many. */
extern int	GpuDevicesFound(const FimGpuDevice **devices);

/* The library; NULL until it has been loaded. */
extern const FimGpuLibrary *GpuLibrary(void);

/*
 * Make contexts on those devices of the options that have none.  Returns false if that
 * failed; the library's fault() then says why.
 */
extern bool GpuOpenContexts(GpuControl *control, const FimGpuOptions *options);
extern bool GpuHasContexts(void);

/* Give up all contexts and what families keep in them. */
extern void GpuCloseContexts(GpuControl *control);

/*
 * The library's side of the family of this number, whose task comes next.  What another
 * family has kept on the devices since its last task is freed, because this task may need
 * the memory.
 */
extern const FimGpuFamily *GpuBeginFamily(int number);

#endif							/* GPUFIM_GPU_CONTEXTS_H */

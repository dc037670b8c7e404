/*-------------------------------------------------------------------------
 *
 * contexts.h
 *	  The contexts of this process on its devices.
 *
 * A process has at most one context on each device.  GpuOpenAll() makes those that
 * a job needs, and they stay until GpuCloseAll().  Streams, events and the pinned
 * ring of a device live as long as its context.
 *
 * Included by team.c, which opens the devices of a job, by library.c, and by families
 * that give back what devices hold before their job ends.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_CONTEXTS_H
#define FIM_CONTEXTS_H

#include "device.h"

/* Sets *n to the number of devices that the driver shows, without making a context. */
extern cudaError_t GpuCountDevices(int *n);

/* Describes a device.  How much memory is free is known only if it has a context. */
extern cudaError_t GpuDescribe(int number, FimGpuDevice *to);

/*
 * Makes the contexts of the devices that the options name, as far as they are not
 * there, and of all devices if they name none.  *n becomes their number.
 */
extern cudaError_t GpuOpenAll(const FimGpuOptions *options, int *n);

/* The i-th device that the options name, once it is open. */
extern GpuDevice *GpuDeviceOf(const FimGpuOptions *options, int i);

/* Gives up all contexts, and with them everything that lives in them. */
extern void GpuCloseAll(void);

/*
 * Waits for all devices that have a context and gives back what jobs hold there.
 * Errors are not reported: a device that is lost has been, or will be, reported by
 * whoever wanted something of it.
 */
extern void GpuReleaseAll(void);

#endif							/* FIM_CONTEXTS_H */

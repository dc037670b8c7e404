/*-------------------------------------------------------------------------
 *
 * contexts.h
 *	  The contexts of this process on its devices.
 *
 * A process has at most one context on each device.  GpuOpenAll() makes those that
 * a job needs, and they stay until GpuCloseAll().  Streams, events and the pinned
 * ring of a device live as long as its context.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_CONTEXTS_H
#define FIM_CONTEXTS_H

#include "device.h"

/* Sets *n to the number of devices that the driver shows, without making a context. */
extern cudaError_t GpuCountDevices(int *n);

/* Describes a device.  to->free stays 0 if this process has no context on the device. */
extern cudaError_t GpuDescribe(int number, FimGpuDevice *to);

/*
 * Opens the devices that the options name, or all devices if the options name none: makes the
 * contexts that do not exist yet.  Sets *n to the number of these devices.
 */
extern cudaError_t GpuOpenAll(const FimGpuOptions *options, int *n);

/* The i-th of the devices that GpuOpenAll() opened for the options. */
extern GpuDevice *GpuDeviceOf(const FimGpuOptions *options, int i);

/* Gives up all contexts, and with them everything that lives in them. */
extern void GpuCloseAll(void);

/*
 * Waits for all devices that have a context, and gives back what jobs hold there.  Errors are
 * not reported: if a device is lost, whoever needs it has reported that or will report it.
 */
extern void GpuReleaseAll(void);

#endif							/* FIM_CONTEXTS_H */

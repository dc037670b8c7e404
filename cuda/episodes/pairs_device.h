/*-------------------------------------------------------------------------
 *
 * pairs_device.h
 *	  Counting pairs of events on a device.
 *
 * Both functions put their work into the device's counting stream; the device is the
 * current one, and all addresses are of its memory.
 *
 * Included by pairs.c and by pairs_kernels.cu.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_PAIRS_DEVICE_H
#define FIM_GPU_PAIRS_DEVICE_H

#include "episodes/stream.h"

#ifdef __cplusplus
extern "C"
{
#endif

typedef struct WindowSizes
{
	unsigned long long total;	/* pairs of events */
	unsigned long long widest;	/* of one event under one gap */
} WindowSizes;

/* How large the windows are in which events are followed; *sizes are 0 before. */
extern cudaError_t MeasureWindows(GpuDevice *device, const DeviceStream *stream, uint32_t ngaps, WindowSizes *sizes);

/*
 * Counts the pairs whose second events are in the places from "first" to end - 1.
 * type[events] is in the order of the stream; counts[ntypes][ngaps][ntypes] are added to.
 */
extern cudaError_t CountPairs(GpuDevice *device, const DeviceStream *stream, const uint32_t *type, uint32_t ntypes,
							  uint32_t ngaps, uint32_t first, uint32_t end, uint32_t *counts);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_PAIRS_DEVICE_H */

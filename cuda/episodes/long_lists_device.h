/*-------------------------------------------------------------------------
 *
 * long_lists_device.h
 *	  Extending a list by many events, and pointer doubling, on a device.
 *
 * All functions put their work into the device's counting stream; the device is the
 * current one, and all addresses are of its memory.
 *
 * Included by long_lists.c and by the files with these functions.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_LONG_LISTS_DEVICE_H
#define FIM_GPU_LONG_LISTS_DEVICE_H

#include "episodes/lists.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* For the events of a type from "first" to end - 1 the start that each takes over from the list, or GPU_NONE. */
extern cudaError_t FindStarts(GpuDevice *device, const DeviceStream *stream, const DeviceList *list, uint32_t place,
							  uint32_t gap, uint32_t first, uint32_t end, uint32_t *start);

/* Of n events with their starts, those that have one, and how many these are. */
extern cudaError_t SelectScratch(uint32_t n, size_t *bytes);
extern cudaError_t SelectEntries(GpuDevice *device, void *scratch, size_t bytes, const uint32_t *moment,
								 const uint32_t *start, uint32_t n, const DeviceList *made, uint32_t *nmade);

/*
 * The first entry that begins after each one ends, for the entries from "first" to end - 1.
 * That is a step; where there is none, an entry is its own next one.
 */
extern cudaError_t FindNextEntries(GpuDevice *device, const DeviceList *list, uint32_t first, uint32_t end,
								   uint32_t *next, uint32_t *steps);

/* A round: from each of n entries on to the next one's next one. */
extern cudaError_t DoubleSteps(GpuDevice *device, uint32_t n, const uint32_t *next, const uint32_t *steps,
							   uint32_t *to_next, uint32_t *to_steps);

/* When all steps have been done: those that begin with the first entry which begins at "free" or later. */
extern cudaError_t TakeSteps(GpuDevice *device, const DeviceList *list, const uint32_t *next, const uint32_t *steps,
							 uint32_t free, Counted *counted);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_LONG_LISTS_DEVICE_H */

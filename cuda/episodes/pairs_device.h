/*-------------------------------------------------------------------------
 *
 * pairs_device.h
 *	  Counting pairs of events on a device.
 *
 * All functions put their work into the device's counting stream; the device is the
 * current one, and all addresses are of its memory.
 *
 * Included by pairs.c and by the files with these functions.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_PAIRS_DEVICE_H
#define FIM_GPU_PAIRS_DEVICE_H

#include "episodes/search_strategy.h"
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

/* What the host gets to know. */
typedef struct BoundList
{
	WindowSizes sizes;
	uint32_t	n;
	PairBound	bound[];		/* [n] pairs ascend */
} BoundList;

/* Counters of pairs, and those that are chosen. */
typedef struct PairCounters
{
	uint32_t	ntypes;
	uint32_t	ngaps;
	uint32_t	n;
	uint32_t   *counts;			/* [n], which is [ntypes][ngaps][ntypes] */
	BoundList  *list;			/* has room for n */
	void	   *scratch;
	size_t		scratch_bytes;
} PairCounters;

/*
 * Adds the pairs whose second events are in the places from "first" to end - 1 to the counters,
 * unless one of the list's sizes is beyond the most.
 */
extern cudaError_t CountPairs(GpuDevice *device, const DeviceStream *stream, const PairCounters *counters,
							  const WindowSizes *most, uint32_t first, uint32_t end);

extern cudaError_t BoundsScratch(uint32_t n, size_t *bytes);

/* Puts the counters that reach the least support into the list. */
extern cudaError_t SelectBounds(GpuDevice *device, const PairCounters *counters, uint64_t least);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_PAIRS_DEVICE_H */

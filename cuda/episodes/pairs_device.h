/*-------------------------------------------------------------------------
 *
 * pairs_device.h
 *	  Counting pairs of events on a device.
 *
 * All functions put their work into the device's counting stream; the device is the
 * current one, and all addresses are of its memory.
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

/*
 * Adds up how large the windows are that events can follow, under all gaps.  *sizes, on the device, are 0
 * before.
 */
extern cudaError_t MeasureWindows(GpuDevice *device, const DeviceStream *stream, uint32_t ngaps, WindowSizes *sizes);

/* What the host is told. */
typedef struct BoundList
{
	WindowSizes sizes;
	unsigned long long entries; /* of the lists of all pairs in "bound", if lists are to be made */
	uint32_t	n;
	PairBound	bound[];		/* [n] pairs ascend */
} BoundList;

/* Counters of pairs of types under gaps, and the pairs that are chosen.  All arrays are on the device. */
typedef struct PairCounters
{
	uint32_t	ntypes;
	uint32_t	ngaps;
	uint32_t	n;				/* ntypes * ngaps * ntypes */
	uint32_t   *counts;			/* [n], which is [ntypes][ngaps][ntypes] */
	BoundList  *list;			/* the pairs chosen, with room for n */

	/* if lists are to be made; places are then cut into chunks, each of one type */
	uint32_t   *at;				/* [n] for pairs chosen, see PairBound; NULL if no lists are to be made */
	uint32_t   *before;			/* [nchunks][ntypes][ngaps] entries from the chunks before, by first type and gap */
	uint32_t   *chunk;			/* [ntypes + 1] the first chunk of each type */
	uint32_t	nchunks;		/* 0 if no lists are to be made */

	void	   *scratch;
	size_t		scratch_bytes;
} PairCounters;

/*
 * Adds the pairs whose second events are in the places from "first" to end - 1 to the counters, unless the
 * measured sizes, counters->list->sizes, are beyond "most".
 */
extern cudaError_t CountEventPairs(GpuDevice *device, const DeviceStream *stream, const PairCounters *counters,
								   const WindowSizes *most, uint32_t first, uint32_t end);

/*
 * The most places of a chunk; and the most first types times gaps with which a chunk's bits fit any device's
 * shared memory.
 */
#define CHUNK_PLACES		256
#define MOST_LISTED			480

/*
 * Counts the entries of the lists of pairs instead, unless the measured sizes are beyond "most".  For the
 * pairs that have at least "least" entries, it sets counters->at and adds the entries to
 * counters->list->entries.
 */
extern cudaError_t CountListed(GpuDevice *device, const DeviceStream *stream, const PairCounters *counters,
							   const WindowSizes *most, uint64_t least);

/* Makes the lists of these pairs afterwards, one behind the other, each as a list with places. */
extern cudaError_t WriteListed(GpuDevice *device, const DeviceStream *stream, const PairCounters *counters,
							   uint64_t least, uint32_t *lists);

/* Sets *bytes to the scratch memory that SelectBounds() needs for n counters. */
extern cudaError_t BoundsScratch(uint32_t n, size_t *bytes);

/* Puts the pairs whose counters are at least "least" into the list. */
extern cudaError_t SelectBounds(GpuDevice *device, const PairCounters *counters, uint64_t least);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_PAIRS_DEVICE_H */

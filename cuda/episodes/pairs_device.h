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
	unsigned long long entries; /* of the lists of all that follow, if they are to be made */
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

	/*
	 * If lists are to be made, otherwise NULL: where they begin among those of all pairs, and, by chunk of the
	 * places and then by first type and gap, how many entries come from the chunks before it.  Each chunk has places of one
	 * type.
	 */
	uint32_t   *at;				/* [n], of those in the list */
	uint32_t   *before;			/* [nchunks][ntypes][ngaps] */
	uint32_t   *chunk;			/* [ntypes + 1] the first one of each type */
	uint32_t	nchunks;

	void	   *scratch;
	size_t		scratch_bytes;
} PairCounters;

/*
 * Adds the pairs whose second events are in the places from "first" to end - 1 to the counters,
 * unless one of the list's sizes is beyond the most.
 */
extern cudaError_t CountPairs(GpuDevice *device, const DeviceStream *stream, const PairCounters *counters,
							  const WindowSizes *most, uint32_t first, uint32_t end);

/* Places of a chunk at most, and first types under gaps with which a chunk's bits fit shared memory everywhere. */
#define CHUNK_PLACES		256
#define MOST_LISTED			480

/*
 * Counts the entries of the lists of pairs instead, unless one of the sizes is beyond the most; those that reach the
 * least support are told where their lists are to begin.
 */
extern cudaError_t CountListed(GpuDevice *device, const DeviceStream *stream, const PairCounters *counters,
							   const WindowSizes *most, uint64_t least);

/* Then makes these lists, one after the other, each as that of an episode is kept. */
extern cudaError_t WriteListed(GpuDevice *device, const DeviceStream *stream, const PairCounters *counters,
							   uint64_t least, uint32_t *lists);

extern cudaError_t BoundsScratch(uint32_t n, size_t *bytes);

/* Puts the counters that reach the least support into the list. */
extern cudaError_t SelectBounds(GpuDevice *device, const PairCounters *counters, uint64_t least);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_PAIRS_DEVICE_H */

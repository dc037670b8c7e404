/*-------------------------------------------------------------------------
 *
 * stream_device.h
 *	  What makes the stream on a device.
 *
 * All functions put their work into the device's counting stream; the device is the
 * current one, and all addresses are of its memory.
 *
 * Included by stream.c and by the files with these functions.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_STREAM_DEVICE_H
#define FIM_STREAM_DEVICE_H

#include "episodes/packed_times.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Events to be sorted by type; both halves of each pair of arrays are written to. */
typedef struct TypeSort
{
	uint32_t   *types;			/* [events] that are put into the first half; NULL if they are there */
	const uint16_t *narrow;		/* [events] that are put into both; NULL if "types" has them; may be the second half */
	uint32_t   *type[2];		/* [events] */
	uint32_t   *event[2];		/* [events] */
	void	   *scratch;
	size_t		scratch_bytes;
	uint32_t	events;
	uint32_t	ntypes;
} TypeSort;

extern cudaError_t TypeSortScratch(uint32_t events, uint32_t ntypes, size_t *bytes);

/* Sets *event to that of the arrays which then has the events by type and number. */
extern cudaError_t SortByType(GpuDevice *device, const TypeSort *sort, uint32_t **event);

/* How far back the edges reach from the events. */
typedef struct BackSearch
{
	const FimTime *time;		/* [events] */
	const PackedTimes *packed;	/* instead of these; NULL: there are no others */
	const uint32_t *partition;	/* [partitions + 1] */
	const uint64_t *edge;		/* [nedges] ascending */
	const uint32_t *event;		/* [events] at each place; NULL if places are events */
	uint32_t   *back;			/* [nedges][events], by place */
	uint32_t   *moment_of;		/* [events] what edge 0 reaches back to, by event, too; NULL: not wanted */
	uint32_t	partitions;
	uint32_t	events;
	uint32_t	nedges;
	bool		real;
} BackSearch;

/* Fill in the places from "first" to end - 1. */
extern cudaError_t FindBack(GpuDevice *device, const BackSearch *search, uint32_t first, uint32_t end);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_STREAM_DEVICE_H */

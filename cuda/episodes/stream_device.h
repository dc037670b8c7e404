/*-------------------------------------------------------------------------
 *
 * stream_device.h
 *	  What makes the stream on a device.
 *
 * All functions put their work into the device's counting stream; the device is the
 * current one, and all addresses are of its memory.
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

/*
 * Sorting events by type.  The types are in "narrow", or in "types", or in type[0].  Sorting writes to both
 * arrays of "type" and of "event".
 */
typedef struct TypeSort
{
	uint32_t   *types;			/* [events], which are copied to type[0]; NULL if they are there */
	const uint16_t *narrow;		/* [events], copied to "types" first; NULL if those are there; may lie in type[1] */
	uint32_t   *type[2];		/* [events] */
	uint32_t   *event[2];		/* [events] */
	void	   *scratch;
	size_t		scratch_bytes;
	uint32_t	events;
	uint32_t	ntypes;
} TypeSort;

/* Sets *bytes to the scratch memory that SortByType() needs. */
extern cudaError_t TypeSortScratch(uint32_t events, uint32_t ntypes, size_t *bytes);

/*
 * Sorts the events by type, and those of a type by number.  *event becomes the array of sort->event that has
 * their numbers.
 */
extern cudaError_t SortByType(GpuDevice *device, const TypeSort *sort, uint32_t **event);

/* Finding how far back the edges reach from the events. */
typedef struct BackSearch
{
	const FimTime *time;		/* [events]; not used if there is "packed" */
	const PackedTimes *packed;	/* the times packed; NULL if they are not */
	const uint32_t *partition;	/* [partitions + 1] the first event of each */
	const uint64_t *edge;		/* [nedges] ascending */
	const uint32_t *event;		/* [events] the event at each place; NULL if places are events */
	uint32_t   *back;			/* [nedges][events] the result, by place */
	uint32_t   *moment_of;		/* [events] the result for edge 0, by event; NULL if it is not wanted */
	uint32_t	partitions;
	uint32_t	events;
	uint32_t	nedges;
	bool		real;
} BackSearch;

/* Fills in the results for the places from "first" to end - 1. */
extern cudaError_t FindBack(GpuDevice *device, const BackSearch *search, uint32_t first, uint32_t end);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_STREAM_DEVICE_H */

/*-------------------------------------------------------------------------
 *
 * surrogates_device.h
 *	  Moving events at random on a device, and adding up what was counted.
 *
 * All functions put their work into the device's counting stream; the device is the
 * current one, and all addresses are of its memory.
 *
 * Included by surrogates.c and by the files with these functions.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SURROGATES_DEVICE_H
#define FIM_SURROGATES_DEVICE_H

#include "episodes/lists.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* How events are moved: as src/engine/episodes/surrogate.h defines it. */
typedef struct Moving
{
	const uint32_t *event;		/* [events] by place, of the stream that was given */
	const uint32_t *start;		/* [ntypes + 1] */
	const FimTime *time;		/* [events] */
	uint32_t	events;
	uint32_t	ntypes;
	bool		real;
	FimTime		dither;
	uint64_t	seed;
} Moving;

/* Moved events while they are put into order; all arrays are [events]. */
typedef struct Moved
{
	uint64_t   *key_of;			/* of each event's time in the surrogate, by its number in the stream that was given */
	uint64_t   *key[2];			/* the same and room for sorting */
	uint32_t   *event[2];		/* the events' numbers */
	uint32_t   *partition[2];	/* NULL if there is one */
	const uint32_t *partition_of;	/* of each event; NULL if there is one */
	const uint32_t *type_of;
	void	   *scratch;
	size_t		scratch_bytes;
} Moved;

/* The partition of each event; "first" is that of each partition. */
extern cudaError_t FillPartitions(GpuDevice *device, const uint32_t *first, uint32_t partitions, uint32_t events,
								  uint32_t *partition_of);

/* Moves the events for a surrogate. */
extern cudaError_t MoveEvents(GpuDevice *device, const Moving *moving, uint32_t surrogate, const Moved *moved);

extern cudaError_t OrderScratch(uint32_t events, size_t *bytes);

/* Puts them into order by partition and time; *event becomes the array that has their numbers then. */
extern cudaError_t OrderEvents(GpuDevice *device, const Moved *moved, uint32_t events, const uint32_t **event);

/* What belongs to n events: numbers, and times from their keys. */
extern cudaError_t Gather(GpuDevice *device, const uint32_t *from, const uint32_t *event, uint32_t n, uint32_t *to);
extern cudaError_t GatherTimes(GpuDevice *device, bool real, const uint64_t *key_of, const uint32_t *event,
							   uint32_t n, FimTime *time);

/* A tested episode: its node, and the support that surrogates are to reach. */
typedef struct Tested
{
	uint32_t	node;
	uint32_t	support;
} Tested;

/* The supports of single types: events that come to the same time count once.  "to" says where they go. */
extern cudaError_t CountTypes(GpuDevice *device, const DeviceStream *stream, const Extension *types, uint32_t n,
							  Counted *counted);

/* Adds what was counted in a surrogate to the counts of the nodes. */
extern cudaError_t AddCounts(GpuDevice *device, const Counted *counted, const Tested *tested, uint32_t n,
							 FimSurrogateCounts *counts);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_SURROGATES_DEVICE_H */

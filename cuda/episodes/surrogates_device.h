/*-------------------------------------------------------------------------
 *
 * surrogates_device.h
 *	  Moving events at random on a device, for many surrogates at a time, and adding up what
 *	  was counted.
 *
 * All functions put their work into the device's counting stream; the device is the
 * current one, and all addresses are of its memory.
 *
 * Included by moments.h and random_moves.h, and by surrogates_sort.cu.
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

/*
 * How events are moved: as src/engine/episodes/surrogate.h defines it.  Of the stream that
 * was given only some types are wanted.  Their events are numbered by class
 * (wanted_events.h).
 */
typedef struct Moving
{
	const uint32_t *place;		/* [events] the event at each place of the stream */
	const uint32_t *start;		/* [ntypes + 1] into the places */
	const uint32_t *wanted_start;	/* [nclasses + 1] into the wanted events */
	const uint32_t *skipped;	/* [nclasses] events of the type before those of the class */
	const FimTime *time;		/* [events] here and below; NULL where they serve as moments */
	const uint32_t *partition;	/* NULL if there is one */
	uint32_t	partitions;
	uint32_t	wanted;			/* events */
	uint32_t	ntypes;
	uint32_t	nclasses;
	bool		real;
	FimTime		dither;
	uint64_t	excess;			/* whole numbers: random bits whose product is less are drawn again */
	uint64_t	seed;
	uint64_t	least;			/* no key in a surrogate is less; 0 for reals */
} Moving;

/*
 * A batch of surrogates, which become one stream: the classes of each surrogate, which
 * are types there, and its partitions follow on those of the one before, and so do its
 * events.  All arrays are [events].
 */
typedef struct Moved
{
	uint64_t   *key_of;			/* of each event's time, above the least one, by its number among the wanted events */
	uint32_t   *type_of;
	uint32_t   *partition_of;	/* NULL if the batch has one */
	uint64_t   *key[2];			/* room for sorting, here and below */
	uint32_t   *event[2];
	uint32_t   *partition[2];	/* NULL if there is one */
	int			key_bits;		/* that differ */
	int			partition_bits;
	void	   *scratch;
	size_t		scratch_bytes;
} Moved;

/* The partition of each event; "first" is that of each partition. */
extern cudaError_t FillPartitions(GpuDevice *device, const uint32_t *first, uint32_t partitions, uint32_t events,
								  uint32_t *partition_of);

/* to[n * copies + 1] becomes the starts of each copy, from[n + 1], after those of the copy before. */
extern cudaError_t RepeatStarts(GpuDevice *device, const uint32_t *from, uint32_t n, uint32_t copies, uint32_t *to);

/*
 * to[n * parts] becomes each extension as it is in each slice of each surrogate, whose types
 * and nodes follow on those of the one before.
 */
extern cudaError_t RepeatExtensions(GpuDevice *device, const Extension *from, uint32_t n, uint32_t parts,
									uint32_t ntypes, uint32_t nodes, Extension *to);

/*
 * to[n * copies] becomes the lists of each copy, from[n].  Those of types lie "events" after those of the copy
 * before, the others "room", in moments.
 */
extern cudaError_t RepeatLists(GpuDevice *device, const DeviceList *from, uint32_t n, uint32_t copies,
							   uint64_t events, uint64_t room, DeviceList *to);

/* Moves the events for surrogates from "first" to end - 1. */
extern cudaError_t MoveEvents(GpuDevice *device, const Moving *moving, uint32_t first, uint32_t end,
							  const Moved *moved);

extern cudaError_t OrderScratch(const Moved *moved, uint32_t events, size_t *bytes);

/* Puts them into order by partition and time; *event becomes the array that has their numbers then. */
extern cudaError_t OrderEvents(GpuDevice *device, const Moved *moved, uint32_t events, const uint32_t **event);

/* What belongs to n events: numbers, and times from their keys. */
extern cudaError_t Gather(GpuDevice *device, const uint32_t *from, const uint32_t *event, uint32_t n, uint32_t *to);
extern cudaError_t GatherTimes(GpuDevice *device, const Moving *moving, const uint64_t *key_of,
							   const uint32_t *event, uint32_t n, FimTime *time);

/* The supports of single types: events that come to the same time count once.  "to" says where they go. */
extern cudaError_t CountTypes(GpuDevice *device, const DeviceStream *stream, const Extension *types, uint32_t n,
							  Counted *counted);

/*
 * Adds what was counted in a batch of surrogates to the counts of the nodes.  "support" is
 * what surrogates are to reach, 0 for nodes that are not tested.
 */
extern cudaError_t AddCounts(GpuDevice *device, const Counted *counted, uint32_t surrogates, uint32_t slices,
							 const uint32_t *support, uint32_t nodes, FimSurrogateCounts *counts);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_SURROGATES_DEVICE_H */

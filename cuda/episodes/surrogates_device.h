/*-------------------------------------------------------------------------
 *
 * surrogates_device.h
 *	  Moving events at random on a device, for many surrogates at a time, and adding up what
 *	  was counted.
 *
 * All functions put their work into the device's counting stream; the device is the
 * current one, and all addresses are of its memory.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SURROGATES_DEVICE_H
#define FIM_SURROGATES_DEVICE_H

#include "engine/episodes/moves.h"
#include "episodes/lists.h"

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * How events are moved, see src/engine/episodes/moves.h.  Only the events of some types are wanted in
 * surrogates.  The wanted events are numbered by class, and within a class in the order of the stream
 * (moments.c).
 */
typedef struct Moving
{
	/* of the stream that was given */
	const uint32_t *place;		/* [events] the event at each place */
	const uint32_t *start;		/* [ntypes + 1] the first place of each type */
	const uint32_t *wanted_start;	/* [nclasses + 1] the first wanted event of each class */
	const uint32_t *skipped;	/* [nclasses] events of the type before those of the class */
	const FimTime *time;		/* [events] */
	const uint32_t *partition;	/* [events] */
	const FimSpan *span;		/* [partitions] */
	uint32_t	partitions;
	uint32_t	wanted;			/* events */
	uint32_t	ntypes;
	uint32_t	nclasses;
	FimMoves	moves;
	uint64_t	least;			/* the least key that a time in a surrogate can have; 0 for reals */

	/* of the hidden stream */
	FimTime    *hidden;			/* [wanted] */
	uint32_t   *partition_of;	/* [wanted] */
} Moving;

/*
 * A batch of surrogates that is put into order, for which events are sorted by the keys of their times.  The
 * batch becomes one stream, in which the classes of a surrogate are types.  Its types, partitions and events
 * follow those of the surrogate before.  All arrays are [events in the batch].
 */
typedef struct Moved
{
	/* by the event's number, before events are put into order */
	uint64_t   *key_of;			/* the key of its time, less Moving.least */
	uint32_t   *type_of;
	uint32_t   *partition_of;	/* NULL if the batch has one */

	/* room for sorting */
	uint64_t   *key[2];
	uint32_t   *event[2];
	uint32_t   *partition[2];	/* NULL if the batch has one */
	int			key_bits;		/* low bits in which keys can differ */
	int			partition_bits; /* low bits in which numbers of partitions can differ */
	void	   *scratch;
	size_t		scratch_bytes;
} Moved;

/* Sets partition_of[events] to the partition of each event; first[partitions] has the first event of each. */
extern cudaError_t FillPartitions(GpuDevice *device, const uint32_t *first, uint32_t partitions, uint32_t events,
								  uint32_t *partition_of);

/*
 * Sets to[n * copies + 1] to the starts from[n + 1] of each copy, so that a copy begins where the one before
 * ends.
 */
extern cudaError_t RepeatStarts(GpuDevice *device, const uint32_t *from, uint32_t n, uint32_t copies, uint32_t *to);

/*
 * Sets to[n][parts] to the extensions from[n], each as it is in every part.  A part is a slice of a
 * surrogate, whose types and nodes follow those of the part before.
 */
extern cudaError_t RepeatExtensions(GpuDevice *device, const Extension *from, uint32_t n, uint32_t parts,
									uint32_t ntypes, uint32_t nodes, Extension *to);

/*
 * Sets to[copies][n] to the lists from[n] of each copy.  From copy to copy, the lists of types move by
 * "events" words, and those that are made by "room" words.
 */
extern cudaError_t RepeatLists(GpuDevice *device, const DeviceList *from, uint32_t n, uint32_t copies,
							   uint64_t events, uint64_t room, DeviceList *to);

/* Makes the hidden stream. */
extern cudaError_t HideStream(GpuDevice *device, const Moving *moving);

/* Moves the events for the surrogates from "first" to end - 1. */
extern cudaError_t MoveEvents(GpuDevice *device, const Moving *moving, uint32_t first, uint32_t end,
							  const Moved *moved);

/* Sets *bytes to the scratch memory that OrderEvents() needs for so many events. */
extern cudaError_t OrderScratch(const Moved *moved, uint32_t events, size_t *bytes);

/* Sorts moved events by partition and time.  *event becomes the array that then has their numbers. */
extern cudaError_t OrderEvents(GpuDevice *device, const Moved *moved, uint32_t events, const uint32_t **event);

/* Sets to[i], or time[i], to what belongs to event[i], for i below n: a number, or the time from its key. */
extern cudaError_t Gather(GpuDevice *device, const uint32_t *from, const uint32_t *event, uint32_t n, uint32_t *to);
extern cudaError_t GatherTimes(GpuDevice *device, const Moving *moving, const uint64_t *key_of,
							   const uint32_t *event, uint32_t n, FimTime *time);

/*
 * Counts the supports of n single types in moments that differ: events that came to the same time count once.
 * The extensions' "to" says where in "counted" the supports go.
 */
extern cudaError_t CountTypes(GpuDevice *device, const DeviceStream *stream, const Extension *types, uint32_t n,
							  Counted *counted);

/*
 * Adds the supports counted[surrogates][slices][nodes] of a batch to counts[nodes].  support[nodes] is what
 * surrogates are to reach, 0 for nodes that are not tested.
 */
extern cudaError_t AddCounts(GpuDevice *device, const Counted *counted, uint32_t surrogates, uint32_t slices,
							 const uint32_t *support, uint32_t nodes, FimSurrogateCounts *counts);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_SURROGATES_DEVICE_H */

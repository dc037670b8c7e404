/*-------------------------------------------------------------------------
 *
 * wanted_events.h
 *	  The events of a stream that surrogates move: all those of the types in the trie.
 *
 * Occurrences lie within partitions, so a stream of many partitions can be cut into slices of
 * whole ones, and the supports in them added up; or anywhere that no occurrence reaches across.
 * That serves to count few episodes by many warps, and to have times fit (moments.h): for a
 * device, each slice has types of its own, which are called classes here.
 *
 * Included by moments.h and by wanted_events.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_WANTED_EVENTS_H
#define FIM_GPU_WANTED_EVENTS_H

#include "episodes/episodes_job.h"

/* On the host.  Class slice * ntypes + type are the events of a type in a slice. */
typedef struct WantedEvents
{
	uint32_t	slices;
	uint32_t	nclasses;
	uint32_t	events;
	uint32_t   *start;			/* [nclasses + 1] where each class begins when they are in order by class */
	uint32_t   *skipped;		/* [nclasses] events of the type in the slices before */
	uint32_t   *partition;		/* [partitions + 1] where each partition begins when they are in order of the stream */

	/* keys of times in surrogates, see surrogates_device.h */
	uint64_t	least;
	int			key_bits;		/* in which keys above the least one can differ */
} WantedEvents;

/* The bits in which numbers up to the greatest one differ, but at least one. */
static inline int
BitsUpTo(uint64_t greatest)
{
	return 64 - __builtin_clzll(greatest | 1);
}

/*
 * Slices begin with the "first" events, or, if that is NULL, have whole partitions and about as many events each.
 * Host memory is the team's.
 */
extern cudaError_t FindWantedEvents(EpisodesJob *job, uint32_t slices, const uint32_t *first, WantedEvents *w);

#endif							/* FIM_GPU_WANTED_EVENTS_H */

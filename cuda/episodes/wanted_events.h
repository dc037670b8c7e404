/*-------------------------------------------------------------------------
 *
 * wanted_events.h
 *	  The events of a stream that surrogates move: all those of the types in the trie.
 *
 * Occurrences lie within partitions.  So a stream of many partitions can be cut into slices of whole
 * partitions, or anywhere that no occurrence reaches across, and the supports in the slices are
 * added up.  Slices allow many warps to count few episodes, and make times fit (moments.h).  On a
 * device, each slice has types of its own, which are called classes here.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_WANTED_EVENTS_H
#define FIM_GPU_WANTED_EVENTS_H

#include "episodes/episodes_job.h"

/* The wanted events, on the host.  The events of a type in a slice are class slice * ntypes + type. */
typedef struct WantedEvents
{
	uint32_t	slices;
	uint32_t	nclasses;
	uint32_t	events;			/* wanted ones */
	uint32_t   *start;			/* [nclasses + 1] where each class begins among the wanted events by class */
	uint32_t   *skipped;		/* [nclasses] events of the type in the slices before */
	uint32_t   *partition;		/* [partitions + 1] where each begins among the wanted events of the stream */

	/* keys of times in surrogates, see surrogates_device.h */
	uint64_t	least;			/* the least key that an event can come to */
	int			key_bits;		/* low bits in which keys can differ once "least" has been subtracted */
} WantedEvents;

/* How many bits a number up to "greatest" takes, but at least 1. */
static inline int
BitsUpTo(uint64_t greatest)
{
	return 64 - __builtin_clzll(greatest | 1);
}

/* Sets wanted[ntypes] to 1 for the types in the trie and 0 for the others.  Returns how many events they have. */
extern uint32_t FindWantedTypes(const EpisodesJob *job, uint8_t *wanted);

/*
 * Finds the wanted events of so many slices.  Slices begin with the events first[slices].  If that is NULL,
 * they are whole partitions, with about equally many events in each slice.  The arrays are the team's memory,
 * until the job ends.
 */
extern cudaError_t FindWantedEvents(EpisodesJob *job, uint32_t slices, const uint32_t *first, WantedEvents *w);

#endif							/* FIM_GPU_WANTED_EVENTS_H */

/*-------------------------------------------------------------------------
 *
 * backward.h
 *	  The events before an episode that make frequent episodes with it: propagation
 *	  from the last event to the first one, of the earliest ends instead of the latest
 *	  starts.
 *
 * An episode that is preceded by an event is no more frequent than its beginning that is
 * preceded by the same.  So the predecessors of an episode are some of those of its
 * prefix, and few are left to be counted when episodes are long.
 *
 * Included by propagate.c and by backward.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_EPISODES_BACKWARD_H
#define FIM_EPISODES_BACKWARD_H

#include "worker.h"

/* A type that precedes an episode, the gap between them, and the support of both together. */
typedef struct Predecessor
{
	uint32_t	type;
	uint32_t	gap;
	uint32_t	support;
} Predecessor;

typedef struct Predecessors
{
	Predecessor *entry;
	uint32_t	n;
} Predecessors;

/*
 * Find those of the candidates that have at least so much support with the episode, the
 * first "most" of them.  "found" has room for them.
 */
extern void FindPredecessors(Worker *w, const Episode *episode, uint32_t support, const Predecessors *candidates,
							 uint64_t least, uint32_t most, Predecessors *found);

#endif							/* FIM_EPISODES_BACKWARD_H */

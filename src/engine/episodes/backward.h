/*-------------------------------------------------------------------------
 *
 * backward.h
 *	  The predecessors of an episode, which make frequent episodes when put before it.
 *	  They are found by propagating the earliest ends from the episode's last event to its
 *	  first one, instead of the latest starts from the first to the last.
 *
 * A predecessor has no more support with an episode than with a prefix of the episode.  So
 * the predecessors of an episode are among those of its prefixes, and few candidates are
 * left to be counted when episodes are long.
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
 * Find the first "most" of the candidates that have a support of at least "least" together
 * with the episode.  "support" is the episode's own; that of a candidate is an upper bound.
 * The caller gives found->entry room for "most" of them.  Polls.
 */
extern void FindPredecessors(Worker *w, const Episode *episode, uint32_t support, const Predecessors *candidates,
							 uint64_t least, uint32_t most, Predecessors *found);

#endif							/* FIM_EPISODES_BACKWARD_H */

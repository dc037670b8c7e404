/*-------------------------------------------------------------------------
 *
 * backward.h
 *	  Whether an event before an episode makes a longer one that tells that it is not
 *	  closed or not maximal.
 *
 * Included by propagate.c and by backward.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_EPISODES_BACKWARD_H
#define FIM_EPISODES_BACKWARD_H

#include "lists.h"

/* What is known of the occurrences of an episode that is extended by some type. */
typedef struct Counter
{
	uint32_t	entries;		/* in its list */
	uint32_t	support;
	uint32_t	free;			/* where the next occurrence must begin, or end before */
	uint32_t	to;				/* used by those who make its list */
} Counter;

/*
 * Whether an episode of the given support, extended by one event at its beginning, has
 * at least the given support.  counter, [ntypes], has zero entries before and after;
 * touched has room for ntypes.
 */
extern bool HasPredecessor(Worker *w, const Episode *episode, uint64_t least, Counter *counter,
						   uint32_t *touched);

#endif							/* FIM_EPISODES_BACKWARD_H */

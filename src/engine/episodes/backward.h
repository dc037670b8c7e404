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

#include "extensions.h"

/*
 * Whether an episode, extended by one event at its beginning, has the given support at
 * least.
 */
extern bool HasPredecessor(Counting *c, const Episode *episode, uint64_t least);

#endif							/* FIM_EPISODES_BACKWARD_H */

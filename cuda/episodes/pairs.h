/*-------------------------------------------------------------------------
 *
 * pairs.h
 *	  Upper bounds of the supports of all pairs of types, from one walk along the stream.
 *
 * The support of a pair is at most the number of pairs of events of these types of
 * which one follows the other under the gap.  Where windows are narrow, to count
 * these takes far less than to extend the list of each type by each other type, and most
 * pairs of types turn out not to be worth that.
 *
 * Included by propagate.c and by pairs.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_EPISODE_PAIRS_H
#define FIM_GPU_EPISODE_PAIRS_H

#include "episodes/kept_lists.h"
#include "episodes/search_strategy.h"
#include "episodes/stream.h"

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * Of the stream's section, as SearchStrategy has it.  They are not known if that does not pay.
 *
 * Unless "lists" is NULL, lists are made at once where that can be, in a block of it on the first device, as they are
 * kept; bounds are then the lists' numbers of entries.  *address is that of the block, or NULL.
 */
extern cudaError_t BoundPairs(EpisodesJob *job, const EventStream *stream, uint32_t nfrequent, PairBounds *bounds,
							  KeptLists *lists, uint32_t **address);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_EPISODE_PAIRS_H */

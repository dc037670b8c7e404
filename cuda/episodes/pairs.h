/*-------------------------------------------------------------------------
 *
 * pairs.h
 *	  Upper bounds of the supports of all pairs of types, from one walk along the stream.
 *
 * The support of a pair is at most the number of pairs of events of these types of
 * which one follows the other under the gap.  Where windows are narrow, counting these pairs of
 * events takes far less than extending the list of each type by each other type, and most
 * pairs of types turn out not to need that.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_EPISODE_PAIRS_H
#define FIM_GPU_EPISODE_PAIRS_H

#include "episodes/lists.h"
#include "episodes/search_strategy.h"
#include "episodes/stream.h"

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * As bound_pairs() of SearchStrategy, for the section that is on the devices.  Bounds are not known if
 * finding them does not pay.
 *
 * If "lists" is not NULL, the lists of the pairs are made, too, where that is possible.  They lie one after
 * the other in the first block of "lists" on the first device, each as a list with places, and bounds are then
 * their numbers of entries.  *address becomes the address of the block, or NULL if the lists are not made.
 */
extern cudaError_t BoundPairs(EpisodesJob *job, const EventStream *stream, uint32_t nfrequent, PairBounds *bounds,
							  KeptLists *lists, uint32_t **address);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_EPISODE_PAIRS_H */

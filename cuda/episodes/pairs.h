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

#include "episodes/stream.h"

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * Sets *bounds to host memory, [ntypes][ngaps][ntypes] by first type, gap and second
 * type, or to NULL if it does not pay, nfrequent types being frequent.
 */
extern cudaError_t BoundPairs(EpisodesJob *job, const EventStream *stream, uint32_t nfrequent, uint32_t **bounds);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_EPISODE_PAIRS_H */

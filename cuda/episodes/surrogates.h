/*-------------------------------------------------------------------------
 *
 * surrogates.h
 *	  The job of counting given episodes on surrogates, copies of the stream whose
 *	  events are moved at random.
 *
 * Included by episodes.c and by surrogates.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_SURROGATES_H
#define FIM_GPU_SURROGATES_H

#include "episodes/stream.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* The memory of a device that it would like to have, for many surrogates at a time, and that it takes at least. */
extern void SurrogatesMemory(const FimEpisodesJob *asked, const FimEpisodesData *data, uint64_t *wanted,
							 uint64_t *least);

/* The team's devices take batches of surrogates by turns. */
extern cudaError_t CountOnSurrogates(EpisodesJob *job);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_SURROGATES_H */

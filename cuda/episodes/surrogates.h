/*-------------------------------------------------------------------------
 *
 * surrogates.h
 *	  The job of counting given episodes on surrogates, copies of the stream whose
 *	  events are moved at random.
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

/* The team's devices take batches of surrogates by turns. */
extern cudaError_t CountOnSurrogates(EpisodesJob *job);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_SURROGATES_H */

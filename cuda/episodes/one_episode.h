/*-------------------------------------------------------------------------
 *
 * one_episode.h
 *	  The job of counting a given episode, or of listing its occurrences.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_ONE_EPISODE_H
#define FIM_GPU_ONE_EPISODE_H

#include "episodes/stream.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* The bytes of a device that this takes beside the stream. */
extern uint64_t OneEpisodeMemory(const FimEpisodesJob *asked, const FimEpisodesData *data);

/* One of the team's devices does all of it. */
extern cudaError_t OneEpisode(EpisodesJob *job, EventStream *stream);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_ONE_EPISODE_H */

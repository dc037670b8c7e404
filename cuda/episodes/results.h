/*-------------------------------------------------------------------------
 *
 * results.h
 *	  Giving out episodes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_EPISODE_RESULTS_H
#define FIM_GPU_EPISODE_RESULTS_H

#include "episodes/level.h"

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * Gives the wanted episodes of a level to the job's sink, or, if the job only counts, adds their number to
 * its summary.
 */
extern cudaError_t GiveEpisodes(EpisodesJob *job, const EpisodeLevels *levels, uint32_t length);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_EPISODE_RESULTS_H */

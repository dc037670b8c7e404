/*-------------------------------------------------------------------------
 *
 * search.h
 *	  The level-wise search that all strategies of this family share.
 *
 * Prefix and suffix of a frequent episode are frequent.  So a level's candidates are
 * joined from the episodes that are one event shorter.  The episode without one of its inner
 * events need not be frequent, because its gaps are different ones.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_EPISODE_SEARCH_H
#define FIM_GPU_EPISODE_SEARCH_H

#include "episodes/level.h"
#include "episodes/search_strategy.h"
#include "episodes/sections.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Finds the episodes that the job asks for and gives them out.  "of" is passed on to the strategy. */
extern cudaError_t SearchEpisodes(EpisodesJob *job, Sections *sections, const SearchStrategy *strategy, void *of);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_EPISODE_SEARCH_H */

/*-------------------------------------------------------------------------
 *
 * search.h
 *	  The level-wise search that all strategies of this family share.
 *
 * Prefix and suffix of a frequent episode are frequent.  So a level's candidates are
 * joined from the episodes that are one event shorter.  What is left when an inner event is
 * taken out is not known to be frequent: its gaps are other ones.
 *
 * Included by episodes.c and by the strategies.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_EPISODE_SEARCH_H
#define FIM_GPU_EPISODE_SEARCH_H

#include "episodes/search_strategy.h"
#include "episodes/sections.h"

#ifdef __cplusplus
extern "C"
{
#endif

extern cudaError_t SearchEpisodes(EpisodesJob *job, Sections *sections, const SearchStrategy *strategy, void *of);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_EPISODE_SEARCH_H */

/*-------------------------------------------------------------------------
 *
 * section_sums.h
 *	  What a strategy counts, summed over the sections of the stream.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_SECTION_SUMS_H
#define FIM_GPU_SECTION_SUMS_H

#include "episodes/search_strategy.h"
#include "episodes/sections.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Counts a batch in all sections, and fills in what is found in all of them together. */
extern cudaError_t CountInSections(EpisodesJob *job, Sections *sections, const SearchStrategy *strategy, void *of,
								   CandidateBatch *batch);

/*
 * As bound_pairs() of SearchStrategy, for all sections together.  Bounds are known if they are in each
 * section.
 */
extern cudaError_t BoundPairsInSections(EpisodesJob *job, Sections *sections, const SearchStrategy *strategy,
										void *of, uint32_t nfrequent, PairBounds *bounds);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_SECTION_SUMS_H */

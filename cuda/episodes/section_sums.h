/*-------------------------------------------------------------------------
 *
 * section_sums.h
 *	  What a strategy counts, summed over the sections of the stream.
 *
 * Included by search.c and by section_sums.c.
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

/* Fills in what is found of a batch in all sections together. */
extern cudaError_t CountInSections(EpisodesJob *job, Sections *sections, const SearchStrategy *strategy, void *of,
								   CandidateBatch *batch);

/* As SearchStrategy has it.  Bounds are known if those of each section are. */
extern cudaError_t BoundPairsInSections(EpisodesJob *job, Sections *sections, const SearchStrategy *strategy,
										void *of, uint32_t nfrequent, PairBounds *bounds);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_SECTION_SUMS_H */

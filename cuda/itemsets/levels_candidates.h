/*-------------------------------------------------------------------------
 *
 * levels_candidates.h
 *	  Forming the candidates of a level.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_LEVELS_CANDIDATES_H
#define FIM_LEVELS_CANDIDATES_H

#include "itemsets/levels_state.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Begins with the candidates of the current level's first member. */
extern void LevelsBeginForming(ItemsetLevels *levels);

/*
 * Fills a batch with the candidates that follow.  The batch may take "bytes" of a device, of which
 * each group takes group_bytes and each candidate candidate_bytes.  Returns false if there are no
 * more candidates.
 */
extern bool LevelsFormBatch(ItemsetLevels *levels, ItemsetBatch *batch, size_t bytes, size_t group_bytes,
							size_t candidate_bytes);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_LEVELS_CANDIDATES_H */

/*-------------------------------------------------------------------------
 *
 * levels_frequent.h
 *	  Growing a level: what is frequent of its candidates.
 *
 * Included by levels.c, and by dci_pairs.c, which finds pairs by other means than candidates.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_LEVELS_FREQUENT_H
#define FIM_LEVELS_FREQUENT_H

#include "itemsets/levels_state.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Empties a level, which is to have itemsets of k items.  The level before has nparents members. */
extern void LevelReset(ItemsetJob *job, Level *level, uint32_t k, uint64_t nparents);
extern void LevelFree(ItemsetJob *job, Level *level);

/* For count_pairs(): adds a frequent pair.  Pairs come in ascending order. */
extern void LevelsAddPair(Levels *levels, uint32_t item, uint32_t other, uint32_t support);

/*
 * Appends what is frequent of a batch, whose supports are known, to the next level.  Says of the
 * current level's members which of them have a superset there, if that is wanted.
 */
extern void LevelsTakeBatch(Levels *levels, const CandidateBatch *batch);

/*
 * Sets first[] of a level for all parents up to this one for which it has not been set: their
 * children begin where the level ends now, so that those that have got none have none.
 */
extern void LevelFillParents(Level *level, uint64_t parent);

/* Makes the first level: the frequent items that not all transactions hold, in one class. */
extern void LevelsFillFirst(Levels *levels);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_LEVELS_FREQUENT_H */

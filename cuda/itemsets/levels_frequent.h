/*-------------------------------------------------------------------------
 *
 * levels_frequent.h
 *	  Growing a level by the candidates that are frequent.
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

/* Empties a level, which is to hold itemsets of k items.  The level before has nparents members. */
extern void LevelReset(ItemsetJob *job, ItemsetLevel *level, uint32_t k, uint64_t nparents);
extern void LevelFree(ItemsetJob *job, ItemsetLevel *level);

/* For count_pairs(): adds a frequent pair.  Pairs come in ascending order. */
extern void LevelsAddPair(ItemsetLevels *levels, uint32_t item, uint32_t other, uint32_t support);

/*
 * Appends to the next level the frequent candidates of a batch, whose supports are known.  If
 * closed or maximal itemsets are wanted, sets the flags of the current level's members.
 */
extern void LevelsTakeBatch(ItemsetLevels *levels, const ItemsetBatch *batch);

/*
 * Sets the level's first[] for all parents up to this one for which it has not been set.  It is
 * set to where the level ends now, so that parents which have not got children have none.
 */
extern void LevelFillParents(ItemsetLevel *level, uint64_t parent);

/* Makes the first level: the frequent items that not all transactions hold, in one class. */
extern void LevelsFillFirst(ItemsetLevels *levels);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_LEVELS_FREQUENT_H */

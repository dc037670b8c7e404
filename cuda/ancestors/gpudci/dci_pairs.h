/*-------------------------------------------------------------------------
 *
 * dci_pairs.h
 *	  What gpuDCI does with transactions on the host: counting pairs, and leaving out what is no longer needed.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_DCI_PAIRS_H
#define FIM_DCI_PAIRS_H

#include "ancestors/gpudci/dci_state.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* A LevelCounter's count_pairs().  It counts pairs if that is quicker than counting them as candidates. */
extern bool DciCountPairs(void *of, ItemsetLevels *levels);

/*
 * Sets occurs[] to the number of the level's itemsets in which each item occurs.  An item of an
 * itemset of the next level occurs in at least as many of this level's itemsets as these have
 * items.
 */
extern void DciCountOccurrences(Dci *dci, const ItemsetLevel *level, uint32_t *occurs);

/* Called after a level has been counted: keeps what the next level needs of the transactions. */
extern void DciPruneOnHost(Dci *dci, const ItemsetLevel *level);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_DCI_PAIRS_H */

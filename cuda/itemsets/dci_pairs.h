/*-------------------------------------------------------------------------
 *
 * dci_pairs.h
 *	  What gpuDCI does with transactions on the host: pairs, and leaving out what is no longer needed.
 *
 * Included by dci.c, and by dci_drop.cu, which asks how often items occur.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_DCI_PAIRS_H
#define FIM_DCI_PAIRS_H

#include "itemsets/dci_state.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* A LevelCounter's count_pairs().  It goes through the transactions if that pays. */
extern bool DciCountPairs(void *of, Levels *levels);

/*
 * Counts in how many of the level's itemsets each item occurs.  An item of an itemset
 * of the next level occurs in at least as many as this level's itemsets have items.
 */
extern void DciCountOccurrences(Dci *dci, const Level *level, uint32_t *occurs);

/* Keeps, after a level has been counted, what the next one needs of the transactions. */
extern void DciPruneOnHost(Dci *dci, const Level *level);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_DCI_PAIRS_H */

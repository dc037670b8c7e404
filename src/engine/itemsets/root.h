/*-------------------------------------------------------------------------
 *
 * root.h
 *	  Where every search begins: which items are frequent, and the itemset that
 *	  all transactions hold.
 *
 * Included by the engines, on processors and on GPUs.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_ROOT_H
#define FIM_ROOT_H

#include "engine/itemsets/miner.h"

/*
 * How many items of the database are frequent.  These are the first ones, since
 * items are numbered by descending support.  *perfect is set to how many of them
 * are in all transactions; these are the first of all.
 */
extern uint32_t RootItems(const FimItemsetsJob *job, const FimDatabase *db, uint32_t *perfect);

/* Begin the path with the items that are in all transactions, the first n. */
extern void RootBegin(Miner *m, uint32_t n);

/*
 * Give out the itemset that all transactions hold, with its subsets if all itemsets
 * are wanted.  has_classes: some item is frequent and not in all transactions.
 */
extern void RootEmit(Miner *m, bool has_classes);

#endif							/* FIM_ROOT_H */

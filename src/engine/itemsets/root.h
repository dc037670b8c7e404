/*-------------------------------------------------------------------------
 *
 * root.h
 *	  Where every search begins: which items are frequent, and the itemset that
 *	  all transactions hold.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_ROOT_H
#define FIM_ROOT_H

#include "engine/itemsets/miner.h"

/*
 * Returns how many items of the database are frequent.  These are the first items, since
 * items are numbered by descending support.  *perfect is set to the number of items that
 * are in all transactions; these come first among the frequent ones.
 */
extern uint32_t RootItems(const FimItemsetsJob *job, const FimDatabase *db, uint32_t *perfect);

/*
 * Begin with the items that are in all transactions, the database's first n: they go on the
 * path, or, if all itemsets are wanted, to the perfect items.
 */
extern void RootBegin(Miner *m, uint32_t n);

/*
 * Give out the itemset that all transactions hold, with its subsets if all itemsets are
 * wanted.  "has_classes" says that some item is frequent and not in all transactions; then
 * that itemset is not maximal.
 */
extern void RootEmit(Miner *m, bool has_classes);

#endif							/* FIM_ROOT_H */

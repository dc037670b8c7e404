/*-------------------------------------------------------------------------
 *
 * row_sets.h
 *	  Closed and maximal itemsets by sets of rows, for few rows of many items.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_ROW_SETS_H
#define FIM_ROW_SETS_H

#include "miner.h"
#include "view.h"

/* Whether sets of rows are gone through; all workers come to the same answer. */
extern bool MinesRowSets(const FimItemsetsJob *job, const FimDatabase *db);

/* Mine until no unit of work is left.  The items of all rows must be on the path. */
extern void MineRowSets(Miner *m, const View *view);

#endif							/* FIM_ROW_SETS_H */

/*-------------------------------------------------------------------------
 *
 * maximal.h
 *	  Maximal itemsets within a class.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_MAXIMAL_H
#define FIM_MAXIMAL_H

#include "known.h"
#include "node.h"

/*
 * Sort n columns by descending counts[column].  Columns of equal counts stay in their order.
 * No count is above "most".
 */
extern void SortColumns(Miner *m, uint32_t *column, uint32_t n, const uint32_t *counts,
						uint32_t most);

/*
 * Give out the maximal itemsets of a class.  The path ends with the class's item and its
 * perfect extensions.  The node's columns are the class's other extensions; column[] says
 * which of the search's columns they are, see KnownBeginSearch().  "whole" says that the
 * class is one of the whole database and not of a projected one.
 */
extern void MineMaximalNode(Miner *m, const Node *node, uint32_t *column, bool whole);

/* Give out the maximal itemsets of the class of column j, where the whole database is one node, "root". */
extern void MineMaximalRootColumn(Miner *m, const Node *root, uint32_t j);

#endif							/* FIM_MAXIMAL_H */

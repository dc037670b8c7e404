/*-------------------------------------------------------------------------
 *
 * maximal.h
 *	  Maximal itemsets within a class.
 *
 * Included by cpu_engine.c and projected_rows.c, which make the nodes of classes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_MAXIMAL_H
#define FIM_MAXIMAL_H

#include "node.h"

/*
 * Sort n columns by descending count, equal ones staying in their order.  counts[] are
 * by column, and none is above "most".
 */
extern void SortColumns(Miner *m, uint32_t *column, uint32_t n, const uint32_t *counts,
						uint32_t most);

/*
 * Give out the maximal itemsets of a class.  Its item and what is perfect to it are on
 * the path, and its extensions are the node's columns; column[] says which of the
 * search's columns they are, see KnownBeginSearch().  whole: it is a class of the
 * whole database and not of a projected one.
 */
extern void MineMaximalNode(Miner *m, const Node *node, uint32_t *column, bool whole);

/* The same for the class of column j where the whole database is one node. */
extern void MineMaximalRootColumn(Miner *m, const Node *root, uint32_t j);

#endif							/* FIM_MAXIMAL_H */

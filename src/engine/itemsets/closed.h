/*-------------------------------------------------------------------------
 *
 * closed.h
 *	  Closed itemsets within a node.
 *
 * Included by cpu_engine.c and projected_rows.c, which make the nodes of classes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_CLOSED_H
#define FIM_CLOSED_H

#include "bit_matrix.h"

/* Give out the closed itemsets of a class whose node has just been made of rows. */
extern void MineClosedClass(Miner *m, Node *node);

/*
 * Those of a node that extend the path by column j and columns before it; "merge" as for
 * NodeProject().
 */
extern void MineClosedColumn(Miner *m, const Node *node, uint32_t j, bool merge);

#endif							/* FIM_CLOSED_H */

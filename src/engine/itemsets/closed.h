/*-------------------------------------------------------------------------
 *
 * closed.h
 *	  Closed itemsets within a node.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_CLOSED_H
#define FIM_CLOSED_H

#include "node.h"

/* Give out the closed itemsets of a class whose node has just been made of rows. */
extern void MineClosedClass(Miner *m, Node *node);

/* Give out the closed itemsets of the class of column j of the node that NodeOfView() made. */
extern void MineClosedRootColumn(Miner *m, const Node *root, uint32_t j);

#endif							/* FIM_CLOSED_H */

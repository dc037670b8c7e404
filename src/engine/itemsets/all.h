/*-------------------------------------------------------------------------
 *
 * all.h
 *	  All frequent itemsets within a node.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_ALL_H
#define FIM_ALL_H

#include "node.h"

/* Give out all frequent itemsets that extend the path by columns of the node. */
extern void MineAllNode(Miner *m, const Node *node);

/* Give out those that extend it by column j and columns before j.  "merge" is as for NodeProject(). */
extern void MineAllColumn(Miner *m, const Node *node, uint32_t j, bool merge);

#endif							/* FIM_ALL_H */

/*-------------------------------------------------------------------------
 *
 * node_child.h
 *	  The nodes below a node.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_NODE_CHILD_H
#define FIM_NODE_CHILD_H

#include "node.h"

/*
 * All functions make a child of a node, *to.  They take memory from the miner's arena, and
 * leave by its jump if there is none.
 *
 * NodeProject() makes the child for column j.  Its columns are the n columns before j that
 * the mask selects.  counts[] has the support of each column together with column j.
 * "merge" says that merging equal rows again is worth it; it is for nodes without rows.
 */
extern void NodeProject(Miner *m, const Node *from, uint32_t j, const uint32_t *counts,
						const uint8_t *mask, uint32_t n, bool merge, Node *to);

/*
 * The same for a node with rows, whose extensions are in one word.  The child gets rows of
 * its own: those of column j, where rows that have the same of the child's columns are
 * merged.
 */
extern void NodeMerge(Miner *m, const Node *from, uint32_t j, const uint32_t *counts,
					  const uint8_t *mask, uint32_t n, Node *to);

/*
 * Make the class of column j of the node that NodeOfView() made, for closed itemsets.  The
 * mask selects k columns before column j, which are the class's extensions, and "excluded"
 * columns after it.
 */
extern void NodeOfRootColumn(Miner *m, const Node *root, uint32_t j, const uint32_t *counts,
							 const uint8_t *mask, uint32_t k, uint32_t excluded, Node *to);

/* NodeProject() with the n columns that columns[] lists, in that order. */
extern void NodeProjectInOrder(Miner *m, const Node *from, uint32_t j, const uint32_t *counts,
							   const uint32_t *columns, uint32_t n, bool merge, Node *to);

#endif							/* FIM_NODE_CHILD_H */

/*-------------------------------------------------------------------------
 *
 * node_child.h
 *	  The nodes below a node.
 *
 * Included by what mines nodes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_NODE_CHILD_H
#define FIM_NODE_CHILD_H

#include "node.h"

/*
 * All functions take memory from the miner's arena, and leave by its jump if there is
 * none.
 *
 * NodeProject() makes the child for column j: the n columns before it that mask selects.
 * counts[] are their supports together with column j.  "merge" says that equal rows are worth being
 * merged again, for nodes without rows.
 */
extern void NodeProject(Miner *m, const Node *from, uint32_t j, const uint32_t *counts,
						const uint8_t *mask, uint32_t n, bool merge, Node *to);

/*
 * The same with rows of its own: those of column j, merged where they differ only in
 * columns that the child does not have.  The extensions are in one word of a row.
 */
extern void NodeMerge(Miner *m, const Node *from, uint32_t j, const uint32_t *counts,
					  const uint8_t *mask, uint32_t n, Node *to);

/*
 * The class of column j of the node that NodeOfView() made, for closed itemsets: mask
 * selects k columns before column j, its extensions, and "excluded" ones after it.
 */
extern void NodeOfRootColumn(Miner *m, const Node *root, uint32_t j, const uint32_t *counts,
							 const uint8_t *mask, uint32_t k, uint32_t excluded, Node *to);

/* NodeProject() with n columns in the order in which columns[] lists them. */
extern void NodeProjectInOrder(Miner *m, const Node *from, uint32_t j, const uint32_t *counts,
							   const uint32_t *columns, uint32_t n, bool merge, Node *to);

#endif							/* FIM_NODE_CHILD_H */

/*-------------------------------------------------------------------------
 *
 * node_of_rows.h
 *	  Nodes made of the rows of a view.
 *
 * Included by what goes on from rows to bit matrices.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_NODE_OF_ROWS_H
#define FIM_NODE_OF_ROWS_H

#include "node.h"
#include "view.h"

/*
 * All functions take memory from the miner's arena, and leave by its jump if there is
 * none.
 *
 * NodeOfRows() makes the matrix of class i of a view, whose k extensions and excluded
 * items are in items[]; view->local maps each of them to its column + 1.  It does not
 * set the supports.  Without "merge", excluded items are to be counted: rows are not
 * merged, and those without an excluded item are left out.
 */
extern void NodeOfRows(Miner *m, const View *view, uint32_t i, const uint32_t *items,
					   uint32_t k, uint32_t excluded, bool merge, Node *node);

/* The whole view as a node, whose columns are the view's classes; at most MERGED_COLUMNS. */
extern void NodeOfView(Miner *m, const View *view, Node *node);

#endif							/* FIM_NODE_OF_ROWS_H */

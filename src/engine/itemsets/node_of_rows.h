/*-------------------------------------------------------------------------
 *
 * node_of_rows.h
 *	  Nodes made of the rows of a view.
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
 * NodeOfRows() makes the node of class i of a view.  items[] has the class's k extensions
 * and its excluded items, and view->local must map each of them to its column + 1.  The
 * caller sets the node's supports.  If "merge" is false, the matrix is for counting excluded
 * items: rows are not merged, and those without an excluded item are left out.
 */
extern void NodeOfRows(Miner *m, const View *view, uint32_t i, const uint32_t *items,
					   uint32_t k, uint32_t excluded, bool merge, Node *node);

/* Make a node of the whole view.  Its columns are the items of the view's classes, at most MERGED_COLUMNS. */
extern void NodeOfView(Miner *m, const View *view, Node *node);

#endif							/* FIM_NODE_OF_ROWS_H */

/*-------------------------------------------------------------------------
 *
 * bit_matrix.h
 *	  Nodes of the search: bit matrices made from rows and from each other.
 *
 * Included by what mines Nodes, and by what makes them of rows.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_BIT_MATRIX_H
#define FIM_BIT_MATRIX_H

#include "view.h"

/* With this many extensions one machine word holds a row, and equal rows merge. */
#define MERGED_COLUMNS	63

/*
 * Columns 0 .. k-1 extend the path and columns k .. k+excluded-1 are excluded items,
 * see view.h.  In a class as it is made, columns are in the order of items, the most
 * frequent first.
 *
 * Whether an excluded item covers a closed itemset is either counted in the node, and
 * then each child carries the excluded items that are frequent in it; or, where there
 * are many of them and rows differ (see closed.c), it is looked up in the matrix of
 * the whole class.  In the second case place is set, excluded is 0, and column k of a
 * child has all of its transactions.
 */
typedef struct Node
{
	BitMatrix	matrix;
	uint32_t	k;
	uint32_t	excluded;
	uint32_t	path_support;
	uint32_t   *support;		/* [k] of the path and the column's item */
	uint32_t   *item;			/* [k + excluded] the caller's numbers */
	uint32_t   *place;			/* [k + 1] which columns of the class these are, or NULL */
	RowMatrix	rows;			/* of a class of many columns, for closed itemsets */
} Node;

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

/*
 * The child for column j: the columns that mask selects, nextensions of them before
 * column j and nexcluded after it.  counts[] are their supports together with column
 * j.  If covers are looked up in the class's matrix, the mask selects column j as well.
 * "merge" says that equal rows are worth being merged again.
 */
extern void NodeProject(Miner *m, const Node *from, uint32_t j, const uint32_t *counts,
						const uint8_t *mask, uint32_t nextensions, uint32_t nexcluded,
						bool merge, Node *to);

/* The same with n extensions alone, in the order in which columns[] lists them. */
extern void NodeProjectInOrder(Miner *m, const Node *from, uint32_t j, const uint32_t *counts,
							   const uint32_t *columns, uint32_t n, bool merge, Node *to);

#endif							/* FIM_BIT_MATRIX_H */

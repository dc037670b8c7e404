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
 * For closed itemsets a node has the rows of its class besides.  A row's bits are the
 * class's extensions and then its excluded items.  These are not in the matrix, since
 * what covers an itemset is looked up in the rows, see closed.c.  Extensions that fit
 * into one word are the last bits of a row's first.
 */
typedef struct Node
{
	BitMatrix	matrix;
	uint32_t	k;
	uint32_t	excluded;
	uint32_t	path_support;
	uint32_t   *support;		/* [k] of the path and the column's item */
	uint32_t   *item;			/* [k + excluded] the caller's numbers */
	RowMatrix	rows;
	uint32_t   *place;			/* [k] which bits of the rows the columns are, or NULL: no rows */
	uint32_t   *cover;			/* [k] a bit of the rows, not on the path, that covers the column, as
								 * far as one is known, else FIM_NOT_COVERED; see closed.c */
	uint32_t	after;			/* from this bit on, all come after the node's columns */
	bool		one_word;		/* all extensions are in the first word of a row */
} Node;

/* What covered a column still does if it has not come on the path. */
static inline uint32_t
CoverLeft(const Miner *m, uint32_t cover)
{
	if (cover != FIM_NOT_COVERED && (m->candidates[cover / 64] >> (cover % 64) & 1) == 0)
		return FIM_NOT_COVERED;
	return cover;
}

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
 * The child for column j: the n columns before it that mask selects.  counts[] are
 * their supports together with column j.  "merge" says that equal rows are worth being
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

#endif							/* FIM_BIT_MATRIX_H */

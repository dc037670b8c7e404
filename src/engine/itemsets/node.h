/*-------------------------------------------------------------------------
 *
 * node.h
 *	  A node of the search, where it goes on in a bit matrix.
 *
 * Included by what mines nodes and by what makes them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_NODE_H
#define FIM_NODE_H

#include "miner.h"

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

#endif							/* FIM_NODE_H */

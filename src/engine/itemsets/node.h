/*-------------------------------------------------------------------------
 *
 * node.h
 *	  A node of the search, where it goes on in a bit matrix.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_NODE_H
#define FIM_NODE_H

#include "miner.h"

/* Up to this many extensions, one machine word holds those of a row, and rows with equal extensions are merged. */
#define MERGED_COLUMNS	63

/*
 * Columns 0 .. k-1 extend the path, and columns k .. k+excluded-1 are excluded items, see
 * view.h.  In a class as it is made, the extensions are in the order of items, the most
 * frequent first, and so are the excluded items.
 *
 * When closed itemsets are mined, a node also has the rows of its class.  The bits of a
 * row are the class's extensions, then its excluded items.  The matrix has no columns for
 * the excluded items then, since what covers an itemset is looked up in the rows, see
 * closed.c.  If there are at most MERGED_COLUMNS extensions, they are the last bits of a
 * row's first word, and the excluded items begin with the second word.
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
	uint32_t   *place;			/* [k] the bit of the rows that is the column, or NULL if there are no rows */
	uint32_t   *cover;			/* [k] a bit of the rows that covers the column and is not on the path,
								 * or FIM_NOT_COVERED if none is known; see closed.c */
	uint32_t	after;			/* bits of the rows from this one on come after all columns of the node */
	bool		one_word;		/* all extensions of the class are in the first word of a row */
} Node;

/* A column's cover in a node, from its cover in the node above: that one, unless it is on the path now. */
static inline uint32_t
CoverLeft(const Miner *m, uint32_t cover)
{
	if (cover != FIM_NOT_COVERED && (m->candidates[cover / 64] >> (cover % 64) & 1) == 0)
		return FIM_NOT_COVERED;
	return cover;
}

#endif							/* FIM_NODE_H */

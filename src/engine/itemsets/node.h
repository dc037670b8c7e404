/*-------------------------------------------------------------------------
 *
 * node.h
 *	  
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_NODE_H
#define FIM_NODE_H

#include "engine/hash.h"
#include "miner.h"
#include "view.h"

/*
 * Rows as sets of columns, for what makes bit matrices of them.
 */

/*
 * Rows as sets of columns, before they are transposed.  The extensions are the last bits of
 * a row's first word.  Some of these bits may be columns that are no extensions of the
 * node, so "key" has the bits that are.  The excluded columns begin with the second word.
 */
typedef struct Patterns
{
	uint32_t	nrows;
	uint32_t	row_words;
	uint64_t	key;
	uint64_t   *words;			/* [nrows][row_words] */
	uint32_t   *weight;			/* [nrows] */
} Patterns;

/*
 * Rows with weights as bits of a matrix: which bits each row takes, and rows turned into columns.
 */

/*
 * Where the bits of each row go in a matrix.  Plane s takes the rows whose weight has bit s
 * set, and each plane begins with a new word.  If the sum of all weights is small, fewer
 * words are needed if a row of weight w is written as w copies of weight 1, without planes.
 * Then "copies" is true.
 */
typedef struct Planes
{
	bool		copies;
	uint32_t	nwords;			/* of the matrix */
	uint64_t	start[32];		/* the bit of each plane's next row */
} Planes;

/*
 * A node of the search, where it goes on in a bit matrix.
 */

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

/*
 * The nodes below a node.
 */

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

/*
 * Nodes made of the rows of a view.
 */

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

#endif							/* FIM_NODE_H */

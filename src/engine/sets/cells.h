/*-------------------------------------------------------------------------
 *
 * cells.h
 *	  From numbers of witnesses to results: which cells of a row are wanted.
 *
 * A row is a left value, and a cell of it a right value, both by rank.  A task asks of each
 * row for a range of cells: those of higher ranks if pairs have no order, as far as their sets
 * are large enough.
 *
 * Included by the strategies of the CPU engine.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SETS_CELLS_H
#define FIM_SETS_CELLS_H

#include "joiner.h"
#include "measure.h"

/* Cells of a row that are written at once. */
#define CELLS_AT_ONCE	2048

typedef struct Cells
{
	Joiner	   *j;
	uint32_t	row;
	uint32_t	size;			/* keys of the row's set */
	uint32_t	least;			/* witnesses that a cell needs ... */
	uint32_t	other_size;		/* ... if its set has so many keys; similar sets */
	bool		similar;
	bool		counted;		/* numbers of witnesses matter */
	uint32_t	n;
	uint32_t	right[CELLS_AT_ONCE];
	uint32_t	witnesses[CELLS_AT_ONCE];
	double		similarity[CELLS_AT_ONCE];
} Cells;

/* Ranks from "from" to "to" - 1. */
typedef struct Range
{
	uint32_t	from;
	uint32_t	to;
} Range;

extern Cells *CellsNew(Joiner *j);

/* The end of the cells of a row that can be results, if that depends on the sizes of sets. */
extern uint32_t CellsEndBySize(const Cells *cells, uint32_t row);

/* The cells of a row that can be results. */
static inline Range
CellsOfRow(const Cells *cells, uint32_t row)
{
	const Product *p = &cells->j->product;
	Range		range = {0, p->right.nvalues};

	if (p->one)
		range.from = row + (cells->j->job->result != FIM_SETS_PRODUCT ? 1 : 0);
	if (cells->similar || cells->least > 1)
		range.to = CellsEndBySize(cells, row);
	return range;
}

extern void CellsBegin(Cells *cells, uint32_t row);
extern void CellsFlush(Cells *cells);

/* What a cell of the row needs if its set has so many keys; sets cells->least. */
extern void CellsNeed(Cells *cells, uint32_t other_size);

/* The same row in the other order, where containment asks for it. */
extern void CellsAddReverse(Cells *cells, uint32_t right, uint32_t witnesses);

/* A cell with witnesses, in any order, each once. */
static inline void
CellsAdd(Cells *cells, uint32_t right, uint32_t witnesses)
{
	if (cells->similar)
	{
		uint32_t	other = SideLength(&cells->j->product.right, right);

		if (right == cells->row)
			return;
		if (cells->j->job->measure == FIM_CONTAINMENT)
			CellsAddReverse(cells, right, witnesses);
		if (other != cells->other_size)
			CellsNeed(cells, other);
		if (witnesses < cells->least)
			return;
		cells->similarity[cells->n] = SimilarityOf(cells->j->job->measure, witnesses, cells->size, other);
	}
	else if (witnesses < cells->least)
		return;
	cells->right[cells->n] = right;
	cells->witnesses[cells->n] = witnesses;
	if (++cells->n == CELLS_AT_ONCE)
		CellsFlush(cells);
}

/* How many more can be added before the next CellsFlush(). */
static inline uint32_t
CellsRoom(const Cells *cells)
{
	return CELLS_AT_ONCE - cells->n;
}

/*
 * The cells of a row in a range, with the witnesses of each; those that are no results are
 * left out, as are those with none.
 */
extern void CellsAddCounts(Cells *cells, uint32_t row, Range range, const uint32_t *witnesses);

/* Likewise, if it only matters whether cells have witnesses: a bit for each. */
extern void CellsAddBits(Cells *cells, uint32_t row, Range range, const uint32_t *bits);

/* Whether a tile of left and of right ranks can have results. */
extern bool CellsInTile(const Cells *cells, Range left, Range right);

#endif							/* FIM_SETS_CELLS_H */

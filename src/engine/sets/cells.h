/*-------------------------------------------------------------------------
 *
 * cells.h
 *	  From numbers of witnesses to results: which cells of a row are wanted.
 *
 * A row is a left value, and a cell of the row is a right value, both by rank.  The cells that
 * can be results are a range of each row.  If pairs have no order, it begins after the row's
 * own rank, or with it; and it ends where sets become too small.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SETS_CELLS_H
#define FIM_SETS_CELLS_H

#include "joiner.h"
#include "measure.h"

/* Cells of a row that are written at once. */
#define CELLS_AT_ONCE	2048

/* The results of a row that have not been written yet. */
typedef struct Cells
{
	Joiner	   *j;
	uint32_t	row;
	uint32_t	size;			/* keys of the row's set */
	uint32_t	least;			/* witnesses that a cell needs; for similar sets, ... */
	uint32_t	other_size;		/* ... if its set has this number of keys */
	bool		similar;		/* the job looks for similar sets */
	bool		counted;		/* numbers of witnesses matter, see JobCounts() */
	uint32_t	n;				/* cells in the arrays */
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

/* Memory is from the joiner's arena. */
extern Cells *CellsNew(Joiner *j);

/* Where the cells of a row that can be results end, because the sets after that are too small. */
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

/* Begin a row, and write or count the cells that have been added to it. */
extern void CellsBegin(Cells *cells, uint32_t row);
extern void CellsFlush(Cells *cells);

/* For similar sets: set cells->least for cells whose sets have other_size keys. */
extern void CellsNeed(Cells *cells, uint32_t other_size);

/* For containment: write or count the pair in the other order, if the cell's set is similar to the row's. */
extern void CellsAddReverse(Cells *cells, uint32_t right, uint32_t witnesses);

/*
 * Add a cell that has witnesses, if it is a result.  The cells of a row come in any order, each
 * once.
 */
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

/* How many more cells can be added before the next CellsFlush(). */
static inline uint32_t
CellsRoom(const Cells *cells)
{
	return CELLS_AT_ONCE - cells->n;
}

/*
 * Write or count the results among a range of a row's cells.  witnesses[] has the number of
 * witnesses of each cell of the range, which may be 0.
 */
extern void CellsAddCounts(Cells *cells, uint32_t row, Range range, const uint32_t *witnesses);

/* Likewise, if it only matters whether cells have witnesses: bits[] has a bit for each cell of the range. */
extern void CellsAddBits(Cells *cells, uint32_t row, Range range, const uint32_t *bits);

/* Whether the tile of these left and right ranks can have results. */
extern bool CellsInTile(const Cells *cells, Range left, Range right);

#endif							/* FIM_SETS_CELLS_H */

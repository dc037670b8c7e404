/*-------------------------------------------------------------------------
 *
 * planes.h
 *	  Rows with weights as bits of a matrix: which bits each row takes, and rows
 *	  turned into columns.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PLANES_H
#define FIM_PLANES_H

#include "patterns.h"

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

/* What rows are transposed to: a matrix of k extensions and of the excluded columns. */
typedef struct Transposed
{
	uint32_t	k;
	uint32_t	excluded;
	const uint32_t *place;		/* [k] the bits of the extensions, or NULL if they are the first word's
								 * last k */
	BitMatrix  *matrix;
	RowMatrix  *by_row;			/* NULL, or gets the whole rows; then the matrix gets no excluded
								 * columns */
} Transposed;

/* Plan a matrix for rows of these weights. */
extern void PlanesOfWeights(const uint32_t *weight, uint32_t nrows, Planes *planes);

/* Make the planned matrix, with ncolumns columns and all bits 0.  Memory is from the miner's arena. */
extern void PlanesMatrix(Miner *m, uint32_t ncolumns, const Planes *planes, BitMatrix *matrix);

/*
 * Take room for a row of ncolumns bits for each bit of the matrix's columns from the miner's
 * arena.  It is not cleared.
 */
extern void PlanesRows(Miner *m, const BitMatrix *matrix, uint32_t ncolumns, RowMatrix *rows);

/*
 * Find the bits of the next row, one in each plane that its weight has a bit for.  Returns
 * their number, at most 32.  Not for copies.
 */
static inline uint32_t
PlanesPlace(Planes *planes, uint32_t weight, uint64_t *bit)
{
	uint32_t	n = 0;

	for (uint32_t left = weight; left != 0; left &= left - 1)
		bit[n++] = planes->start[__builtin_ctz(left)]++;
	return n;
}

static inline void
SetBit(BitMatrix *matrix, uint64_t bit, uint32_t column)
{
	matrix->words[bit / 64 * matrix->stride + column] |= UINT64_C(1) << (bit % 64);
}

/* Transpose rows into columns, plane by plane, 64 rows at a time.  Matrices are from the miner's arena. */
extern void PatternsTranspose(Miner *m, const Patterns *rows, const Transposed *to);

#endif							/* FIM_PLANES_H */

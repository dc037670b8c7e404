/*-------------------------------------------------------------------------
 *
 * planes.h
 *	  Rows with weights as bits of a matrix: which bits each row takes, and rows
 *	  turned into columns.
 *
 * Included by what makes nodes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PLANES_H
#define FIM_PLANES_H

#include "patterns.h"

/*
 * Where the bits of each row go.  Plane s takes the rows whose weight has bit s set, and
 * each plane begins with a word of its own.  If the sum of all weights is small, a row
 * takes fewer words as so many copies of weight 1, and "copies" says that this is done.
 */
typedef struct Planes
{
	bool		copies;
	uint32_t	nwords;
	uint64_t	start[32];		/* first bit of each plane */
} Planes;

/* What rows are transposed to: a matrix of k extensions and of the excluded columns. */
typedef struct Transposed
{
	uint32_t	k;
	uint32_t	excluded;
	const uint32_t *place;		/* [k] the extensions' bits, or NULL if they are the last k */
	BitMatrix  *matrix;
	RowMatrix  *by_row;			/* if not NULL, it gets the whole rows, and the matrix does not
								 * get the excluded columns */
} Transposed;

/* Plan for n rows of these weights. */
extern void PlanesOfWeights(const uint32_t *weight, uint32_t nrows, Planes *planes);

/* A matrix of so many columns without a bit, as planned; memory is from the miner's arena. */
extern void PlanesMatrix(Miner *m, uint32_t ncolumns, const Planes *planes, BitMatrix *matrix);

/* Room for the rows of a matrix. */
extern void PlanesRows(Miner *m, const BitMatrix *matrix, uint32_t ncolumns, RowMatrix *rows);

/* Find the bits for the next row, which has this weight.  Returns how many there are, at most 32. */
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

/* Turn rows into columns, plane by plane, 64 rows at a time. */
extern void PatternsTranspose(Miner *m, const Patterns *rows, const Transposed *to);

#endif							/* FIM_PLANES_H */

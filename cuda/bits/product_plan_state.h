/*-------------------------------------------------------------------------
 *
 * product_plan_state.h
 *	  A plan of products, and the tiles of a matrix.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PRODUCT_PLAN_STATE_H
#define FIM_PRODUCT_PLAN_STATE_H

#include "bits/product_ways.h"

#define FIM_BAND		3072	/* rows of a band of tiles */

#ifdef __cplusplus
extern "C"
{
#endif

/* A tile, of which it is not known yet into how many ranges it will be cut. */
typedef struct Tile
{
	uint32_t	of;				/* index of the matrix */
	uint32_t	row;			/* the tile's first row */
	uint32_t	column;			/* its first column */
	uint32_t	slabs;			/* of the matrix */
} Tile;

/* A kernel's share of a plan.  Its ranges follow one another. */
typedef struct KernelShare
{
	const FimProductKernel *kernel;
	Tile	   *tiles;
	uint32_t	ntiles;
	uint64_t	slabs;			/* sum over all tiles */
	uint64_t	workers;		/* of all multiprocessors together */
	uint32_t	from;			/* the number of its first range */
	uint32_t	nranges;
	uint32_t	divided;		/* tiles that are cut into several ranges */
	uint32_t	length;			/* the most slabs of a range, if the device makes the ranges */
} KernelShare;

/*
 * A plan says which worker computes what.  Matrices are cut into tiles.  Where there are too
 * few tiles to keep the device busy to the end, tiles are cut into ranges of slabs, whose
 * counts are added up in scratch memory.  A plan is made from nothing but the shapes of the
 * matrices.
 */
struct FimPlan
{
	FimMatrix  *matrices;		/* NULL if the device makes the matrices and the ranges */
	FimMatrices	many;			/* from which the device makes them */
	uint32_t	nmatrices;
	FimRange   *ranges;
	uint32_t	nranges;
	uint32_t	room;			/* for ranges */
	KernelShare	shares[FIM_MAX_KERNELS];
	int			nshares;
	int			processors;		/* multiprocessors of the device */
	double		tests;			/* pairs of bits that a run counts */
};

/*
 * A walk over the tiles of a matrix, one band after the other.  Tiles are left out if none of
 * their pairs is above the diagonal, or if all their columns are among the rows that are
 * skipped.
 */
typedef struct TileWalk
{
	uint32_t	rows;
	uint32_t	tile_rows;
	uint32_t	tile_columns;
	uint32_t	left;			/* the first column of the first tiles that are not left out */
	uint32_t	top;			/* the band's first row */
	uint32_t	row;			/* the first row of the tile at hand */
	uint32_t	column;			/* its first column */
} TileWalk;

static inline FIM_HOST_DEVICE TileWalk
WalkTiles(const FimMatrix *of, uint32_t tile_rows, uint32_t tile_columns)
{
	uint32_t	left = of->skip / tile_columns * tile_columns;

	TileWalk	walk = {left < of->rows ? of->rows : 0, tile_rows, tile_columns, left, 0, 0, left};

	return walk;
}

static inline FIM_HOST_DEVICE bool
IsAtTile(const TileWalk *walk)
{
	return walk->top < walk->rows;
}

static inline FIM_HOST_DEVICE void
GoOn(TileWalk *walk)
{
	uint32_t	band = (FIM_BAND + walk->tile_rows - 1) / walk->tile_rows * walk->tile_rows;

	do
	{
		walk->row += walk->tile_rows;
		if (walk->row < walk->rows && walk->row < walk->top + band)
			continue;
		walk->row = walk->top;
		walk->column += walk->tile_columns;
		if (walk->column < walk->rows)
			continue;
		walk->column = walk->left;
		walk->row = walk->top += band;
	} while (walk->top < walk->rows && walk->column + walk->tile_columns - 1 <= walk->row);
}

static inline FIM_HOST_DEVICE uint64_t
FimPairsOf(const FimMatrix *of)
{
	return ((uint64_t) of->rows * (of->rows - 1) - (uint64_t) of->skip * (of->skip - 1)) / 2;
}

/* Whether the matrix has no pair that is to be counted. */
static inline FIM_HOST_DEVICE bool
IsEmpty(const FimMatrix *of)
{
	return of->rows < 2 || of->slabs == 0 || of->skip >= of->rows;
}

#ifdef __cplusplus
}
#endif

#endif							/* FIM_PRODUCT_PLAN_STATE_H */

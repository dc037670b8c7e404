/*-------------------------------------------------------------------------
 *
 * product_plan.h
 *	  What the two ways of planning products share, see product_plan.c and
 *	  product_plan_device.cu.
 *
 * Included by those two.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PRODUCT_PLAN_H
#define FIM_PRODUCT_PLAN_H

#include "bits/product_kernel.h"

#define FIM_MAX_KERNELS	8		/* that one way has, those for small matrices included */
#define FIM_BAND		3072	/* rows of a band of tiles */

#ifdef __cplusplus
extern "C"
{
#endif

/* A tile, before it is known into how many ranges it is cut. */
typedef struct Tile
{
	uint32_t	of;
	uint32_t	row;
	uint32_t	column;
	uint32_t	slabs;
} Tile;

/* A kernel's share of a plan.  Its ranges follow one another. */
typedef struct KernelShare
{
	const FimProductKernel *kernel;
	Tile	   *tiles;
	uint32_t	ntiles;
	uint64_t	slabs;			/* of all tiles */
	uint64_t	workers;
	uint32_t	from;			/* the number of its first range */
	uint32_t	nranges;
	uint32_t	divided;		/* tiles that are cut into several ranges */
	uint32_t	length;			/* slabs of a range at most, if the device makes the ranges */
} KernelShare;

struct FimPlan
{
	FimMatrix  *matrices;		/* NULL if they and the ranges are made on the device ... */
	FimMatrices	many;			/* ... from these */
	uint32_t	nmatrices;
	FimRange   *ranges;
	uint32_t	nranges;
	uint32_t	room;			/* for ranges */
	KernelShare	shares[FIM_MAX_KERNELS];
	int			nshares;
	int			processors;
	double		tests;
};

/*
 * The tiles of a matrix that have a pair above the diagonal which is wanted, in bands,
 * one after the other.
 */
typedef struct TileWalk
{
	uint32_t	rows;
	uint32_t	tile_rows;
	uint32_t	tile_columns;
	uint32_t	left;			/* the first columns of tiles that have any */
	uint32_t	top;			/* of the band */
	uint32_t	row;			/* the tile */
	uint32_t	column;
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

/* The way's kernels by ascending limit, those that it lends from another included. */
extern int	FimKernelsOf(FimWay way, const FimProductKernel **kernels);

/* The plan is being run: bring matrices and ranges to the device; counters are zero. */
extern cudaError_t FimFillPlan(const FimPlan *plan, FimMatrix *matrices, FimRange *ranges,
							   uint32_t *counters, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_PRODUCT_PLAN_H */

/*-------------------------------------------------------------------------
 *
 * plan.h
 *	  What a task's strategy leaves to bit matrices or batmaps, and what to rows.
 *
 * The right values of the first ranks with the left values of the first ranks are the dense
 * part of a product: their cells belong to tiles.  All other cells belong to rows, so no
 * result is found twice.  (Huang and Chen, DIM3, arXiv 2206.04995, split products into parts
 * with disjoint results in this way.)
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SETS_PLAN_H
#define FIM_SETS_PLAN_H

#include "product.h"

/* The most values of a side of a tile. */
#define TILE_RANKS		1024

/* The most keys that are bits of a tile at the same time. */
#define CHUNK_KEYS		8192

/*
 * What a tile takes, in nanoseconds.  Keys whose paths are gone through one by one take
 * PLAN_TILE_PATH_NS for each path and PLAN_TILE_KEY_NS for each key of each left value.  Keys that
 * are bits take PlanWordsNs() for each pair of words.
 */
#define PLAN_TILE_PATH_NS	2.0
#define PLAN_TILE_KEY_NS	60.0
extern double PlanWordsNs(void);

/* A row's cells are listed as they are met if it has at least this many cells for each path. */
#define ROWS_LISTED_WIDTH	4

/* The plan is the same in all workers, since it depends on nothing but the job, the data and the processor. */
typedef struct Plan
{
	FimSetsStrategy tiles;		/* the strategy of the dense part */
	uint32_t	left;			/* left ranks below this, with right ranks ... */
	uint32_t	right;			/* ... below this, are the dense part */
	uint32_t	frequent_keys;	/* keys below this are cheaper as bits of a tile than path by path */
	uint32_t	tile_ranks;		/* ranks of a side of a tile, TILE_RANKS or fewer */
	uint32_t	left_tiles;		/* tiles that the dense part has along each side */
	uint32_t	right_tiles;
	uint32_t	tiles_a_unit;	/* right tiles that a unit joins with one left tile */
	uint32_t	units_a_row;	/* units of one left tile */
	uint64_t	units;			/* units of the dense part, which come first; then blocks of rows */
	bool		rows;			/* there are cells outside of the dense part */
	double		rows_ns;		/* the times that are expected, see FimSetsSummary */
	double		split_ns;
	double		prefix_ns;
	FimSetsStrategy row_strategy;	/* the strategy of the cells outside: "rows" or "prefix" */
} Plan;

/* Tiles get sides of tile_ranks ranks, at most TILE_RANKS. */
extern void PlanTask(Plan *plan, const FimSetsJob *job, const Product *product, uint32_t tile_ranks);

#endif							/* FIM_SETS_PLAN_H */

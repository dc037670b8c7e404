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
 * Included by the strategies of the CPU engine.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SETS_PLAN_H
#define FIM_SETS_PLAN_H

#include "product.h"

/* Values of a side of a tile, at most. */
#define TILE_RANKS		1024

/* Keys that are bits of a tile at the same time. */
#define CHUNK_KEYS		8192

/*
 * What a tile takes for a path that is gone through by itself, for a key of a left value whose paths
 * are, and for a pair of words, in nanoseconds.
 */
#define PLAN_TILE_PATH_NS	2.0
#define PLAN_TILE_KEY_NS	60.0
extern double PlanWordsNs(void);

/* Cells of a row are listed as they are met if there are more than so many times the paths. */
#define ROWS_LISTED_WIDTH	4

typedef struct Plan
{
	FimSetsStrategy tiles;		/* the strategy of the dense part */
	uint32_t	left;			/* ranks below these are the dense part */
	uint32_t	right;
	uint32_t	frequent_keys;	/* keys below this are cheaper as bits of a tile than path by path */
	uint32_t	tile_ranks;		/* of a side of a tile, TILE_RANKS or fewer */
	uint32_t	left_tiles;
	uint32_t	right_tiles;
	uint32_t	tiles_a_unit;	/* right tiles with one left tile */
	uint32_t	units_a_row;
	uint64_t	units;			/* of the dense part, which come first; then blocks of rows */
	bool		rows;			/* are there cells outside of the dense part? */
	double		rows_ns;		/* what is expected, see FimSetsSummary */
	double		split_ns;
	double		prefix_ns;
	FimSetsStrategy row_strategy;	/* which finds them: "rows" or "prefix" */
} Plan;

extern void PlanTask(Plan *plan, const FimSetsJob *job, const Product *product);

#endif							/* FIM_SETS_PLAN_H */

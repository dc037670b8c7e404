/*-------------------------------------------------------------------------
 *
 * plan.c
 *	  What a task's strategy leaves to bit matrices or batmaps, and what to rows.
 *
 *-------------------------------------------------------------------------
 */
#include "plan.h"

#include "batmap.h"
#include "engine/isa.h"

#include <string.h>

/* More units of the dense part than this do not help. */
#define MOST_UNITS		(UINT64_C(1) << 20)

/* Most memory for the sets of one side of a tile of batmaps. */
#define BATMAP_EDGE_BYTES	(UINT64_C(1) << 25)

/*
 * Nanoseconds, measured with bench/sets: of a path in a row, of a pair of words by instruction
 * set, of a key that a tile makes a bit, of a tile's chunk of keys, of a tile, and
 * of the first one's memory.
 */
#define MARKED_PATH_NS	1.0
#define COUNTED_PATH_NS	1.5
#define PACK_NS			2.0
#define CHUNK_NS		1e4
#define TILE_NS			2e5
#define START_NS		2e6

double
PlanWordsNs(void)
{
	if (strcmp(FimIsa(), "avx512") == 0)
		return 0.03;
	return strcmp(FimIsa(), "avx2") == 0 ? 0.3 : 1.0;
}

static uint32_t
Tiles(uint32_t ranks, uint32_t tile_ranks)
{
	return ranks / tile_ranks + (ranks % tile_ranks != 0);
}

/* What going through the keys of both edges takes, once for each tile. */
static double
EdgesNs(const Product *p, int level)
{
	uint32_t	left = p->left.nvalues >> level;
	uint32_t	right = p->right.nvalues >> level;
	double		chunks = 1 + p->nkeys / (double) CHUNK_KEYS;
	double		left_tiles = Tiles(left, TILE_RANKS);
	double		right_tiles = Tiles(right, TILE_RANKS);

	return PACK_NS * ((double) p->left.start[left] * right_tiles + (double) p->right.start[right] * left_tiles) +
		(CHUNK_NS * chunks + TILE_NS) * left_tiles * right_tiles + START_NS;
}

/*
 * What the dense part of a level takes in tiles: each group of keys is cheaper in bits, or
 * by its paths.
 */
static double
TilesNs(const Product *p, int level)
{
	double		cells = (double) (p->left.nvalues >> level) * (double) (p->right.nvalues >> level);
	double		word_ns = cells * PlanWordsNs();
	double		sum = EdgesNs(p, level);

	for (int group = 0; group < FIM_SETS_KEY_GROUPS; group++)
	{
		uint64_t	first = UINT64_C(1) << group >> 1;
		uint64_t	end = UINT64_C(1) << group;
		double		paths_ns = (double) p->data->level_paths[level][group] * PLAN_TILE_PATH_NS;
		double		words_ns;

		if (end > p->nkeys)
			end = p->nkeys;
		if (first >= end)
			break;
		words_ns = (double) (end - first) / 64 * word_ns;
		sum += words_ns < paths_ns ? words_ns : paths_ns;
	}
	return sum;
}

static double
RowsNs(const FimSetsJob *job, const Product *p, int level)
{
	double		sum = 0;

	for (int group = 0; group < FIM_SETS_KEY_GROUPS; group++)
		sum += (double) p->data->level_paths[level][group];
	return sum * (PlanCounts(job) ? COUNTED_PATH_NS : MARKED_PATH_NS);
}

/* The level at which tiles save most, or -1 if they save nothing. */
static int
BestLevel(const FimSetsJob *job, const Product *p)
{
	double		best = 0;
	int			found = -1;

	for (int level = 0; level < FIM_SETS_LEVELS; level++)
	{
		double		saved = RowsNs(job, p, level) - TilesNs(p, level);

		if (saved > best)
		{
			best = saved;
			found = level;
		}
	}
	return found;
}

/* So few that the batmaps of a tile do not take more memory than they should. */
static uint32_t
BatmapTileRanks(const Product *p)
{
	BatmapSpace space = BatmapSpaceOf(p->nkeys);
	uint32_t	longest = p->left.longest > p->right.longest ? p->left.longest : p->right.longest;
	uint64_t	ranks = BATMAP_EDGE_BYTES / (3 * (uint64_t) BatmapRange(&space, longest));

	return ranks < 1 ? 1 : ranks < TILE_RANKS ? (uint32_t) ranks : TILE_RANKS;
}

static void
CutTiles(Plan *plan)
{
	uint64_t	tiles;

	plan->left_tiles = Tiles(plan->left, plan->tile_ranks);
	plan->right_tiles = Tiles(plan->right, plan->tile_ranks);
	tiles = (uint64_t) plan->left_tiles * plan->right_tiles;
	plan->tiles_a_unit = (uint32_t) (tiles / MOST_UNITS) + 1;
	if (plan->tiles_a_unit > plan->right_tiles)
		plan->tiles_a_unit = plan->right_tiles > 0 ? plan->right_tiles : 1;
	plan->units_a_row = (plan->right_tiles + plan->tiles_a_unit - 1) / plan->tiles_a_unit;
	plan->units = plan->left_tiles * plan->units_a_row;
}

void
PlanTask(Plan *plan, const FimSetsJob *job, const Product *p)
{
	int			level = -1;

	memset(plan, 0, sizeof(*plan));
	plan->tiles = job->head.strategy == FIM_SETS_AUTO ? FIM_SETS_BITS : (FimSetsStrategy) job->head.strategy;
	if (job->head.strategy == FIM_SETS_AUTO)
		level = BestLevel(job, p);
	else if (job->head.strategy != FIM_SETS_ROWS)
		level = 0;
	if (level >= 0)
	{
		plan->left = p->left.nvalues >> level;
		plan->right = p->right.nvalues >> level;
	}
	plan->tile_ranks = plan->tiles == FIM_SETS_BATMAP ? BatmapTileRanks(p) : TILE_RANKS;
	plan->rows = plan->left < p->left.nvalues || plan->right < p->right.nvalues;
	CutTiles(plan);
}

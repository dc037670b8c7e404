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
#include "prefix.h"

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

/* Of an entry of the index of prefixes, with what it takes to count the keys of some sets. */
#define ENTRY_NS		4.0

/* Sets from which the entries that are met are estimated, and keys of each, at most. */
#define SAMPLED_SETS	256
#define SAMPLED_KEYS	64

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
	return sum * (JobCounts(job) ? COUNTED_PATH_NS : MARKED_PATH_NS);
}

/* What similar sets take by their prefixes, from a sample of the sets. */
static double
PrefixNs(const FimSetsJob *job, const Product *p)
{
	uint32_t	step = p->left.nvalues / SAMPLED_SETS + 1;
	double		entries = 0;

	for (uint64_t r = step / 2; r < p->left.nvalues; r += step)
	{
		uint64_t	end = p->left.start[r + 1];
		uint32_t	keys = PrefixOfProbe(job, SideLength(&p->left, (uint32_t) r));
		uint32_t	sampled = keys < SAMPLED_KEYS ? keys : SAMPLED_KEYS;
		double		of_set = 0;

		for (uint32_t i = 0; i < sampled; i++)
		{
			uint32_t	key = p->left.key[end - 1 - (uint64_t) keys * i / sampled];

			of_set += (double) (p->key_start[key + 1] - p->key_start[key]);
		}
		if (sampled > 0)
			entries += of_set * keys / sampled * step;
	}
	return entries * ENTRY_NS;
}

/* The level at which tiles save most, or -1 if they save nothing; and how much they do. */
static int
BestLevel(const FimSetsJob *job, const Product *p, double *most_saved)
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
	*most_saved = best;
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
	plan->row_strategy = FIM_SETS_ROWS;
	if (job->head.strategy == FIM_SETS_PREFIX && job->result == FIM_SETS_SIMILAR)
		plan->row_strategy = FIM_SETS_PREFIX;
	else if (job->head.strategy == FIM_SETS_BITS || job->head.strategy == FIM_SETS_BATMAP)
		level = 0;
	else if (job->head.strategy == FIM_SETS_AUTO)
	{
		double		saved;

		level = BestLevel(job, p, &saved);
		plan->rows_ns = RowsNs(job, p, 0);
		plan->split_ns = plan->rows_ns - saved;
		plan->prefix_ns = job->result == FIM_SETS_SIMILAR ? PrefixNs(job, p) : 0;
		if (job->result == FIM_SETS_SIMILAR && plan->prefix_ns < plan->split_ns)
		{
			plan->row_strategy = FIM_SETS_PREFIX;
			level = -1;
		}
	}
	if (level >= 0)
	{
		plan->left = p->left.nvalues >> level;
		plan->right = p->right.nvalues >> level;
	}
	plan->tile_ranks = plan->tiles == FIM_SETS_BATMAP ? BatmapTileRanks(p) : TILE_RANKS;
	plan->rows = plan->left < p->left.nvalues || plan->right < p->right.nvalues;
	CutTiles(plan);
}

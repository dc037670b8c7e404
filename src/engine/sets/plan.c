/*-------------------------------------------------------------------------
 *
 * plan.c
 *	  What a task's strategy leaves to bit matrices or batmaps, and what to rows.
 *
 *-------------------------------------------------------------------------
 */
#include "joiner.h"

#include "engine/kernels.h"
#include "measure.h"

#include <string.h>

/* The dense part is cut into at most about this many units, since more would not help. */
#define MOST_UNITS		(UINT64_C(1) << 20)

/* What strategy "rows" takes, in nanoseconds, measured with bench/sets. */
#define PATH_NS			0.45	/* a path, if the cells of a row are in a core's first cache */
#define WIDER_PATH_NS	0.3		/* more for a path, each time that the cells take twice that room */
#define NEAR_KEY_NS		15.0	/* a key, if its right values come from a cache in time */
#define FAR_KEY_NS		60.0	/* a key, if they do not */
#define LISTED_PATH_NS	2.0		/* a path whose cell is listed, if witnesses are counted */
#define LISTED_MARK_NS	1.0		/* the same if they are not */
#define CELL_NS			0.5		/* looking at a cell of a row, if witnesses are counted */
#define MARK_NS			0.1		/* the same if they are not */

/*
 * The cells of a row are in the first cache if they take at most FIRST_BYTES.  The right values of a
 * key come from a cache in time if those of all keys that are about as frequent or more frequent take
 * at most NEAR_BYTES, and do not if these take FAR_BYTES or more.
 */
#define FIRST_BYTES		(UINT64_C(1) << 15)
#define NEAR_BYTES		3e6
#define FAR_BYTES		10e6

/* What tiles take, in nanoseconds. */
#define PACK_NS			1.0		/* a key of a value that becomes a bit */
#define CHUNK_NS		2e4		/* a chunk of keys of a tile */
#define TILE_CELL_NS	0.4		/* a cell */
#define NEW_CELL_NS		2.0		/* more for a cell of the first tile, whose memory is new */

/* What an entry of the index of prefixes takes, with its part of counting the keys of the sets that are met. */
#define ENTRY_NS		1.2

/* The entries that are met are estimated from about this many sets, and from this many keys of each at most. */
#define SAMPLED_SETS	256
#define SAMPLED_KEYS	64

double
PlanWordsNs(void)
{
	if (strcmp(FimIsa(), "avx512") == 0)
		return 0.03;
	return strcmp(FimIsa(), "avx2") == 0 ? 0.3 : 1.0;
}

/* The number of tiles along a side of this many ranks. */
static uint32_t
Tiles(uint32_t ranks, uint32_t tile_ranks)
{
	return ranks / tile_ranks + (ranks % tile_ranks != 0);
}

static uint32_t
Smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* The first key of a group, or the number of keys if there is none. */
static uint32_t
FirstOfGroup(const Product *p, int group)
{
	uint64_t	first = UINT64_C(1) << group >> 1;

	return first < p->nkeys ? (uint32_t) first : p->nkeys;
}

/*
 * The part of a level's tiles that are joined.  If pairs have no order, these are the tiles on one
 * side of the diagonal and those on it.
 */
static double
TilesPart(const Product *p, int level)
{
	double		tiles = Tiles(p->left.nvalues >> level, TILE_RANKS);

	return p->one && tiles > 0 ? (tiles + 1) / (2 * tiles) : 1;
}

/* What the tiles of a level take for their cells, and for making bits of both edges' keys, once for each tile. */
static double
EdgesNs(const Product *p, int level)
{
	uint32_t	left = p->left.nvalues >> level;
	uint32_t	right = p->right.nvalues >> level;
	double		chunks = 1 + p->nkeys / (double) CHUNK_KEYS;
	double		left_tiles = Tiles(left, TILE_RANKS);
	double		right_tiles = Tiles(right, TILE_RANKS);
	double		new_cells = (double) Smaller(left, TILE_RANKS) * Smaller(right, TILE_RANKS);

	return TilesPart(p, level) *
		(PACK_NS * ((double) p->left.start[left] * right_tiles + (double) p->right.start[right] * left_tiles) +
		 CHUNK_NS * chunks * left_tiles * right_tiles + TILE_CELL_NS * (double) left * (double) right) +
		NEW_CELL_NS * new_cells;
}

/*
 * What a group of keys takes in the tiles of a level if the keys are bits.  If pairs have no order,
 * only half of the cells counts, since within tiles, too, panels are left out on one side of the
 * diagonal.
 */
static double
GroupWordsNs(const Product *p, int level, int g)
{
	double		cells = (double) (p->left.nvalues >> level) * (double) (p->right.nvalues >> level);
	double		words = (double) (FirstOfGroup(p, g + 1) - FirstOfGroup(p, g)) / 64;

	return (p->one ? 0.5 : 1) * words * cells * PlanWordsNs();
}

/* What a group of keys takes in the tiles of a level path by path. */
static double
GroupPathsNs(const Product *p, int level, int g)
{
	const FimSetsGroup *group = &p->data->group[level][g];
	double		right_tiles = Tiles(p->right.nvalues >> level, TILE_RANKS);

	return TilesPart(p, level) * ((double) group->paths * PLAN_TILE_PATH_NS +
								  (double) group->keys * right_tiles * PLAN_TILE_KEY_NS);
}

/*
 * Returns the first key that is not in a group that is cheaper as bits than path by path.  Such
 * groups are those of the most frequent keys, which come first.
 */
static uint32_t
FrequentKeys(const Product *p, int level)
{
	int			g = 0;

	while (FirstOfGroup(p, g) < p->nkeys && GroupWordsNs(p, level, g) <= GroupPathsNs(p, level, g))
		g++;
	return FirstOfGroup(p, g);
}

/* What the dense part of a level takes in tiles. */
static double
TilesNs(const Product *p, int level)
{
	double		sum = EdgesNs(p, level);

	for (int g = 0; g < FIM_SETS_KEY_GROUPS && FirstOfGroup(p, g) < p->nkeys; g++)
	{
		double		words_ns = GroupWordsNs(p, level, g);
		double		paths_ns = GroupPathsNs(p, level, g);

		sum += words_ns < paths_ns ? words_ns : paths_ns;
	}
	return sum;
}

/* What finding the cells of rows takes after all of their paths have been added. */
static double
CellsNs(const FimSetsSpec *spec, double rows, double width, double paths)
{
	bool		counts = CountsWitnesses(spec);

	if (paths * ROWS_LISTED_WIDTH <= rows * width)
		return paths * (counts ? LISTED_PATH_NS : LISTED_MARK_NS);
	return rows * width * (counts ? CELL_NS : MARK_NS);
}

/* What a path takes in a row of "width" cells. */
static double
PathNs(const FimSetsSpec *spec, double width)
{
	double		bytes = width * (CountsWitnesses(spec) ? sizeof(uint32_t) : 1);
	double		ns = PATH_NS;

	for (; bytes > FIRST_BYTES; bytes /= 2)
		ns += WIDER_PATH_NS;
	return ns;
}

/* What a key takes whose paths are looked up among right values that take "bytes" bytes. */
static double
KeyNs(double bytes)
{
	double		far = (bytes - NEAR_BYTES) / (FAR_BYTES - NEAR_BYTES);

	far = far < 0 ? 0 : far > 1 ? 1 : far;
	return NEAR_KEY_NS + far * (FAR_KEY_NS - NEAR_KEY_NS);
}

/*
 * What the dense part of a level takes in rows.  Looking up the keys counts on level 0 only: on other
 * levels there are cells outside of the dense part, for which a row's keys are looked up anyway.
 */
static double
RowsNs(const FimSetsSpec *spec, const Product *p, int level)
{
	double		rows = p->left.nvalues >> level;
	double		width = p->right.nvalues >> level;
	double		part = p->one ? 0.5 : 1;
	double		paths = 0;
	double		sum = 0;

	for (int g = 0; g < FIM_SETS_KEY_GROUPS && FirstOfGroup(p, g) < p->nkeys; g++)
	{
		const FimSetsGroup *group = &p->data->group[level][g];
		double		bytes = (double) p->key_start[FirstOfGroup(p, g + 1)] * sizeof(uint32_t);

		paths += part * (double) group->paths;
		if (level == 0)
			sum += (double) group->keys * KeyNs(bytes);
	}
	return sum + paths * PathNs(spec, width) + CellsNs(spec, rows, part * width, paths);
}

/* What strategy "prefix" takes, estimated from a sample of the sets. */
static double
PrefixNs(const FimSetsSpec *spec, const Product *p)
{
	uint32_t	step = p->left.nvalues / SAMPLED_SETS + 1;
	double		entries = 0;

	for (uint64_t r = step / 2; r < p->left.nvalues; r += step)
	{
		uint64_t	end = p->left.start[r + 1];
		uint32_t	keys = PrefixOfProbe(spec, SideLength(&p->left, (uint32_t) r));
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

/*
 * Returns the one of the first "levels" levels at which tiles save most, or -1 if they save nothing.  *most_saved is set to
 * what they save.
 */
static int
BestLevel(const FimSetsSpec *spec, const Product *p, int levels, double *most_saved)
{
	double		best = 0;
	int			found = -1;

	for (int level = 0; level < levels; level++)
	{
		double		rows_ns = RowsNs(spec, p, level);
		double		saved;

		/* any tile takes more than that, and higher levels have fewer paths */
		if (rows_ns < CHUNK_NS)
			break;
		saved = rows_ns - TilesNs(p, level);
		if (saved > best)
		{
			best = saved;
			found = level;
		}
	}
	*most_saved = best;
	return found;
}

static void
CutTiles(Plan *plan, bool whole_rows)
{
	uint64_t	tiles;
	uint64_t	tiles_a_unit;

	plan->left_tiles = Tiles(plan->left, plan->tile_ranks);
	plan->right_tiles = Tiles(plan->right, plan->tile_ranks);
	tiles = (uint64_t) plan->left_tiles * plan->right_tiles;
	tiles_a_unit = tiles / MOST_UNITS + 1;
	if (whole_rows || tiles_a_unit > plan->right_tiles)
		tiles_a_unit = plan->right_tiles > 0 ? plan->right_tiles : 1;
	plan->tiles_a_unit = (uint32_t) tiles_a_unit;
	plan->units_a_row = (uint32_t) ((plan->right_tiles + tiles_a_unit - 1) / tiles_a_unit);
	plan->units = (uint64_t) plan->left_tiles * plan->units_a_row;
}

void
PlanTask(Plan *plan, const FimSetsSpec *spec, const Product *p, uint32_t tile_ranks)
{
	bool		best = spec->result == FIM_SETS_BEST;
	bool		prefix = spec->result == FIM_SETS_SIMILAR && p->one;
	int			levels = best ? 1 : FIM_SETS_LEVELS;
	int			level = -1;

	/* no level, if there is no room for the partners of all rows of a tile */
	if (best && !CellsHaveRoom(spec, p, tile_ranks))
		levels = 0;
	memset(plan, 0, sizeof(*plan));
	plan->tiles = spec->head.strategy == FIM_SETS_AUTO ? FIM_SETS_BITS : (FimSetsStrategy) spec->head.strategy;
	plan->row_strategy = FIM_SETS_ROWS;
	if (spec->head.strategy == FIM_SETS_PREFIX && prefix)
		plan->row_strategy = FIM_SETS_PREFIX;
	else if (spec->head.strategy == FIM_SETS_BITS || spec->head.strategy == FIM_SETS_BATMAP)
		level = levels > 0 ? 0 : -1;
	else if (spec->head.strategy == FIM_SETS_AUTO)
	{
		double		saved;

		level = BestLevel(spec, p, levels, &saved);
		plan->rows_ns = RowsNs(spec, p, 0);
		plan->split_ns = plan->rows_ns - saved;
		plan->prefix_ns = prefix ? PrefixNs(spec, p) : 0;
		if (prefix && plan->prefix_ns < plan->split_ns)
		{
			plan->row_strategy = FIM_SETS_PREFIX;
			level = -1;
		}
	}
	if (level >= 0)
	{
		plan->left = p->left.nvalues >> level;
		plan->right = p->right.nvalues >> level;
		plan->frequent_keys = FrequentKeys(p, level);
	}
	plan->tile_ranks = tile_ranks;
	plan->rows = plan->left < p->left.nvalues || plan->right < p->right.nvalues;
	CutTiles(plan, best);
}

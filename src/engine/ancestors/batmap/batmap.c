/*-------------------------------------------------------------------------
 *
 * batmap.c
 *	  Sets as batmaps.
 *
 *-------------------------------------------------------------------------
 */
#include <stdlib.h>
#include <string.h>

#include "batmap.h"
#include "engine/sets/joiner.h"

#define TABLES			3

/* A byte holds this many bits of a permuted element, plus 1, since 0 is a free place. */
#define CODE_BITS		6

/* Tables have at least 2^LEAST_BITS places, since the kernel compares that many at once. */
#define LEAST_BITS		6

#define MAX_LOOP		256

BatmapSpace
BatmapSpaceOf(uint32_t n)
{
	BatmapSpace space = {.bits = 2, .least = LEAST_BITS, .max_loop = MAX_LOOP};

	while (space.bits < 32 && n > UINT32_C(1) << space.bits)
		space.bits++;
	if (space.bits > CODE_BITS + LEAST_BITS)
		space.least = space.bits - CODE_BITS;
	return space;
}

/* The range is from 2n to 4n, so at most a third of the places of all tables is taken. */
uint32_t
BatmapRange(const BatmapSpace *space, uint32_t n)
{
	uint32_t	range = UINT32_C(1) << space->least;

	while (range < 2 * (uint64_t) n && range < UINT32_C(1) << 31)
		range *= 2;
	return range;
}

/*
 * The permutation of a table: a multiplication by an odd number and a shift, twice.  Both
 * can be undone modulo 2^bits.
 */
static inline uint32_t
Permute(const BatmapSpace *space, int table, uint32_t x)
{
	static const uint32_t factor[TABLES][2] = {
		{0x9E3779B1, 0x85EBCA77}, {0xC2B2AE3D, 0x27D4EB2F}, {0x165667B1, 0xD3A2646D}
	};
	uint32_t	mask = (uint32_t) ((UINT64_C(1) << space->bits) - 1);
	uint32_t	shift = space->bits / 2;

	x = (x * factor[table][0] + (uint32_t) table) & mask;
	x ^= x >> shift;
	x = x * factor[table][1] & mask;
	return x ^ x >> shift;
}

void
BatmapBuilderInit(BatmapBuilder *builder, Arena *arena, const BatmapSpace *space, uint32_t range,
				  uint32_t size)
{
	builder->space = *space;
	builder->place = ArenaAlloc(arena, sizeof(uint32_t) * TABLES * (size_t) range);
	builder->failed = ArenaAlloc(arena, sizeof(uint32_t) * (size_t) size);
}

/* The place that an element has in a table of "range" places. */
static inline uint32_t *
PlaceOf(const BatmapBuilder *builder, int table, uint32_t element, uint32_t range)
{
	return &builder->place[(size_t) table * range + (Permute(&builder->space, table, element) & (range - 1))];
}

/*
 * Give an element one more place, as in cuckoo hashing.  It takes its place in the first table.
 * The element that it drives out there takes its place in the next table, and so on until a
 * place was free.  An element that meets itself at a place goes on to the next table.
 * Returns 0, or, after max_loop moves, the element that is left without a place, plus 1.
 */
static uint32_t
Insert(const BatmapBuilder *builder, uint32_t element, uint32_t range)
{
	uint32_t	homeless = element + 1;
	int			table = 0;

	for (uint32_t move = 0; move < builder->space.max_loop; move++)
	{
		uint32_t   *place = PlaceOf(builder, table, homeless - 1, range);
		uint32_t	out = *place;

		*place = homeless;
		if (out == 0)
			return 0;
		homeless = out;
		table = (table + 1) % TABLES;
	}
	return homeless;
}

/* Take an element out of all tables. */
static void
Remove(const BatmapBuilder *builder, uint32_t element, uint32_t range)
{
	for (int table = 0; table < TABLES; table++)
	{
		uint32_t   *place = PlaceOf(builder, table, element, range);

		if (*place == element + 1)
			*place = 0;
	}
}

/* Give each element two places.  Returns how many have failed; builder->failed has these. */
static uint32_t
InsertAll(const BatmapBuilder *builder, const uint32_t *element, uint32_t n, uint32_t range)
{
	uint32_t	nfailed = 0;

	for (uint32_t i = 0; i < n; i++)
		for (int copy = 0; copy < 2; copy++)
		{
			uint32_t	homeless = Insert(builder, element[i], range);

			if (homeless == 0)
				continue;
			Remove(builder, homeless - 1, range);
			builder->failed[nfailed++] = homeless - 1;
			if (homeless - 1 == element[i])
				break;
		}
	return nfailed;
}

/* Turn the elements at their places into the bytes of a batmap. */
static void
MakeBytes(const BatmapBuilder *builder, uint32_t range, uint8_t *table)
{
	for (int t = 0; t < TABLES; t++)
		for (uint32_t p = 0; p < range; p++)
		{
			uint32_t	taken = builder->place[(size_t) t * range + p];
			bool		next;

			if (taken == 0)
			{
				*table++ = 0;
				continue;
			}
			next = *PlaceOf(builder, (t + 1) % TABLES, taken - 1, range) == taken;
			*table++ = (uint8_t) (((Permute(&builder->space, t, taken - 1) >> builder->space.least) + 1) |
								  (next ? 0x80 : 0));
		}
}

static int
ByNumber(const void *a, const void *b)
{
	uint32_t	x = *(const uint32_t *) a;
	uint32_t	y = *(const uint32_t *) b;

	return (x > y) - (x < y);
}

void
BatmapBuild(BatmapBuilder *builder, Arena *arena, const uint32_t *element, uint32_t n, uint32_t range,
			Batmap *batmap)
{
	memset(builder->place, 0, sizeof(uint32_t) * TABLES * (size_t) range);
	batmap->range = range;
	batmap->n = n;
	batmap->element = element;
	batmap->nfailed = InsertAll(builder, element, n, range);
	batmap->table = ArenaAlloc(arena, TABLES * (size_t) range);
	batmap->failed = ArenaAlloc(arena, sizeof(uint32_t) * (size_t) batmap->nfailed);
	MakeBytes(builder, range, batmap->table);
	qsort(builder->failed, batmap->nfailed, sizeof(uint32_t), ByNumber);
	memcpy(batmap->failed, builder->failed, sizeof(uint32_t) * (size_t) batmap->nfailed);
}

/*
 * The number of common elements that are in the tables of both sets.  If one set has smaller
 * tables, these are compared with each part of the other one's tables.
 */
static uint32_t
CountMatches(const FimKernels *kernels, const Batmap *a, const Batmap *b)
{
	const Batmap *small = a->range <= b->range ? a : b;
	const Batmap *large = a->range <= b->range ? b : a;
	uint32_t	matches = 0;

	if (a->range == b->range && a->range <= UINT32_MAX / TABLES)
		return kernels->count_matches(a->table, b->table, TABLES * a->range);
	for (int t = 0; t < TABLES; t++)
		for (size_t at = 0; at < large->range; at += small->range)
			matches += kernels->count_matches(small->table + (size_t) t * small->range,
											  large->table + (size_t) t * large->range + at, small->range);
	return matches;
}

static bool
IsIn(const uint32_t *number, uint32_t n, uint32_t wanted)
{
	uint64_t	at = FirstNotBelow(number, 0, n, wanted);

	return at < n && number[at] == wanted;
}

/* Common elements that failed in at least one of both sets are not counted by the tables, so they are looked up. */
uint32_t
BatmapCommon(const FimKernels *kernels, const Batmap *a, const Batmap *b)
{
	uint32_t	common = CountMatches(kernels, a, b);

	for (uint32_t f = 0; f < a->nfailed; f++)
		common += IsIn(b->element, b->n, a->failed[f]);
	for (uint32_t f = 0; f < b->nfailed; f++)
		common += IsIn(a->element, a->n, b->failed[f]) && !IsIn(a->failed, a->nfailed, b->failed[f]);
	return common;
}

/*
 * Strategy "batmap": tiles of sets that are intersected as batmaps.
 *
 * Sets are ranked by size, so those on one side of a tile have tables of about the same size.
 * The batmaps of the left sets stay while one tile after the other is joined with the same
 * left ranks.
 */

/* A group of left sets is intersected with a group of right sets.  Both stay in the cache meanwhile. */
#define GROUP_SETS		16

/* The most memory for the batmaps of one side of a tile. */
#define BATMAP_EDGE_BYTES	(UINT64_C(1) << 25)

/* The sets of one side of a tile. */
typedef struct Edge
{
	const Side *side;
	Range		ranks;
	Batmap	   *batmap;			/* [ranks of a tile] */
	ArenaMark	mark;			/* before their tables */
} Edge;

struct BatmapTiles
{
	Joiner	   *j;
	Cells	   *cells;
	const FimKernels *kernels;
	BatmapBuilder builder;
	Edge		left;
	Edge		right;
	uint32_t	ranks;			/* of a side of a tile, at most */
	uint32_t   *counts;			/* [ranks][ranks] */
};

uint32_t
BatmapTileRanks(const Product *p)
{
	BatmapSpace space = BatmapSpaceOf(p->nkeys);
	uint32_t	longest = p->left.longest > p->right.longest ? p->left.longest : p->right.longest;
	uint64_t	ranks = BATMAP_EDGE_BYTES / (3 * (uint64_t) BatmapRange(&space, longest));

	return ranks < 1 ? 1 : ranks < TILE_RANKS ? (uint32_t) ranks : TILE_RANKS;
}

BatmapTiles *
BatmapTilesNew(Joiner *j, Cells *cells, const Plan *plan)
{
	BatmapTiles *tiles = ArenaAlloc(&j->arena, sizeof(BatmapTiles));
	BatmapSpace space = BatmapSpaceOf(j->product.nkeys);
	uint32_t	longest = j->product.left.longest;

	if (longest < j->product.right.longest)
		longest = j->product.right.longest;
	memset(tiles, 0, sizeof(BatmapTiles));
	tiles->j = j;
	tiles->cells = cells;
	tiles->kernels = FimCurrentKernels();
	BatmapBuilderInit(&tiles->builder, &j->arena, &space, BatmapRange(&space, longest), longest);
	tiles->left.side = &j->product.left;
	tiles->right.side = &j->product.right;
	tiles->left.batmap = ArenaAlloc(&j->arena, sizeof(Batmap) * plan->tile_ranks);
	tiles->right.batmap = ArenaAlloc(&j->arena, sizeof(Batmap) * plan->tile_ranks);
	tiles->ranks = plan->tile_ranks;
	tiles->counts = ArenaAlloc(&j->arena, sizeof(uint32_t) * (size_t) tiles->ranks * tiles->ranks);
	tiles->left.mark = ArenaGetMark(&j->arena);
	return tiles;
}

/* Make the batmaps of the sets of some ranks. */
static void
BuildEdge(BatmapTiles *tiles, Edge *edge, Range ranks)
{
	const Side *side = edge->side;

	edge->ranks = ranks;
	for (uint32_t r = ranks.from; r < ranks.to; r++)
	{
		uint32_t	n = SideLength(side, r);
		uint32_t	range = BatmapRange(&tiles->builder.space, n);

		BatmapBuild(&tiles->builder, &tiles->j->arena, side->key + side->start[r], n, range,
					&edge->batmap[r - ranks.from]);
		JoinerWorked(tiles->j, 16 * (uint64_t) n + 4 * (uint64_t) range);
	}
}

/* Count the witnesses of those cells of a row within a range that can be results. */
static void
CountCells(BatmapTiles *tiles, uint32_t left, Range right)
{
	Range		wanted = CellsOfRow(tiles->cells, left);
	const Batmap *a = &tiles->left.batmap[left - tiles->left.ranks.from];
	uint32_t   *counts = tiles->counts + (size_t) (left - tiles->left.ranks.from) * tiles->ranks;

	if (right.from < wanted.from)
		right.from = wanted.from;
	if (right.to > wanted.to)
		right.to = wanted.to;
	for (uint32_t r = right.from; r < right.to; r++)
	{
		const Batmap *b = &tiles->right.batmap[r - tiles->right.ranks.from];

		counts[r - tiles->right.ranks.from] = BatmapCommon(tiles->kernels, a, b);
		JoinerWorked(tiles->j, (a->range > b->range ? a->range : b->range) / 16 +
					 64 * ((uint64_t) a->nfailed + b->nfailed));
	}
}

/* The part of a range that begins with rank "from" and has at most "most" ranks. */
static Range
PartOf(Range ranks, uint32_t from, uint32_t most)
{
	return (Range) {from, ranks.to - from > most ? from + most : ranks.to};
}

void
BatmapTilesJoin(BatmapTiles *tiles, Range left, Range right)
{
	Joiner	   *j = tiles->j;

	if (!CellsInTile(tiles->cells, left, right))
		return;
	if (left.from != tiles->left.ranks.from || left.to != tiles->left.ranks.to)
	{
		ArenaRelease(&j->arena, tiles->left.mark);
		BuildEdge(tiles, &tiles->left, left);
		tiles->right.mark = ArenaGetMark(&j->arena);
	}
	ArenaRelease(&j->arena, tiles->right.mark);
	BuildEdge(tiles, &tiles->right, right);
	for (uint32_t l = left.from; l < left.to; l += GROUP_SETS)
		for (uint32_t r = right.from; r < right.to; r += GROUP_SETS)
		{
			Range		rows = PartOf(left, l, GROUP_SETS);

			for (uint32_t row = rows.from; row < rows.to; row++)
				CountCells(tiles, row, PartOf(right, r, GROUP_SETS));
		}
	for (uint32_t row = left.from; row < left.to; row++)
		CellsAddCounts(tiles->cells, row, right, tiles->counts + (size_t) (row - left.from) * tiles->ranks);
}

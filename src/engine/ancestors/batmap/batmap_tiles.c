/*-------------------------------------------------------------------------
 *
 * batmap_tiles.c
 *	  Strategy "batmap": tiles of sets that are intersected as batmaps.
 *
 * Sets are ranked by size, so those on one side of a tile have tables of about the same size.
 * The batmaps of the left sets stay while one tile after the other is joined with the same
 * left ranks.
 *
 *-------------------------------------------------------------------------
 */
#include "batmap_tiles.h"

#include "batmap.h"

#include <string.h>

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

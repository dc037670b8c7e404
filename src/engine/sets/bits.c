/*-------------------------------------------------------------------------
 *
 * bits.c
 *	  Strategy "bits": products of bit matrices.
 *
 * A tile is some left values with some right values.  Their keys become bits, one chunk of
 * keys after the other, which are packed into panels (as matrices are for a dense product:
 * Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication, ACM TOMS 2008).
 * The kernels count the bits that two panels share.  A chunk in which the tile has few paths
 * is gone through path by path instead.  If it only matters whether there are witnesses, two
 * panels are left as soon as all of their cells are set, and the tile as soon as those of all
 * panels are.
 *
 *-------------------------------------------------------------------------
 */
#include "joiner.h"

#include "engine/kernels.h"

#include <string.h>

#define CHUNK_WORDS		(CHUNK_KEYS / 64)

#define PANEL_CELLS		(FIM_LEFT_PANEL * FIM_RIGHT_PANEL)

/* The values of one side of a tile, and how far the keys of each have been gone through. */
typedef struct Edge
{
	const Side *side;
	Range		ranks;
	uint32_t	height;			/* rows of a panel */
	uint32_t	most;			/* rows that there is room for, whole panels */
	uint64_t   *words;			/* [panels][words of the chunk][height] */
	bool	   *some;			/* [panels] whether the panel has bits in the chunk */
	uint64_t	at[TILE_RANKS]; /* where each value's keys in the chunk begin ... */
	uint64_t	end[TILE_RANKS]; /* ... and end, in side->key */
} Edge;

struct Bits
{
	Joiner	   *j;
	Cells	   *cells;
	const FimKernels *kernels;
	Edge		left;
	Edge		right;
	double		words_ns;		/* what a pair of words takes */
	uint32_t	frequent_keys;	/* no chunk has both keys below this and other keys */
	uint32_t	nwords;			/* words of a row in the chunk, CHUNK_WORDS unless the chunk is cut short */
	size_t		cell_bytes;		/* the bytes of counts, or of any */
	uint32_t	stride;			/* right values of a tile, whole panels */
	uint32_t   *counts;			/* [left values][stride] witnesses of each cell, if they are counted */
	uint32_t   *any;			/* [left values][stride / 32] the same memory: if not, a bit for each cell */
	uint32_t   *of_key;			/* [CHUNK_KEYS] left values that have each key, 0 between chunks */
};

static void
EdgeInit(Edge *edge, Joiner *j, const Side *side, uint32_t height)
{
	uint32_t	panels = ((side->nvalues < TILE_RANKS ? side->nvalues : TILE_RANKS) + height - 1) / height;

	edge->side = side;
	edge->height = height;
	edge->most = panels * height;
	edge->words = ArenaAlloc(&j->arena, sizeof(uint64_t) * CHUNK_WORDS * edge->most);
	edge->some = ArenaAlloc(&j->arena, sizeof(bool) * panels);
}

/* Words of a row of bits->any: there is one for each right panel. */
static uint32_t
AnyStride(const Bits *bits)
{
	return bits->stride / FIM_RIGHT_PANEL;
}

Bits *
BitsNew(Joiner *j, Cells *cells, uint32_t frequent_keys)
{
	Bits	   *bits = ArenaAlloc(&j->arena, sizeof(Bits));

	bits->j = j;
	bits->cells = cells;
	bits->kernels = FimCurrentKernels();
	bits->words_ns = PlanWordsNs();
	bits->frequent_keys = frequent_keys;
	EdgeInit(&bits->left, j, &j->product.left, FIM_LEFT_PANEL);
	EdgeInit(&bits->right, j, &j->product.right, FIM_RIGHT_PANEL);
	bits->stride = bits->right.most;
	bits->cell_bytes = sizeof(uint32_t) * bits->left.most * (cells->counted ? bits->stride : AnyStride(bits));
	bits->of_key = ArenaAlloc(&j->arena, sizeof(uint32_t) * CHUNK_KEYS);
	memset(bits->of_key, 0, sizeof(uint32_t) * CHUNK_KEYS);
	/* the largest block last, since arenas grow by doubling */
	bits->counts = bits->any = ArenaAlloc(&j->arena, bits->cell_bytes);
	return bits;
}

static void
EdgeBegin(Edge *edge, Range ranks)
{
	edge->ranks = ranks;
	for (uint32_t r = ranks.from; r < ranks.to; r++)
		edge->at[r - ranks.from] = edge->end[r - ranks.from] = edge->side->start[r];
}

static uint32_t
EdgePanels(const Edge *edge)
{
	return (edge->ranks.to - edge->ranks.from + edge->height - 1) / edge->height;
}

/* The smallest key of the edge after the earlier chunks, or UINT32_MAX if there is none. */
static uint32_t
EdgeNextKey(const Edge *edge)
{
	uint32_t	least = UINT32_MAX;

	for (uint32_t i = 0; i < edge->ranks.to - edge->ranks.from; i++)
	{
		uint64_t	at = edge->end[i];

		if (at < edge->side->start[edge->ranks.from + i + 1] && edge->side->key[at] < least)
			least = edge->side->key[at];
	}
	return least;
}

/* The first place from "at" to "last" where keys, which are ascending, are not below "from". */
static uint64_t
FirstFrom(const uint32_t *key, uint64_t at, uint64_t last, uint64_t from)
{
	uint64_t	step = 1;

	/* a value has each key once, so the end of a chunk is near */
	while (at + step < last && key[at + step] < from)
	{
		at += step;
		step *= 2;
	}
	if (last > at + step)
		last = at + step;
	return FirstNotBelow(key, at, last, from);
}

/* Go on to the chunk of the keys from "first" to "end" - 1.  Returns how many the edge's values have together. */
static uint64_t
EdgeAdvance(Edge *edge, uint32_t first, uint64_t end)
{
	uint64_t	keys = 0;

	for (uint32_t i = 0; i < edge->ranks.to - edge->ranks.from; i++)
	{
		uint64_t	last = edge->side->start[edge->ranks.from + i + 1];

		edge->at[i] = FirstFrom(edge->side->key, edge->end[i], last, first);
		edge->end[i] = FirstFrom(edge->side->key, edge->at[i], last, end);
		keys += edge->end[i] - edge->at[i];
	}
	return keys;
}

/* Make bits of the edge's keys in the chunk that begins with key "first" and has nwords words. */
static void
EdgePack(Edge *edge, uint32_t first, uint32_t nwords)
{
	uint32_t	height = edge->height;
	uint32_t	panels = EdgePanels(edge);

	memset(edge->words, 0, sizeof(uint64_t) * nwords * height * panels);
	memset(edge->some, 0, sizeof(bool) * panels);
	for (uint32_t i = 0; i < edge->ranks.to - edge->ranks.from; i++)
	{
		uint64_t   *word = edge->words + (size_t) (i / height) * nwords * height + i % height;

		for (uint64_t k = edge->at[i]; k < edge->end[i]; k++)
		{
			uint32_t	bit = edge->side->key[k] - first;

			word[(size_t) (bit / 64) * height] |= UINT64_C(1) << (bit % 64);
		}
		if (edge->at[i] < edge->end[i])
			edge->some[i / height] = true;
	}
}

/* The number of paths that the tile has in the chunk that begins with key "first". */
static uint64_t
CountPaths(Bits *bits, uint32_t first)
{
	Edge	   *left = &bits->left;
	Edge	   *right = &bits->right;
	uint64_t	paths = 0;

	for (uint32_t i = 0; i < left->ranks.to - left->ranks.from; i++)
		for (uint64_t k = left->at[i]; k < left->end[i]; k++)
			bits->of_key[left->side->key[k] - first]++;
	for (uint32_t i = 0; i < right->ranks.to - right->ranks.from; i++)
		for (uint64_t k = right->at[i]; k < right->end[i]; k++)
			paths += bits->of_key[right->side->key[k] - first];
	for (uint32_t i = 0; i < left->ranks.to - left->ranks.from; i++)
		for (uint64_t k = left->at[i]; k < left->end[i]; k++)
			bits->of_key[left->side->key[k] - first] = 0;
	return paths;
}

/*
 * Whether pairs have no order and, in all cells of left panel l and right panel r, the left rank is
 * higher than the right one, so that none is a result.  Then this holds for the left panels after l,
 * too.
 */
static bool
IsBelow(const Bits *bits, uint32_t l, uint32_t r)
{
	return bits->j->product.one &&
		SelfOf(&bits->j->product, bits->left.ranks.from + l * FIM_LEFT_PANEL) >= bits->right.ranks.from + (r + 1) * FIM_RIGHT_PANEL;
}

/* Are the cells of a left and a right panel, whose bits begin at "any", all set? */
static bool
CellsAreSet(const Bits *bits, const uint32_t *any)
{
	for (uint32_t l = 0; l < FIM_LEFT_PANEL; l++)
		if (any[l * AnyStride(bits)] != UINT32_MAX)
			return false;
	return true;
}

/* Multiply the panels of both edges.  Returns true if nothing is counted and all cells are known to be set. */
static bool
MultiplyPanels(Bits *bits)
{
	uint32_t	left_panels = EdgePanels(&bits->left);
	bool		full = !bits->cells->counted;

	for (uint32_t r = 0; r < EdgePanels(&bits->right); r++)
	{
		const uint64_t *right = bits->right.words + (size_t) r * bits->nwords * FIM_RIGHT_PANEL;

		JoinerWorked(bits->j, (uint64_t) left_panels * PANEL_CELLS * bits->nwords / 4);
		for (uint32_t l = 0; l < left_panels && !IsBelow(bits, l, r); l++)
		{
			const uint64_t *left = bits->left.words + (size_t) l * bits->nwords * FIM_LEFT_PANEL;
			bool		some = bits->left.some[l] && bits->right.some[r];
			uint32_t   *any = bits->any + (size_t) l * FIM_LEFT_PANEL * AnyStride(bits) + r;

			if (bits->cells->counted)
			{
				if (some)
					bits->kernels->count_panels(left, right, bits->nwords,
												bits->counts + (size_t) l * FIM_LEFT_PANEL * bits->stride +
												r * FIM_RIGHT_PANEL, bits->stride);
			}
			else if (some)
				full &= bits->kernels->any_panels(left, right, bits->nwords, any, AnyStride(bits));
			else
				full = full && CellsAreSet(bits, any);
		}
	}
	return full;
}

/* Add the paths of the chunk one by one. */
static void
AddPaths(Bits *bits)
{
	const Product *p = &bits->j->product;
	const Edge *left = &bits->left;
	Range		right = bits->right.ranks;

	for (uint32_t i = 0; i < left->ranks.to - left->ranks.from; i++)
		for (uint64_t k = left->at[i]; k < left->end[i]; k++)
		{
			uint32_t	key = left->side->key[k];
			uint64_t	end = p->key_start[key + 1];

			for (uint64_t r = FirstNotBelow(p->rank, p->key_start[key], end, right.from);
				 r < end && p->rank[r] < right.to; r++)
			{
				uint32_t	cell = p->rank[r] - right.from;

				if (bits->cells->counted)
					bits->counts[(size_t) i * bits->stride + cell]++;
				else
					bits->any[(size_t) i * AnyStride(bits) + cell / 32] |= UINT32_C(1) << (cell % 32);
			}
		}
}

/* Whether going through the paths one by one takes less than pairs of words do. */
static bool
PathsAreCheaper(const Bits *bits, uint64_t paths, uint64_t left_keys, uint64_t words)
{
	return (double) paths * PLAN_TILE_PATH_NS + (double) left_keys * PLAN_TILE_KEY_NS < (double) words * bits->words_ns;
}

/* How many keys the chunk that begins with key "first" has. */
static uint32_t
KeysOfChunk(const Bits *bits, uint32_t first)
{
	uint32_t	last = first < bits->frequent_keys ? bits->frequent_keys : bits->j->product.nkeys;

	return last - first < CHUNK_KEYS ? last - first : CHUNK_KEYS;
}

/* Join the chunk of keys that begins with key "first".  Returns true if no later chunk can change anything. */
static bool
JoinChunk(Bits *bits, uint32_t first)
{
	uint64_t	keys = KeysOfChunk(bits, first);
	uint64_t	end = first + keys;
	uint64_t	left_keys = EdgeAdvance(&bits->left, first, end);
	uint64_t	right_keys = EdgeAdvance(&bits->right, first, end);
	uint64_t	words = (uint64_t) EdgePanels(&bits->left) * EdgePanels(&bits->right) * PANEL_CELLS;
	uint64_t	paths;

	bits->nwords = (uint32_t) (keys + 63) / 64;
	words *= bits->nwords;
	JoinerWorked(bits->j, 2 * (left_keys + right_keys) + 16 * TILE_RANKS);
	if (left_keys == 0 || right_keys == 0)
		return false;
	/* there are as many paths as there would be if keys were equally frequent, or more */
	paths = left_keys * right_keys / keys;
	if (PathsAreCheaper(bits, paths, left_keys, words))
		paths = CountPaths(bits, first);
	bits->j->nodes += paths;
	if (PathsAreCheaper(bits, paths, left_keys, words))
	{
		AddPaths(bits);
		JoinerWorked(bits->j, 2 * paths + 4 * left_keys);
		return false;
	}
	EdgePack(&bits->left, first, bits->nwords);
	EdgePack(&bits->right, first, bits->nwords);
	return MultiplyPanels(bits);
}

/* Give out the results of the tile. */
static void
EmitTile(Bits *bits)
{
	Range		left = bits->left.ranks;
	Range		right = bits->right.ranks;

	for (uint32_t l = left.from; l < left.to; l++)
	{
		size_t		i = l - left.from;

		if (bits->cells->counted)
			CellsAddCounts(bits->cells, l, right, bits->counts + i * bits->stride);
		else
			CellsAddBits(bits->cells, l, right, bits->any + i * AnyStride(bits));
	}
}

/* Set the cells of panels that stand for no values, so that the panels can become full without them. */
static void
SetPadding(Bits *bits)
{
	uint32_t	left = bits->left.ranks.to - bits->left.ranks.from;
	uint32_t	right = bits->right.ranks.to - bits->right.ranks.from;

	if (right % FIM_RIGHT_PANEL != 0)
		for (uint32_t i = 0; i < left; i++)
			bits->any[(size_t) i * AnyStride(bits) + right / FIM_RIGHT_PANEL] = UINT32_MAX << right % FIM_RIGHT_PANEL;
	for (uint32_t i = left; i < EdgePanels(&bits->left) * FIM_LEFT_PANEL; i++)
		memset(bits->any + (size_t) i * AnyStride(bits), 0xff, sizeof(uint32_t) * AnyStride(bits));
}

void
BitsJoinTile(Bits *bits, Range left, Range right)
{
	bool		done = false;

	if (!CellsInTile(bits->cells, left, right))
		return;
	EdgeBegin(&bits->left, left);
	EdgeBegin(&bits->right, right);
	memset(bits->any, 0, bits->cell_bytes);
	if (!bits->cells->counted)
		SetPadding(bits);
	while (!done)
	{
		uint32_t	a = EdgeNextKey(&bits->left);
		uint32_t	b = EdgeNextKey(&bits->right);

		/* the chunk begins with the first key that both edges may have */
		if (a == UINT32_MAX || b == UINT32_MAX)
			break;
		done = JoinChunk(bits, a > b ? a : b);
	}
	EmitTile(bits);
}

/*-------------------------------------------------------------------------
 *
 * node.c
 *	  Bit matrices from rows and from other bit matrices.
 *
 *-------------------------------------------------------------------------
 */
#include "miner.h"

#include <string.h>

/* Fewer rows than this fill a word or two: merging them gains nothing. */
#define MIN_ROWS_TO_MERGE	128

/* Rows as the columns they hold, before they are transposed. */
typedef struct Patterns
{
	uint32_t	nrows;
	uint32_t	nexcluded;		/* words of excluded columns per row */
	uint64_t   *extensions;		/* [nrows] */
	uint64_t   *excluded;		/* [nrows][nexcluded] */
	uint32_t   *weight;			/* [nrows] */
} Patterns;

static inline uint32_t
RoundUp8(uint32_t n)
{
	return (n + 7) & ~UINT32_C(7);
}

/*
 * Where each row's bits go: plane s takes the rows whose weight has bit s set.
 * Planes start at word borders, so small sums of weights are better spent as
 * that many rows of weight 1: copies says so.
 */
typedef struct Planes
{
	bool		copies;
	uint32_t	nwords;
	uint64_t	start[32];		/* first bit of each plane */
} Planes;

static void
PlanPlanes(const uint32_t *weight, uint32_t nrows, Planes *planes)
{
	uint64_t	rows[32] = {0};
	uint64_t	total = 0;
	uint64_t	nwords = 0;
	uint32_t	any = 0;

	for (uint32_t r = 0; r < nrows; r++)
	{
		any |= weight[r];
		total += weight[r];
	}
	if (any == 1)
		rows[0] = nrows;
	else
		for (uint32_t r = 0; r < nrows; r++)
			for (uint32_t left = weight[r]; left != 0; left &= left - 1)
				rows[__builtin_ctz(left)]++;
	for (int s = 0; s < 32; s++)
	{
		planes->start[s] = nwords * 64;
		nwords += (rows[s] + 63) / 64;
	}
	planes->copies = (total + 63) / 64 <= nwords;
	planes->nwords = (uint32_t) (planes->copies ? (total + 63) / 64 : nwords);
}

static void
NewMatrix(Miner *m, uint32_t ncolumns, const Planes *planes, BitMatrix *matrix)
{
	size_t		size;

	matrix->nwords = planes->nwords;
	matrix->stride = RoundUp8(ncolumns);
	matrix->shift = NULL;
	size = sizeof(uint64_t) * ((size_t) matrix->nwords * matrix->stride + 8);
	matrix->words = ArenaAlloc(&m->arena, size);
	memset(matrix->words, 0, size);
	MinerWork(m, size / 64);
	if (!planes->copies)
	{
		uint8_t    *shift = ArenaAlloc(&m->arena, matrix->nwords + 1);

		for (uint32_t s = 0; s < 32; s++)
		{
			uint64_t	end = s < 31 ? planes->start[s + 1] / 64 : matrix->nwords;

			for (uint64_t w = planes->start[s] / 64; w < end; w++)
				shift[w] = (uint8_t) s;
		}
		matrix->shift = shift;
	}
}

/* The bits of the next row of this weight; returns how many, at most 32. */
static inline uint32_t
PlaceRow(Planes *planes, uint32_t weight, uint64_t *bit)
{
	uint32_t	n = 0;

	for (uint32_t left = weight; left != 0; left &= left - 1)
		bit[n++] = planes->start[__builtin_ctz(left)]++;
	return n;
}

static inline void
SetBit(BitMatrix *matrix, uint64_t bit, uint32_t column)
{
	matrix->words[bit / 64 * matrix->stride + column] |= UINT64_C(1) << (bit % 64);
}

static void
Transpose(Miner *m, const Patterns *rows, uint32_t k, uint32_t excluded, BitMatrix *matrix)
{
	Planes		planes;

	PlanPlanes(rows->weight, rows->nrows, &planes);
	NewMatrix(m, k + excluded, &planes, matrix);
	for (uint32_t r = 0; r < rows->nrows; r++)
	{
		uint64_t	bits[32];
		uint32_t	nbits = planes.copies ? 1 : PlaceRow(&planes, rows->weight[r], bits);
		uint32_t	copies = planes.copies ? rows->weight[r] : 1;

		for (uint32_t n = 0; n < nbits * copies; n++)
		{
			uint64_t	bit = planes.copies ? planes.start[0]++ : bits[n];

			for (uint64_t left = rows->extensions[r]; left != 0; left &= left - 1)
				SetBit(matrix, bit, (uint32_t) __builtin_ctzll(left));
			for (uint32_t w = 0; w < rows->nexcluded; w++)
				for (uint64_t left = rows->excluded[(size_t) r * rows->nexcluded + w];
					 left != 0; left &= left - 1)
					SetBit(matrix, bit, k + w * 64 + (uint32_t) __builtin_ctzll(left));
		}
		MinerWork(m, 16);
	}
}

/*
 * Merge rows with equal extensions.  Of their excluded items only those that
 * they have in common matter: an excluded item covers an itemset of the subtree
 * only if it is in all of the itemset's rows, and these hold all or none of the
 * merged ones ("interior intersection", LCM ver. 2, section 4).
 */
static void
MergePatterns(Miner *m, Patterns *rows)
{
	ArenaMark	mark;
	uint64_t	nslots = 64;
	uint32_t   *slot;
	uint32_t	kept = 0;

	while (nslots < (uint64_t) rows->nrows * 2)
		nslots *= 2;
	mark = ArenaGetMark(&m->arena);
	slot = ArenaAlloc(&m->arena, sizeof(uint32_t) * nslots);
	memset(slot, 0, sizeof(uint32_t) * nslots);
	for (uint32_t r = 0; r < rows->nrows; r++)
	{
		uint64_t	pattern = rows->extensions[r];
		uint64_t	s = FimHash64(pattern) & (nslots - 1);
		uint32_t	into;

		while (slot[s] != 0 && rows->extensions[slot[s] - 1] != pattern)
			s = (s + 1) & (nslots - 1);
		if (slot[s] == 0)
		{
			into = kept++;
			slot[s] = kept;
			rows->extensions[into] = pattern;
			rows->weight[into] = rows->weight[r];
			for (uint32_t w = 0; w < rows->nexcluded; w++)
				rows->excluded[(size_t) into * rows->nexcluded + w] =
					rows->excluded[(size_t) r * rows->nexcluded + w];
			continue;
		}
		into = slot[s] - 1;
		rows->weight[into] += rows->weight[r];
		for (uint32_t w = 0; w < rows->nexcluded; w++)
			rows->excluded[(size_t) into * rows->nexcluded + w] &=
				rows->excluded[(size_t) r * rows->nexcluded + w];
	}
	MinerWork(m, rows->nrows);
	rows->nrows = kept;
	ArenaRelease(&m->arena, mark);
}

/* Few extensions: rows become machine words, and equal ones merge. */
static void
NodeOfPatterns(Miner *m, const View *view, uint32_t i, uint32_t k, uint32_t excluded,
			   BitMatrix *matrix)
{
	uint64_t	most = view->occ[i + 1] - view->occ[i];
	Patterns	rows = {.nexcluded = (excluded + 63) / 64};

	rows.extensions = ArenaAlloc(&m->arena, sizeof(uint64_t) * most);
	rows.weight = ArenaAlloc(&m->arena, sizeof(uint32_t) * most);
	rows.excluded = ArenaAlloc(&m->arena, sizeof(uint64_t) * most * rows.nexcluded);
	for (uint64_t o = view->occ[i]; o < view->occ[i + 1]; o++)
	{
		FimRow		row = view->rows[view->occurrences[o]];
		const uint32_t *item = view->items + row.at;
		uint64_t   *others = rows.excluded + (size_t) rows.nrows * rows.nexcluded;
		uint64_t	pattern = 0;
		uint32_t	e = view->skip;

		PREFETCH_ROW(view, o, view->occ[i + 1]);
		/* column 0 of the map is none: shifting by one more drops its bit */
		for (; item[e] < i; e++)
			pattern |= UINT64_C(1) << view->local[item[e]] >> 1;
		MinerWork(m, row.length);
		if (pattern == 0)
			continue;
		memset(others, 0, sizeof(uint64_t) * rows.nexcluded);
		if (excluded > 0)
			for (e++; e < row.length; e++)
			{
				uint32_t	column = view->local[item[e]];

				if (column != 0)
					others[(column - 1 - k) / 64] |= UINT64_C(1) << ((column - 1 - k) % 64);
			}
		rows.extensions[rows.nrows] = pattern;
		rows.weight[rows.nrows++] = row.weight;
	}
	if (rows.nrows >= MIN_ROWS_TO_MERGE && m->job->kind != FIM_MAXIMAL)
		MergePatterns(m, &rows);
	Transpose(m, &rows, k, excluded, matrix);
}

/* More extensions: bits are set as the rows are read. */
static void
NodeOfLongRows(Miner *m, const View *view, uint32_t i, uint32_t ncolumns, BitMatrix *matrix)
{
	ArenaMark	mark = ArenaGetMark(&m->arena);
	uint64_t	nrows = view->occ[i + 1] - view->occ[i];
	uint32_t   *weight = ArenaAlloc(&m->arena, sizeof(uint32_t) * nrows);
	Planes		planes;

	for (uint64_t n = 0; n < nrows; n++)
		weight[n] = view->rows[view->occurrences[view->occ[i] + n]].weight;
	PlanPlanes(weight, (uint32_t) nrows, &planes);
	ArenaRelease(&m->arena, mark);
	NewMatrix(m, ncolumns, &planes, matrix);
	for (uint64_t o = view->occ[i]; o < view->occ[i + 1]; o++)
	{
		FimRow		row = view->rows[view->occurrences[o]];
		uint64_t	bits[32];
		uint32_t	nbits = planes.copies ? 1 : PlaceRow(&planes, row.weight, bits);
		uint32_t	copies = planes.copies ? row.weight : 1;

		PREFETCH_ROW(view, o, view->occ[i + 1]);
		for (uint32_t b = 0; b < nbits * copies; b++)
		{
			uint64_t	bit = planes.copies ? planes.start[0]++ : bits[b];

			for (uint32_t e = view->skip; e < row.length; e++)
			{
				uint32_t	column = view->local[view->items[row.at + e]];

				if (column != 0)
					SetBit(matrix, bit, column - 1);
			}
		}
		MinerWork(m, row.length);
	}
}

/* The matrix of class i; view->local maps its items to columns + 1. */
void
NodeOfRows(Miner *m, const View *view, uint32_t i, const uint32_t *items,
		   uint32_t k, uint32_t excluded, Node *node)
{
	node->k = k;
	node->excluded = excluded;
	node->item = ArenaAlloc(&m->arena, sizeof(uint32_t) * ((size_t) k + excluded));
	for (uint32_t c = 0; c < k + excluded; c++)
		node->item[c] = view->name[items[c]];
	if (k <= MERGED_COLUMNS)
		NodeOfPatterns(m, view, i, k, excluded, &node->matrix);
	else
		NodeOfLongRows(m, view, i, k + excluded, &node->matrix);
}

/*
 * The node of column j: the columns that mask selects, nextensions of them
 * before j and nexcluded after it.  counts are their supports with j.
 */
void
NodeProject(Miner *m, const Node *from, uint32_t j, const uint32_t *counts,
			const uint8_t *mask, uint32_t nextensions, uint32_t nexcluded, Node *to)
{
	uint32_t	ncolumns = from->k + from->excluded;
	uint32_t	n = 0;
	uint8_t    *shift;

	to->k = nextensions;
	to->excluded = nexcluded;
	to->path_support = from->support[j];
	to->item = ArenaAlloc(&m->arena, sizeof(uint32_t) * (nextensions + nexcluded));
	to->support = ArenaAlloc(&m->arena, sizeof(uint32_t) * (nextensions + nexcluded));
	to->matrix.stride = RoundUp8(nextensions + nexcluded);
	shift = ArenaAlloc(&m->arena, from->matrix.nwords);
	to->matrix.words = ArenaAlloc(&m->arena, sizeof(uint64_t) *
								  ((size_t) from->matrix.nwords * to->matrix.stride + 8));
	if (nexcluded == 0)
		ncolumns = j;
	for (uint32_t g = 0; g < (ncolumns + 7) / 8; g++)
		for (unsigned left = mask[g]; left != 0; left &= left - 1)
		{
			uint32_t	c = g * 8 + (uint32_t) __builtin_ctz(left);

			to->item[n] = from->item[c];
			to->support[n] = counts[c];
			n++;
		}
	m->kernels->project(&from->matrix, j, mask, ncolumns, &to->matrix, shift);
	MinerWork(m, (uint64_t) from->matrix.nwords * (to->matrix.stride + 8) / 8);
}

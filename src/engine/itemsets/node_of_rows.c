/*-------------------------------------------------------------------------
 *
 * node_of_rows.c
 *	  Nodes made of the rows of a view.
 *
 *-------------------------------------------------------------------------
 */
#include "node_of_rows.h"
#include "planes.h"

#include <string.h>

/* Fewer rows than this are so few that merging them gains nothing. */
#define MIN_ROWS_TO_MERGE	128

static bool
SetIsEmpty(const uint64_t *set, uint32_t nwords)
{
	for (uint32_t w = 0; w < nwords; w++)
		if (set[w] != 0)
			return false;
	return true;
}

/*
 * Write which of the n excluded items of a class a row has.  They are the class's columns from
 * k on, and are looked for from item e of the row on.  If one word holds all of them, it is
 * made in a register and without branches, since most rows of dense data have many such
 * items.
 */
static inline void
SetExcluded(const View *view, const FimRow *row, uint32_t e, uint32_t k, uint32_t n, uint64_t *words)
{
	const uint32_t *item = view->items + row->at;

	if (n <= 64)
	{
		uint64_t	word = 0;

		for (; e < row->length; e++)
		{
			uint32_t	column = view->local[item[e]];

			word |= (uint64_t) (column != 0) << ((column - 1 - k) % 64);
		}
		words[0] = word;
		return;
	}
	memset(words, 0, sizeof(uint64_t) * ((n + 63) / 64));
	for (; e < row->length; e++)
	{
		uint32_t	column = view->local[item[e]];

		if (column != 0)
			words[(column - 1 - k) / 64] |= UINT64_C(1) << ((column - 1 - k) % 64);
	}
}

/* For at most MERGED_COLUMNS extensions: they are one machine word of a row, and equal rows are merged. */
static void
NodeOfPatterns(Miner *m, const View *view, uint32_t i, bool merge, const Transposed *to)
{
	uint32_t	k = to->k;
	uint32_t	excluded = to->excluded;
	Patterns	rows;

	PatternsInit(m, view->occ[i + 1] - view->occ[i], 1 + (excluded + 63) / 64, LastBits(k), &rows);
	for (uint64_t o = view->occ[i]; o < view->occ[i + 1]; o++)
	{
		FimRow		row = view->rows[view->occurrences[o]];
		const uint32_t *item = view->items + row.at;
		uint64_t   *words = PatternsRow(&rows, rows.nrows);
		uint64_t	pattern = 0;
		uint32_t	e = view->skip;

		PREFETCH_ROW(view, o, view->occ[i + 1]);
		/* view->local is 0 for items that are not in the class, and the second shift drops their bit */
		for (; item[e] < i; e++)
			pattern |= UINT64_C(1) << view->local[item[e]] >> 1;
		MinerWork(m, row.length);
		if (pattern == 0)
			continue;
		words[0] = pattern << (64 - k);
		if (excluded > 0)
			SetExcluded(view, &row, e + 1, k, excluded, words + 1);
		if (!merge && SetIsEmpty(words + 1, rows.row_words - 1))
			continue;
		rows.weight[rows.nrows++] = row.weight;
	}
	if (merge && rows.nrows >= MIN_ROWS_TO_MERGE)
		PatternsMerge(m, &rows);
	PatternsTranspose(m, &rows, to);
}

/* Whether the row has an excluded item, whose column is k or more. */
static bool
HasExcluded(const View *view, FimRow row, uint32_t k)
{
	for (uint32_t e = row.length; e-- > view->skip;)
		if (view->local[view->items[row.at + e]] > k)
			return true;
	return false;
}

/* For more extensions: bits are set in the matrix while the rows are read, and rows are not merged. */
static void
NodeOfLongRows(Miner *m, const View *view, uint32_t i, bool merge, const Transposed *to)
{
	uint32_t	k = to->k;
	uint32_t	ncolumns = to->k + to->excluded;
	uint32_t	in_matrix = to->by_row != NULL ? k : ncolumns;
	BitMatrix  *matrix = to->matrix;
	RowMatrix  *by_row = to->by_row;
	uint64_t	most = view->occ[i + 1] - view->occ[i];
	FimRow	   *rows = ArenaAlloc(&m->arena, sizeof(FimRow) * most);
	uint32_t   *weight = ArenaAlloc(&m->arena, sizeof(uint32_t) * most);
	uint32_t	nrows = 0;
	Planes		planes;

	for (uint64_t o = view->occ[i]; o < view->occ[i + 1]; o++)
	{
		FimRow		row = view->rows[view->occurrences[o]];

		PREFETCH_ROW(view, o, view->occ[i + 1]);
		if (!merge && !HasExcluded(view, row, k))
			continue;
		rows[nrows] = row;
		weight[nrows++] = row.weight;
	}
	PlanesOfWeights(weight, nrows, &planes);
	PlanesMatrix(m, in_matrix, &planes, matrix);
	if (by_row != NULL)
	{
		PlanesRows(m, matrix, ncolumns, by_row);
		memset(by_row->words, 0, sizeof(uint64_t) * 64 * matrix->nwords * by_row->row_words);
		MinerWork(m, (uint64_t) matrix->nwords * by_row->row_words * 8);
	}
	for (uint32_t r = 0; r < nrows; r++)
	{
		FimRow		row = rows[r];
		uint64_t	bits[32];
		uint32_t	nbits = planes.copies ? 1 : PlanesPlace(&planes, row.weight, bits);
		uint32_t	copies = planes.copies ? row.weight : 1;

		for (uint32_t b = 0; b < nbits * copies; b++)
		{
			uint64_t	bit = planes.copies ? planes.start[0]++ : bits[b];

			for (uint32_t e = view->skip; e < row.length; e++)
			{
				uint32_t	column = view->local[view->items[row.at + e]];

				if (column == 0 || column > ncolumns)
					continue;
				if (column <= in_matrix)
					SetBit(matrix, bit, column - 1);
				if (by_row != NULL)
					by_row->words[bit * by_row->row_words + (column - 1) / 64] |=
						UINT64_C(1) << ((column - 1) % 64);
			}
		}
		MinerWork(m, row.length);
	}
}

void
NodeOfRows(Miner *m, const View *view, uint32_t i, const uint32_t *items,
		   uint32_t k, uint32_t excluded, bool merge, Node *node)
{
	Transposed	to = {.k = k, .excluded = excluded, .matrix = &node->matrix};

	node->k = k;
	node->excluded = excluded;
	node->place = NULL;
	if (m->job->kind == FIM_CLOSED)
		to.by_row = &node->rows;
	node->item = ArenaAlloc(&m->arena, sizeof(uint32_t) * ((size_t) k + excluded));
	for (uint32_t c = 0; c < k + excluded; c++)
		node->item[c] = view->name[items[c]];
	if (k <= MERGED_COLUMNS)
		NodeOfPatterns(m, view, i, merge, &to);
	else
		NodeOfLongRows(m, view, i, merge, &to);
}

void
NodeOfView(Miner *m, const View *view, Node *node)
{
	Patterns	rows;
	Transposed	to = {.matrix = &node->matrix};

	to.k = view->nclasses - view->skip;
	node->k = to.k;
	node->excluded = 0;
	node->place = NULL;
	node->path_support = (uint32_t) m->db->transactions;
	node->support = ArenaAlloc(&m->arena, sizeof(uint32_t) * node->k);
	node->item = ArenaAlloc(&m->arena, sizeof(uint32_t) * node->k);
	memcpy(node->support, view->support + view->skip, sizeof(uint32_t) * node->k);
	memcpy(node->item, view->name + view->skip, sizeof(uint32_t) * node->k);
	PatternsInit(m, view->nrows, 1, LastBits(node->k), &rows);
	for (uint32_t r = 0; r < view->nrows; r++)
	{
		FimRow		row = view->rows[r];
		uint64_t	pattern = 0;

		for (uint32_t e = view->skip; e < row.length && view->items[row.at + e] < view->nclasses; e++)
			pattern |= UINT64_C(1) << (view->items[row.at + e] - view->skip);
		MinerWork(m, row.length);
		if (pattern == 0)
			continue;
		*PatternsRow(&rows, rows.nrows) = pattern << (64 - node->k);
		rows.weight[rows.nrows++] = row.weight;
	}
	PatternsTranspose(m, &rows, &to);
}

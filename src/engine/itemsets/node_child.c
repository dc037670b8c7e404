/*-------------------------------------------------------------------------
 *
 * node_child.c
 *	  The nodes below a node: its columns within one of them.
 *
 *-------------------------------------------------------------------------
 */
#include "node_child.h"
#include "planes.h"

#include <string.h>

/* Fewer words of rows than this are so few that merging rows gains nothing. */
#define MIN_WORDS_TO_MERGE	4

/* List the columns that the mask selects.  Returns their number. */
static uint32_t
ListColumns(const uint8_t *mask, uint32_t ncolumns, uint32_t *columns)
{
	uint32_t	n = 0;

	for (uint32_t g = 0; g < (ncolumns + 7) / 8; g++)
		for (unsigned left = mask[g]; left != 0; left &= left - 1)
			columns[n++] = g * 8 + (uint32_t) __builtin_ctz(left);
	return n;
}

/*
 * Turn columns back into rows: the transactions of column j, as sets of the listed columns,
 * of which the first k are extensions.  Rows without an extension are left out.
 */
static void
RowsOfColumn(Miner *m, const BitMatrix *from, uint32_t j, const uint32_t *columns,
			 uint32_t k, uint32_t ncolumns, Patterns *rows)
{
	uint64_t	part[64];

	PatternsInit(m, (uint64_t) from->nwords * 64, 1 + (ncolumns - k + 63) / 64, LastBits(k), rows);
	for (uint32_t w = 0; w < from->nwords; w++)
	{
		const uint64_t *word = from->words + (size_t) w * from->stride;
		uint64_t	tids = word[j];
		uint64_t	live = 0;
		uint32_t	first = rows->nrows;

		if (tids == 0)
			continue;
		memset(part, 0, sizeof(uint64_t) * (64 - k));
		for (uint32_t c = 0; c < k; c++)
			live |= part[64 - k + c] = word[columns[c]] & tids;
		m->kernels->transpose(part);
		for (uint64_t left = live; left != 0; left &= left - 1)
		{
			*PatternsRow(rows, rows->nrows) = part[__builtin_ctzll(left)];
			rows->weight[rows->nrows++] = from->shift != NULL ? UINT32_C(1) << from->shift[w] : 1;
		}
		for (uint32_t x = 1; x < rows->row_words; x++)
		{
			uint32_t	start = k + 64 * (x - 1);
			uint32_t	n = ncolumns - start < 64 ? ncolumns - start : 64;
			uint32_t	r = first;

			for (uint32_t c = 0; c < n; c++)
				part[c] = word[columns[start + c]];
			memset(part + n, 0, sizeof(uint64_t) * (64 - n));
			m->kernels->transpose(part);
			for (uint64_t left = live; left != 0; left &= left - 1)
				PatternsRow(rows, r++)[x] = part[__builtin_ctzll(left)];
		}
		MinerWork(m, 32);
	}
}

/* Make the child's matrix of merged rows.  All nodes below gain from that. */
static void
ProjectMerged(Miner *m, const Node *from, uint32_t j, const uint32_t *columns,
			  const Transposed *to)
{
	Patterns	rows;

	RowsOfColumn(m, &from->matrix, j, columns, to->k, to->k + to->excluded, &rows);
	PatternsMerge(m, &rows);
	PatternsTranspose(m, &rows, to);
}

/* Begin the child for column j.  It has the listed columns of "from", of which the first k are extensions. */
static void
BeginProjection(Miner *m, const Node *from, uint32_t j, const uint32_t *counts,
				const uint32_t *columns, uint32_t k, uint32_t excluded, Node *to)
{
	uint32_t	n = k + excluded;

	to->k = k;
	to->excluded = excluded;
	to->path_support = from->support[j];
	to->item = ArenaAlloc(&m->arena, sizeof(uint32_t) * n);
	to->support = ArenaAlloc(&m->arena, sizeof(uint32_t) * n);
	to->place = NULL;
	for (uint32_t c = 0; c < n; c++)
	{
		to->item[c] = from->item[columns[c]];
		to->support[c] = counts[columns[c]];
	}
}

/* Make room for a matrix of at most as many words as "from" has.  Returns room for the words' shifts. */
static uint8_t *
NewProjection(Miner *m, const BitMatrix *from, uint32_t ncolumns, BitMatrix *to)
{
	to->stride = RoundUp8(ncolumns);
	to->words = ArenaAlloc(&m->arena, sizeof(uint64_t) * ((size_t) from->nwords * to->stride + 8));
	return ArenaAlloc(&m->arena, from->nwords);
}

/* Whether the child's rows are merged again: if the caller says that it is worth it, and they are not too few. */
static inline bool
IsMerged(const Node *from, uint32_t k, bool merge)
{
	return merge && k <= MERGED_COLUMNS && from->matrix.nwords >= MIN_WORDS_TO_MERGE;
}

/* Set where the child's columns are in the rows, and what still covers them. */
static void
BeginPlaces(Miner *m, const Node *from, uint32_t j, const uint32_t *columns, Node *to)
{
	to->after = from->place[j] + 1;
	to->one_word = from->one_word;
	to->place = ArenaAlloc(&m->arena, sizeof(uint32_t) * to->k);
	to->cover = ArenaAlloc(&m->arena, sizeof(uint32_t) * to->k);
	for (uint32_t c = 0; c < to->k; c++)
	{
		to->place[c] = from->place[columns[c]];
		to->cover[c] = CoverLeft(m, from->cover[columns[c]]);
	}
}

void
NodeProject(Miner *m, const Node *from, uint32_t j, const uint32_t *counts,
			const uint8_t *mask, uint32_t n, bool merge, Node *to)
{
	uint32_t   *columns = ArenaAlloc(&m->arena, sizeof(uint32_t) * n);
	uint32_t   *origin = NULL;
	uint8_t    *shift;

	ListColumns(mask, j, columns);
	BeginProjection(m, from, j, counts, columns, n, 0, to);
	if (IsMerged(from, n, merge))
	{
		Transposed	merged = {.k = n, .matrix = &to->matrix};

		ProjectMerged(m, from, j, columns, &merged);
		return;
	}
	if (from->place != NULL)
	{
		BeginPlaces(m, from, j, columns, to);
		to->rows = from->rows;
		origin = ArenaAlloc(&m->arena, sizeof(uint32_t) * from->matrix.nwords);
	}
	shift = NewProjection(m, &from->matrix, n, &to->matrix);
	m->kernels->project(&from->matrix, j, mask, j, &to->matrix, shift, origin);
	MinerWork(m, (uint64_t) from->matrix.nwords * (to->matrix.stride + 8) / 8);
}

/* Collect the rows of column j that have a bit of the key, and merge those that are equal in these bits. */
static void
MergeRowsOfColumn(Miner *m, const Node *from, uint32_t j, uint64_t key, Patterns *rows)
{
	const BitMatrix *matrix = &from->matrix;
	uint32_t	row_words = from->rows.row_words;
	uint64_t	most = 0;
	ArenaMark	mark;
	RowIndex	index;

	for (uint32_t w = 0; w < matrix->nwords; w++)
		most += (uint64_t) __builtin_popcountll(matrix->words[(size_t) w * matrix->stride + j]);
	PatternsInit(m, most, row_words, key, rows);
	mark = ArenaGetMark(&m->arena);
	RowIndexInit(m, most, key, &index);
	for (uint32_t w = 0; w < matrix->nwords; w++)
	{
		uint64_t	tids = matrix->words[(size_t) w * matrix->stride + j];
		uint32_t	origin = matrix->origin != NULL ? matrix->origin[w] : w;
		const uint64_t *of_word = from->rows.words + (size_t) origin * 64 * row_words;
		uint32_t	weight = matrix->shift != NULL ? UINT32_C(1) << matrix->shift[w] : 1;

		for (; tids != 0; tids &= tids - 1)
		{
			const uint64_t *row = of_word + (size_t) __builtin_ctzll(tids) * row_words;

			if ((row[0] & key) != 0)
				MergeRow(rows, &index, row, weight);
		}
	}
	MinerWork(m, 4 * most);
	ArenaRelease(&m->arena, mark);
	PatternsTrim(m, rows);
}

void
NodeMerge(Miner *m, const Node *from, uint32_t j, const uint32_t *counts,
		  const uint8_t *mask, uint32_t n, Node *to)
{
	uint32_t   *columns = ArenaAlloc(&m->arena, sizeof(uint32_t) * n);
	uint64_t	key = 0;
	Patterns	rows;
	Transposed	merged = {.k = n, .excluded = from->rows.ncolumns - 64, .matrix = &to->matrix};

	ListColumns(mask, j, columns);
	BeginProjection(m, from, j, counts, columns, n, 0, to);
	BeginPlaces(m, from, j, columns, to);
	for (uint32_t c = 0; c < n; c++)
		key |= UINT64_C(1) << to->place[c];
	MergeRowsOfColumn(m, from, j, key, &rows);
	merged.place = to->place;
	merged.by_row = &to->rows;
	PatternsTranspose(m, &rows, &merged);
}

void
NodeOfRootColumn(Miner *m, const Node *root, uint32_t j, const uint32_t *counts,
				 const uint8_t *mask, uint32_t k, uint32_t excluded, Node *to)
{
	Transposed	merged = {.k = k, .excluded = excluded, .matrix = &to->matrix};
	uint32_t   *columns = ArenaAlloc(&m->arena, sizeof(uint32_t) * (k + excluded));

	ListColumns(mask, root->k, columns);
	BeginProjection(m, root, j, counts, columns, k, excluded, to);
	merged.by_row = &to->rows;
	ProjectMerged(m, root, j, columns, &merged);
}

void
NodeProjectInOrder(Miner *m, const Node *from, uint32_t j, const uint32_t *counts,
				   const uint32_t *columns, uint32_t n, bool merge, Node *to)
{
	const BitMatrix *matrix = &from->matrix;
	uint32_t	kept = 0;
	uint8_t    *shift;

	BeginProjection(m, from, j, counts, columns, n, 0, to);
	if (IsMerged(from, n, merge))
	{
		Transposed	merged = {.k = n, .matrix = &to->matrix};

		ProjectMerged(m, from, j, columns, &merged);
		return;
	}
	shift = NewProjection(m, matrix, n, &to->matrix);
	for (uint32_t w = 0; w < matrix->nwords; w++)
	{
		const uint64_t *restrict word = matrix->words + (size_t) w * matrix->stride;
		uint64_t   *restrict into = to->matrix.words + (size_t) kept * to->matrix.stride;
		uint64_t	tids = word[j];

		if (tids == 0)
			continue;
		for (uint32_t c = 0; c < n; c++)
			into[c] = word[columns[c]] & tids;
		for (uint32_t c = n; c < to->matrix.stride; c++)
			into[c] = 0;
		shift[kept++] = matrix->shift != NULL ? matrix->shift[w] : 0;
	}
	to->matrix.nwords = kept;
	to->matrix.shift = matrix->shift != NULL ? shift : NULL;
	to->matrix.origin = NULL;
	MinerWork(m, (uint64_t) matrix->nwords * (to->matrix.stride + 8) / 2);
}

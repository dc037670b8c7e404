/*-------------------------------------------------------------------------
 *
 * bit_matrix.c
 *	  Bit matrices from rows and from other bit matrices.
 *
 *-------------------------------------------------------------------------
 */
#include "bit_matrix.h"
#include "engine/hash.h"

#include <string.h>

/* Fewer rows than this fill a word or two: merging them gains nothing. */
#define MIN_ROWS_TO_MERGE	128
#define MIN_WORDS_TO_MERGE	4

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
	matrix->origin = NULL;
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

/* Room for the rows of a matrix. */
static void
NewRows(Miner *m, const BitMatrix *matrix, uint32_t ncolumns, RowMatrix *rows)
{
	size_t		size;

	rows->row_words = (ncolumns + 63) / 64;
	size = sizeof(uint64_t) * 64 * (size_t) matrix->nwords * rows->row_words;
	rows->words = ArenaAlloc(&m->arena, size);
	memset(rows->words, 0, size);
	MinerWork(m, size / 64);
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

/* Rows on their way into the next word of the matrix. */
typedef struct Block
{
	uint32_t	nrows;
	uint32_t	word;
	uint64_t   *rows;			/* [1 + nexcluded][64] */
} Block;

static void
FlushBlock(Miner *m, Block *block, const Patterns *rows, uint32_t k, uint32_t excluded,
		   BitMatrix *matrix)
{
	uint64_t   *to = matrix->words + (size_t) block->word++ * matrix->stride;

	for (uint32_t part = 0; part <= rows->nexcluded; part++)
	{
		uint64_t   *words = block->rows + part * 64;
		uint32_t	n = part == 0 ? k : excluded < 64 * part ? excluded - 64 * (part - 1) : 64;

		memset(words + block->nrows, 0, sizeof(uint64_t) * (64 - block->nrows));
		m->kernels->transpose(words);
		memcpy(to, words, sizeof(uint64_t) * n);
		to += n;
	}
	block->nrows = 0;
}

/* Rows to columns, plane by plane, 64 rows at a time. */
static void
Transpose(Miner *m, const Patterns *rows, uint32_t k, uint32_t excluded, BitMatrix *matrix)
{
	Planes		planes;
	Block		block = {0};
	ArenaMark	mark;

	PlanPlanes(rows->weight, rows->nrows, &planes);
	NewMatrix(m, k + excluded, &planes, matrix);
	mark = ArenaGetMark(&m->arena);
	block.rows = ArenaAlloc(&m->arena, sizeof(uint64_t) * 64 * (1 + rows->nexcluded));
	for (uint32_t plane = 0; block.word < matrix->nwords; plane++)
	{
		for (uint32_t r = 0; r < rows->nrows; r++)
		{
			uint32_t	copies = planes.copies ? rows->weight[r] : rows->weight[r] >> plane & 1;

			while (copies-- > 0)
			{
				block.rows[block.nrows] = rows->extensions[r];
				for (uint32_t w = 0; w < rows->nexcluded; w++)
					block.rows[(w + 1) * 64 + block.nrows] =
						rows->excluded[(size_t) r * rows->nexcluded + w];
				if (++block.nrows == 64)
					FlushBlock(m, &block, rows, k, excluded, matrix);
			}
		}
		if (block.nrows > 0)
			FlushBlock(m, &block, rows, k, excluded, matrix);
		MinerWork(m, rows->nrows);
	}
	ArenaRelease(&m->arena, mark);
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

static bool
SetIsEmpty(const uint64_t *set, uint32_t nwords)
{
	for (uint32_t w = 0; w < nwords; w++)
		if (set[w] != 0)
			return false;
	return true;
}

/* Few extensions: rows become machine words, and equal ones merge. */
static void
NodeOfPatterns(Miner *m, const View *view, uint32_t i, uint32_t k, uint32_t excluded,
			   bool merge, BitMatrix *matrix)
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
		if (excluded > 0)
		{
			memset(others, 0, sizeof(uint64_t) * rows.nexcluded);
			for (e++; e < row.length; e++)
			{
				uint32_t	column = view->local[item[e]];

				if (column != 0)
					others[(column - 1 - k) / 64] |= UINT64_C(1) << ((column - 1 - k) % 64);
			}
		}
		if (!merge && SetIsEmpty(others, rows.nexcluded))
			continue;
		rows.extensions[rows.nrows] = pattern;
		rows.weight[rows.nrows++] = row.weight;
	}
	if (merge && rows.nrows >= MIN_ROWS_TO_MERGE)
		MergePatterns(m, &rows);
	Transpose(m, &rows, k, excluded, matrix);
}

/* The row has an item whose column is k or more. */
static bool
HasExcluded(const View *view, FimRow row, uint32_t k)
{
	for (uint32_t e = row.length; e-- > view->skip;)
		if (view->local[view->items[row.at + e]] > k)
			return true;
	return false;
}

/* More extensions: bits are set as the rows are read. */
static void
NodeOfLongRows(Miner *m, const View *view, uint32_t i, uint32_t k, uint32_t excluded,
			   bool merge, BitMatrix *matrix, RowMatrix *by_row)
{
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
	PlanPlanes(weight, nrows, &planes);
	NewMatrix(m, k + excluded, &planes, matrix);
	if (m->job->kind == FIM_CLOSED)
		NewRows(m, matrix, k + excluded, by_row);
	for (uint32_t r = 0; r < nrows; r++)
	{
		FimRow		row = rows[r];
		uint64_t	bits[32];
		uint32_t	nbits = planes.copies ? 1 : PlaceRow(&planes, row.weight, bits);
		uint32_t	copies = planes.copies ? row.weight : 1;

		for (uint32_t b = 0; b < nbits * copies; b++)
		{
			uint64_t	bit = planes.copies ? planes.start[0]++ : bits[b];

			for (uint32_t e = view->skip; e < row.length; e++)
			{
				uint32_t	column = view->local[view->items[row.at + e]];

				if (column == 0 || column > k + excluded)
					continue;
				SetBit(matrix, bit, column - 1);
				if (by_row->words != NULL)
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
	node->k = k;
	node->excluded = excluded;
	node->place = NULL;
	node->rows = (RowMatrix) {0};
	node->item = ArenaAlloc(&m->arena, sizeof(uint32_t) * ((size_t) k + excluded));
	for (uint32_t c = 0; c < k + excluded; c++)
		node->item[c] = view->name[items[c]];
	if (k <= MERGED_COLUMNS)
		NodeOfPatterns(m, view, i, k, excluded, merge, &node->matrix);
	else
		NodeOfLongRows(m, view, i, k, excluded, merge, &node->matrix, &node->rows);
}

void
NodeOfView(Miner *m, const View *view, Node *node)
{
	Patterns	rows = {0};

	node->k = view->nclasses - view->skip;
	node->excluded = 0;
	node->place = NULL;
	node->path_support = (uint32_t) m->db->transactions;
	node->support = ArenaAlloc(&m->arena, sizeof(uint32_t) * node->k);
	node->item = ArenaAlloc(&m->arena, sizeof(uint32_t) * node->k);
	memcpy(node->support, view->support + view->skip, sizeof(uint32_t) * node->k);
	memcpy(node->item, view->name + view->skip, sizeof(uint32_t) * node->k);
	rows.extensions = ArenaAlloc(&m->arena, sizeof(uint64_t) * view->nrows);
	rows.weight = ArenaAlloc(&m->arena, sizeof(uint32_t) * view->nrows);
	for (uint32_t r = 0; r < view->nrows; r++)
	{
		FimRow		row = view->rows[r];
		uint64_t	pattern = 0;

		for (uint32_t e = view->skip; e < row.length && view->items[row.at + e] < view->nclasses; e++)
			pattern |= UINT64_C(1) << (view->items[row.at + e] - view->skip);
		MinerWork(m, row.length);
		if (pattern == 0)
			continue;
		rows.extensions[rows.nrows] = pattern;
		rows.weight[rows.nrows++] = row.weight;
	}
	Transpose(m, &rows, node->k, 0, &node->matrix);
}

/* The columns that the mask selects, as numbers. */
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
 * Back to rows: the patterns of column j's transactions in the listed columns,
 * the first k of which are extensions.  Rows without an extension are left out.
 */
static void
RowsOfColumn(Miner *m, const BitMatrix *from, uint32_t j, const uint32_t *columns,
			 uint32_t k, uint32_t ncolumns, Patterns *rows)
{
	uint64_t	most = (uint64_t) from->nwords * 64;
	uint64_t	part[64];

	rows->nexcluded = (ncolumns - k + 63) / 64;
	rows->nrows = 0;
	rows->extensions = ArenaAlloc(&m->arena, sizeof(uint64_t) * most);
	rows->weight = ArenaAlloc(&m->arena, sizeof(uint32_t) * most);
	rows->excluded = ArenaAlloc(&m->arena, sizeof(uint64_t) * most * rows->nexcluded);
	for (uint32_t w = 0; w < from->nwords; w++)
	{
		const uint64_t *word = from->words + (size_t) w * from->stride;
		uint64_t	tids = word[j];
		uint64_t	live = 0;
		uint32_t	first = rows->nrows;

		if (tids == 0)
			continue;
		for (uint32_t c = 0; c < k; c++)
			live |= part[c] = word[columns[c]] & tids;
		memset(part + k, 0, sizeof(uint64_t) * (64 - k));
		m->kernels->transpose(part);
		for (uint64_t left = live; left != 0; left &= left - 1)
		{
			rows->extensions[rows->nrows] = part[__builtin_ctzll(left)];
			rows->weight[rows->nrows++] = from->shift != NULL ? UINT32_C(1) << from->shift[w] : 1;
		}
		for (uint32_t x = 0; x < rows->nexcluded; x++)
		{
			uint32_t	start = k + 64 * x;
			uint32_t	n = ncolumns - start < 64 ? ncolumns - start : 64;
			uint32_t	r = first;

			for (uint32_t c = 0; c < n; c++)
				part[c] = word[columns[start + c]];
			memset(part + n, 0, sizeof(uint64_t) * (64 - n));
			m->kernels->transpose(part);
			for (uint64_t left = live; left != 0; left &= left - 1)
				rows->excluded[(size_t) r++ * rows->nexcluded + x] = part[__builtin_ctzll(left)];
		}
		MinerWork(m, 32);
	}
}

/* Merged rows, where a whole class starts and its many nodes gain from them. */
static void
ProjectMerged(Miner *m, const Node *from, uint32_t j, const uint32_t *columns, Node *to)
{
	Patterns	rows;

	RowsOfColumn(m, &from->matrix, j, columns, to->k, to->k + to->excluded, &rows);
	MergePatterns(m, &rows);
	Transpose(m, &rows, to->k, to->excluded, &to->matrix);
}

/* The child of column j with the listed columns of "from", of which k are extensions. */
static void
BeginProjection(Miner *m, const Node *from, uint32_t j, const uint32_t *counts,
				const uint32_t *columns, uint32_t n, uint32_t k, uint32_t excluded, Node *to)
{
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

/* Room for at most as many words as "from" has; returns that of their shifts. */
static uint8_t *
NewProjection(Miner *m, const BitMatrix *from, uint32_t ncolumns, BitMatrix *to)
{
	to->stride = RoundUp8(ncolumns);
	to->words = ArenaAlloc(&m->arena, sizeof(uint64_t) * ((size_t) from->nwords * to->stride + 8));
	return ArenaAlloc(&m->arena, from->nwords);
}

/* Merging rows again is worth it at the top of a class. */
static inline bool
IsMerged(const Node *from, uint32_t k, bool merge)
{
	return merge && k <= MERGED_COLUMNS && from->matrix.nwords >= MIN_WORDS_TO_MERGE;
}

void
NodeProject(Miner *m, const Node *from, uint32_t j, const uint32_t *counts,
			const uint8_t *mask, uint32_t nextensions, uint32_t nexcluded, bool merge, Node *to)
{
	bool		class_covers = from->place != NULL;
	uint32_t	ncolumns = nexcluded > 0 ? from->k + from->excluded : j + class_covers;
	uint32_t	n = nextensions + nexcluded + class_covers;
	uint32_t   *columns = ArenaAlloc(&m->arena, sizeof(uint32_t) * n);
	uint32_t   *origin = NULL;
	uint8_t    *shift;

	ListColumns(mask, ncolumns, columns);
	BeginProjection(m, from, j, counts, columns, n, nextensions, nexcluded, to);
	if (class_covers)
	{
		to->place = ArenaAlloc(&m->arena, sizeof(uint32_t) * n);
		for (uint32_t c = 0; c < n; c++)
			to->place[c] = from->place[columns[c]];
		origin = ArenaAlloc(&m->arena, sizeof(uint32_t) * from->matrix.nwords);
	}
	if (IsMerged(from, nextensions, merge))
	{
		ProjectMerged(m, from, j, columns, to);
		return;
	}
	shift = NewProjection(m, &from->matrix, n, &to->matrix);
	m->kernels->project(&from->matrix, j, mask, ncolumns, &to->matrix, shift, origin);
	MinerWork(m, (uint64_t) from->matrix.nwords * (to->matrix.stride + 8) / 8);
}

void
NodeProjectInOrder(Miner *m, const Node *from, uint32_t j, const uint32_t *counts,
				   const uint32_t *columns, uint32_t n, bool merge, Node *to)
{
	const BitMatrix *matrix = &from->matrix;
	uint32_t	kept = 0;
	uint8_t    *shift;

	BeginProjection(m, from, j, counts, columns, n, n, 0, to);
	if (IsMerged(from, n, merge))
	{
		ProjectMerged(m, from, j, columns, to);
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

/*-------------------------------------------------------------------------
 *
 * node.c
 *	  Nodes: bit matrices in which the search goes on, made of rows or of the node above.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "engine/arena.h"
#include "miner.h"

/*
 * Rows as sets of columns, before they are transposed.  The extensions are the last bits of
 * a row's first word.  Some of these bits may be columns that are no extensions of the
 * node, so "key" has the bits that are.  The excluded columns begin with the second word.
 */
typedef struct Patterns
{
	uint32_t	nrows;
	uint32_t	row_words;
	uint64_t	key;
	uint64_t   *words;			/* [nrows][row_words] */
	uint32_t   *weight;			/* [nrows] */
} Patterns;

/* A hash table, probed linearly, that finds a merged row by its extensions. */
typedef struct RowIndex
{
	uint64_t	mask;			/* the number of slots, a power of 2, less 1 */
	uint32_t   *slot;			/* [mask + 1] the row's number + 1, or 0 */
} RowIndex;

static inline uint64_t *
PatternsRow(const Patterns *rows, uint32_t r)
{
	return rows->words + (size_t) r * rows->row_words;
}

/* A word whose highest n bits are set. */
static inline uint64_t
LastBits(uint32_t n)
{
	return n == 0 ? 0 : UINT64_MAX << (64 - n);
}

/*
 * Add a row to the merged ones.  Rows with equal extensions become one row.  Of the columns
 * that are no extensions, the merged row has only those that all of these rows have.  That
 * is enough: a column covers an itemset of the subtree only if it is in all rows that hold
 * the itemset, and of rows with equal extensions either all hold it or none
 * ("interior intersection", LCM ver. 2, section 4).
 */
static inline void
MergeRow(Patterns *rows, const RowIndex *index, const uint64_t *row, uint32_t weight)
{
	uint64_t	key = row[0] & rows->key;
	uint64_t	s = FimHash64(key) & index->mask;
	uint64_t   *into;

	while (index->slot[s] != 0)
	{
		uint32_t	r = index->slot[s] - 1;

		into = PatternsRow(rows, r);
		if ((into[0] & rows->key) == key)
		{
			rows->weight[r] += weight;
			for (uint32_t w = 0; w < rows->row_words; w++)
				into[w] &= row[w];
			return;
		}
		s = (s + 1) & index->mask;
	}
	into = PatternsRow(rows, rows->nrows);
	for (uint32_t w = 0; w < rows->row_words; w++)
		into[w] = row[w];
	rows->weight[rows->nrows++] = weight;
	index->slot[s] = rows->nrows;
}

/* Make room for "most" rows, and begin without any. */
static void
PatternsInit(Miner *m, uint64_t most, uint32_t row_words, uint64_t key, Patterns *rows)
{
	rows->nrows = 0;
	rows->row_words = row_words;
	rows->key = key;
	rows->weight = ArenaAlloc(&m->arena, sizeof(uint32_t) * most);
	rows->words = ArenaAlloc(&m->arena, sizeof(uint64_t) * most * row_words);
}

/*
 * Give back the memory of the rows that there was room for and that have not been added.
 * Nothing may have been allocated from the arena since PatternsInit().
 */
static void
PatternsTrim(Miner *m, const Patterns *rows)
{
	ArenaTrim(&m->arena, rows->words, sizeof(uint64_t) * rows->nrows * rows->row_words);
}

/* Make an index for at most "most" rows that differ in the bits of "key". */
static void
RowIndexInit(Miner *m, uint64_t most, uint64_t key, RowIndex *index)
{
	uint32_t	n = (uint32_t) __builtin_popcountll(key);
	uint64_t	nslots = 64;

	if (n < 32 && most > UINT64_C(1) << n)
		most = UINT64_C(1) << n;
	while (nslots < most * 2)
		nslots *= 2;
	index->mask = nslots - 1;
	index->slot = ArenaAlloc(&m->arena, sizeof(uint32_t) * nslots);
	memset(index->slot, 0, sizeof(uint32_t) * nslots);
	MinerWork(m, nslots / 16);
}

/* Merge rows in place, and give back the memory that this frees. */
static void
PatternsMerge(Miner *m, Patterns *rows)
{
	ArenaMark	mark = ArenaGetMark(&m->arena);
	uint32_t	nrows = rows->nrows;
	RowIndex	index;

	RowIndexInit(m, nrows, rows->key, &index);
	rows->nrows = 0;
	for (uint32_t r = 0; r < nrows; r++)
		MergeRow(rows, &index, PatternsRow(rows, r), rows->weight[r]);
	MinerWork(m, nrows);
	ArenaRelease(&m->arena, mark);
	PatternsTrim(m, rows);
}

/*
 * Rows with weights as bits of a matrix: which bits each row takes, and rows turned into columns.
 */

/*
 * Where the bits of each row go in a matrix.  Plane s takes the rows whose weight has bit s
 * set, and each plane begins with a new word.  If the sum of all weights is small, fewer
 * words are needed if a row of weight w is written as w copies of weight 1, without planes.
 * Then "copies" is true.
 */
typedef struct Planes
{
	bool		copies;
	uint32_t	nwords;			/* of the matrix */
	uint64_t	start[32];		/* the bit of each plane's next row */
} Planes;

/* What rows are transposed to: a matrix of k extensions and of the excluded columns. */
typedef struct Transposed
{
	uint32_t	k;
	uint32_t	excluded;
	const uint32_t *place;		/* [k] the bits of the extensions, or NULL if they are the first word's
								 * last k */
	BitMatrix  *matrix;
	RowMatrix  *by_row;			/* NULL, or gets the whole rows; then the matrix gets no excluded
								 * columns */
} Transposed;

/*
 * Find the bits of the next row, one in each plane that its weight has a bit for.  Returns
 * their number, at most 32.  Not for copies.
 */
static inline uint32_t
PlanesPlace(Planes *planes, uint32_t weight, uint64_t *bit)
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

/* Plan a matrix for rows of these weights. */
static void
PlanesOfWeights(const uint32_t *weight, uint32_t nrows, Planes *planes)
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

/* Make the planned matrix, with ncolumns columns and all bits 0.  Memory is from the miner's arena. */
static void
PlanesMatrix(Miner *m, uint32_t ncolumns, const Planes *planes, BitMatrix *matrix)
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

/*
 * Take room for a row of ncolumns bits for each bit of the matrix's columns from the miner's
 * arena.  It is not cleared.
 */
static void
PlanesRows(Miner *m, const BitMatrix *matrix, uint32_t ncolumns, RowMatrix *rows)
{
	rows->ncolumns = ncolumns;
	rows->row_words = (ncolumns + 63) / 64;
	rows->words = ArenaAlloc(&m->arena, sizeof(uint64_t) * 64 * (size_t) matrix->nwords * rows->row_words);
}

/* Up to 64 rows, which will be transposed into word number "word" of the matrix. */
typedef struct Block
{
	uint32_t	nrows;
	uint32_t	word;
	uint64_t   *rows;			/* [row_words][64] */
} Block;

/* Transpose the block into the matrix, and begin the block of the next word. */
static void
FlushBlock(Miner *m, Block *block, uint32_t row_words, const Transposed *to)
{
	uint64_t   *out = to->matrix->words + (size_t) block->word * to->matrix->stride;
	uint32_t	nparts = to->by_row != NULL ? 1 : row_words;

	for (uint32_t part = 0; part < nparts; part++)
	{
		uint64_t   *words = block->rows + part * 64;
		uint32_t	n = part == 0 ? to->k :
			to->excluded < 64 * part ? to->excluded - 64 * (part - 1) : 64;

		memset(words + block->nrows, 0, sizeof(uint64_t) * (64 - block->nrows));
		m->kernels->transpose(words);
		if (part == 0 && to->place != NULL)
			for (uint32_t c = 0; c < n; c++)
				out[c] = words[to->place[c]];
		else
			memcpy(out, part == 0 ? words + 64 - n : words, sizeof(uint64_t) * n);
		out += n;
	}
	block->word++;
	block->nrows = 0;
}

/* Transpose rows into columns, plane by plane, 64 rows at a time.  Matrices are from the miner's arena. */
static void
PatternsTranspose(Miner *m, const Patterns *rows, const Transposed *to)
{
	BitMatrix  *matrix = to->matrix;
	uint32_t	row_words = rows->row_words;
	Planes		planes;
	Block		block = {0};
	ArenaMark	mark;

	PlanesOfWeights(rows->weight, rows->nrows, &planes);
	PlanesMatrix(m, to->by_row != NULL ? to->k : to->k + to->excluded, &planes, matrix);
	if (to->by_row != NULL)
		PlanesRows(m, matrix, 64 + to->excluded, to->by_row);
	mark = ArenaGetMark(&m->arena);
	block.rows = ArenaAlloc(&m->arena, sizeof(uint64_t) * 64 * row_words);
	for (uint32_t plane = 0; block.word < matrix->nwords; plane++)
	{
		for (uint32_t r = 0; r < rows->nrows; r++)
		{
			uint32_t	copies = planes.copies ? rows->weight[r] : rows->weight[r] >> plane & 1;
			const uint64_t *row = PatternsRow(rows, r);

			while (copies-- > 0)
			{
				if (to->by_row != NULL)
				{
					block.rows[block.nrows] = row[0];
					memcpy(to->by_row->words + ((size_t) block.word * 64 + block.nrows) * row_words,
						   row, sizeof(uint64_t) * row_words);
				}
				else
					for (uint32_t w = 0; w < row_words; w++)
						block.rows[w * 64 + block.nrows] = row[w];
				if (++block.nrows == 64)
					FlushBlock(m, &block, row_words, to);
			}
		}
		if (block.nrows > 0)
			FlushBlock(m, &block, row_words, to);
		MinerWork(m, rows->nrows);
	}
	ArenaRelease(&m->arena, mark);
}

/*
 * The nodes below a node.
 */

/* Fewer words of rows than this are so few that merging rows gains nothing. */
#define MIN_WORDS_TO_MERGE	4

/* List the columns that the mask selects.  Returns their number. */
uint32_t
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

/*
 * Nodes made of the rows of a view.
 */

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
	node->place = NULL;
	if (m->spec->kind == FIM_CLOSED)
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

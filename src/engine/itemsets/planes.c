/*-------------------------------------------------------------------------
 *
 * planes.c
 *	  Rows with weights as bits of a matrix, and rows turned into columns.
 *
 *-------------------------------------------------------------------------
 */
#include "planes.h"

#include <string.h>

void
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

void
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

void
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

void
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

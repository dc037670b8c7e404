/*-------------------------------------------------------------------------
 *
 * kernels_common.h
 *	  Kernels that are the same text for all instruction sets, and compiled for
 *	  the one of the file that includes them.
 *
 * Included by kernels_plain.h and kernels_avx512.c.
 *
 *-------------------------------------------------------------------------
 */
#include "kernels.h"

/* 8 words at a time, for the compiler to vectorize. */
static uint64_t
common_support(const ColumnMatrix *m, const uint32_t *column, uint32_t n)
{
	uint64_t	support = 0;

	for (uint32_t w = 0; w < m->nwords; w += 8)
	{
		uint64_t	tids[8];

		for (int k = 0; k < 8; k++)
			tids[k] = UINT64_MAX;
		for (uint32_t i = 0; i < n; i++)
		{
			const uint64_t *word = m->words + (size_t) column[i] * m->nwords + w;

			for (int k = 0; k < 8; k++)
				tids[k] &= word[k];
		}
		for (int k = 0; k < 8; k++)
			support += (uint64_t) __builtin_popcountll(tids[k]) << m->shift[w + k];
	}
	return support;
}

static uint32_t
and_column(const BitMatrix *m, uint32_t c, uint64_t *tids)
{
	uint32_t	support = 0;

	if (m->shift == NULL)
		for (uint32_t w = 0; w < m->nwords; w++)
		{
			tids[w] &= m->words[(size_t) w * m->stride + c];
			support += (uint32_t) __builtin_popcountll(tids[w]);
		}
	else
		for (uint32_t w = 0; w < m->nwords; w++)
		{
			tids[w] &= m->words[(size_t) w * m->stride + c];
			support += (uint32_t) __builtin_popcountll(tids[w]) << m->shift[w];
		}
	return support;
}

/*
 * Transpose 64 words within blocks of 2 * half: each step swaps the off-diagonal
 * blocks of half the size.
 */
static inline void
transpose_blocks(uint64_t word[64], int half, uint64_t mask)
{
	for (; half >= 1; half /= 2, mask ^= mask << half)
		for (int from = 0; from < 64; from += 2 * half)
			for (int r = from; r < from + half; r++)
			{
				uint64_t	swap = ((word[r] >> half) ^ word[r + half]) & mask;

				word[r] ^= swap << half;
				word[r + half] ^= swap;
			}
}

/*
 * Most words hold few items, but how many cannot be foretold: so as many as four
 * are written whether they are there or not, and the next word's go over those
 * that are not.
 */
static void
sort_by_bits(uint32_t *row, uint32_t n, uint64_t *bits, uint32_t nwords)
{
	for (uint32_t i = 0; i < n; i++)
		bits[row[i] / 64] |= UINT64_C(1) << (row[i] % 64);
	for (uint32_t w = 0; w < nwords; w++)
	{
		uint64_t	left = bits[w];
		uint32_t   *to = row;

		bits[w] = 0;
		row += __builtin_popcountll(left);
		do
		{
			for (int k = 0; k < FIM_SORT_EXTRA; k++, left &= left - 1)
				to[k] = w * 64 + (uint32_t) __builtin_ctzll(left | UINT64_C(1) << 63);
			to += FIM_SORT_EXTRA;
		} while (to < row);
	}
}

static void
combine(const uint64_t *word, uint32_t n, uint64_t *every, uint64_t *some)
{
	uint64_t	all = UINT64_MAX;
	uint64_t	any = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		all &= word[i];
		any |= word[i];
	}
	*every = all;
	*some = any;
}

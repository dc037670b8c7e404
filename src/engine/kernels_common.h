/*-------------------------------------------------------------------------
 *
 * kernels_common.h
 *	  Kernels with the same source for all instruction sets.  Each file that includes
 *	  them compiles them for its own.
 *
 *-------------------------------------------------------------------------
 */
#include "kernels.h"

/* The most words of candidates that find_cover_in_words() keeps in registers. */
#define FIM_FEW_WORDS	2

/* Returns bits "first" to first + 63 of a row of words, zeros beyond its end. */
static inline uint64_t
bits_from(const uint64_t *row, uint32_t row_words, uint32_t first)
{
	uint64_t	bits = row[first / 64] >> (first % 64);

	if (first % 64 != 0 && first / 64 + 1 < row_words)
		bits |= row[first / 64 + 1] << (64 - first % 64);
	return bits;
}

/* Returns the number of the last bit of word w, which is not 0, counted from word 0 on. */
static inline uint32_t
last_bit(uint64_t word, uint32_t w)
{
	return w * 64 + 63 - (uint32_t) __builtin_clzll(word);
}

/* Returns the first of the 64 rows that belong to the transactions in word w of m. */
static inline const uint64_t *
rows_of_word(const BitMatrix *m, uint32_t w, const RowMatrix *rows)
{
	return rows->words + (size_t) (m->origin != NULL ? m->origin[w] : w) * 64 * rows->row_words;
}

/*
 * find_cover() for the candidates in n words, beginning with the word of bit "first".  Always
 * inlined, with a constant n.
 */
static inline __attribute__((always_inline)) uint32_t
find_cover_in_words(const BitMatrix *m, uint32_t i, uint32_t j, const RowMatrix *rows,
					uint32_t first, const uint64_t *candidates, uint32_t n)
{
	uint64_t	left[FIM_FEW_WORDS];
	uint64_t	any = 0;

	candidates += first / 64;
	for (uint32_t k = 0; k < n; k++)
		left[k] = candidates[k];
	left[0] &= UINT64_MAX << (first % 64);
	for (uint32_t k = 0; k < n; k++)
		any |= left[k];
	for (uint32_t w = 0; w < m->nwords && any != 0; w++)
	{
		const uint64_t *word = m->words + (size_t) w * m->stride;
		const uint64_t *row = rows_of_word(m, w, rows) + first / 64;

		for (uint64_t tids = word[i] & word[j]; tids != 0 && any != 0; tids &= tids - 1)
		{
			const uint64_t *columns = row + (size_t) __builtin_ctzll(tids) * rows->row_words;

			any = 0;
			for (uint32_t k = 0; k < n; k++)
				any |= left[k] &= columns[k];
		}
	}
	for (uint32_t k = n; k-- > 0;)
		if (left[k] != 0)
			return last_bit(left[k], first / 64 + k);
	return FIM_NOT_COVERED;
}

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

/* 8 words at a time, as above. */
static uint32_t
and_words(const uint64_t *a, const uint64_t *b, const uint8_t *shift, uint32_t nwords, uint64_t *to)
{
	uint64_t	support = 0;

	for (uint32_t w = 0; w < nwords; w += 8)
	{
		uint64_t	tids[8];

		for (int k = 0; k < 8; k++)
			tids[k] = a[w + k] & b[w + k];
		for (int k = 0; k < 8; k++)
			to[w + k] = tids[k];
		for (int k = 0; k < 8; k++)
			support += (uint64_t) __builtin_popcountll(tids[k]) << shift[w + k];
	}
	return (uint32_t) support;
}

static uint64_t
lacking(const BitMatrix *m, uint32_t j, const uint32_t *column, uint32_t n, uint64_t most)
{
	uint64_t	lost = 0;

	/* the last words have the greatest weights, if they have any */
	for (uint32_t w = m->nwords; w-- > 0 && lost <= most;)
	{
		const uint64_t *word = m->words + (size_t) w * m->stride;
		uint64_t	all = word[j];

		for (uint32_t i = 0; i < n && all != 0; i++)
			all &= word[column[i]];
		lost += (uint64_t) __builtin_popcountll(word[j] ^ all) << (m->shift != NULL ? m->shift[w] : 0);
	}
	return lost;
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
 * Most words have few items, but branch prediction cannot know how many.  So FIM_SORT_EXTRA items
 * are written for a word even if it has fewer, and the next word's items overwrite the surplus
 * ones.
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

static inline bool
all_are_set(const uint64_t *word, uint32_t n)
{
	uint64_t	none = 0;

	for (uint32_t i = 0; i < n; i++)
		none |= word[i] == 0;
	return none == 0;
}

/*-------------------------------------------------------------------------
 *
 * kernels_plain.h
 *	  The kernels in plain C, compiled once for each instruction set that has no
 *	  hand-written ones: kernels_portable.c for any processor, kernels_avx2.c
 *	  with AVX2, BMI2 and POPCNT switched on for the compiler to use.
 *
 *-------------------------------------------------------------------------
 */
#include "kernels_common.h"

#include <string.h>

#define LANES	8

static void
count_column(const BitMatrix *m, uint32_t j, uint32_t ncols, uint32_t *counts)
{
	for (uint32_t c = 0; c < ncols; c += LANES)
	{
		const uint64_t *group = m->words + c;
		const uint64_t *column = m->words + j;
		uint64_t	sum[LANES] = {0};

		if (m->shift == NULL)
			for (uint32_t w = 0; w < m->nwords; w++)
			{
				for (int k = 0; k < LANES; k++)
					sum[k] += (uint64_t) __builtin_popcountll(group[k] & *column);
				group += m->stride;
				column += m->stride;
			}
		else
			for (uint32_t w = 0; w < m->nwords; w++)
			{
				for (int k = 0; k < LANES; k++)
					sum[k] += (uint64_t) __builtin_popcountll(group[k] & *column) << m->shift[w];
				group += m->stride;
				column += m->stride;
			}
		for (int k = 0; k < LANES; k++)
			counts[c + k] = (uint32_t) sum[k];
	}
}

static uint32_t
at_least(const uint32_t *counts, uint32_t ncols, uint32_t least, uint8_t *mask)
{
	uint32_t	n = 0;

	for (uint32_t c = 0; c < ncols; c += LANES)
	{
		unsigned	bits = 0;

		for (uint32_t k = 0; k < LANES && c + k < ncols; k++)
			bits |= (unsigned) (counts[c + k] >= least) << k;
		mask[c / LANES] = (uint8_t) bits;
		n += (uint32_t) __builtin_popcount(bits);
	}
	return n;
}

static void
project(const BitMatrix *from, uint32_t j, const uint8_t *mask, uint32_t ncols,
		BitMatrix *to, uint8_t *to_shift, uint32_t *to_origin)
{
	const uint64_t *in = from->words;
	uint64_t   *out = to->words;
	uint32_t	kept = 0;

	for (uint32_t w = 0; w < from->nwords; w++, in += from->stride)
	{
		uint64_t	tids = in[j];
		uint64_t   *at = out;

		if (tids == 0)
			continue;
		for (uint32_t g = 0; g < (ncols + LANES - 1) / LANES; g++)
			for (unsigned left = mask[g]; left != 0; left &= left - 1)
				*at++ = in[g * LANES + (uint32_t) __builtin_ctz(left)] & tids;
		while (at < out + to->stride)
			*at++ = 0;
		out += to->stride;
		if (from->shift != NULL)
			to_shift[kept] = from->shift[w];
		if (to_origin != NULL)
			to_origin[kept] = from->origin != NULL ? from->origin[w] : w;
		kept++;
	}
	to->nwords = kept;
	to->shift = from->shift != NULL ? to_shift : NULL;
	to->origin = to_origin;
}

static uint32_t
find_cover(const BitMatrix *m, uint32_t i, uint32_t j, const RowMatrix *rows, uint32_t first,
		   const uint64_t *candidates)
{
	uint32_t	from = first / 64;

	if (rows->row_words - from == 2)
		return find_cover_in_words(m, i, j, rows, first, candidates, 2);
	for (uint32_t w = rows->row_words; w-- > from;)
	{
		uint32_t	cover = find_cover_in_words(m, i, j, rows, w > from ? w * 64 : first, candidates, 1);

		if (cover != FIM_NOT_COVERED)
			return cover;
	}
	return FIM_NOT_COVERED;
}

/* The weight of column c: that of its rows within the planes. */
static inline uint64_t
weight_of_column(const BitMatrix *m, uint32_t c, const uint64_t *within, uint32_t nplanes)
{
	uint64_t	weight = 0;

	for (uint32_t p = 0; p < nplanes; p++, within += m->nwords)
		for (uint32_t w = 0; w < m->nwords; w++)
			weight += (uint64_t) __builtin_popcountll(m->words[(size_t) w * m->stride + c] & within[w]) << p;
	return weight;
}

static uint32_t
choose_columns(const BitMatrix *m, uint32_t ncols, const uint32_t *tag, const RowChoice *choice,
			   uint64_t *to, uint32_t *to_tag)
{
	const uint64_t *with_row = m->words + (size_t) (choice->row / 64) * m->stride;
	uint32_t	n = 0;

	for (uint32_t c = 0; c < ncols; c++)
	{
		if ((with_row[c] >> (choice->row % 64) & 1) == 0 ||
			weight_of_column(m, c, choice->within, choice->nplanes) < choice->least)
			continue;
		for (uint32_t w = 0; w < m->nwords; w++)
			to[(size_t) w * m->stride + n] = m->words[(size_t) w * m->stride + c];
		to_tag[n++] = tag[c];
	}
	return n;
}

static bool
some_weigh(const BitMatrix *m, uint32_t ncols, const uint64_t *within, uint32_t nplanes,
		   uint32_t least, uint32_t most)
{
	for (uint32_t c = 0; c < ncols; c++)
	{
		uint64_t	weight = weight_of_column(m, c, within, nplanes);

		if (weight >= least && weight < most)
			return true;
	}
	return false;
}

static void
transpose(uint64_t word[64])
{
	transpose_blocks(word, 32, UINT64_C(0x00000000ffffffff));
}

static void
histogram(const BitMatrix *m, uint32_t ncols, uint32_t *table)
{
	memset(table, 0, sizeof(uint32_t) << (ncols < 6 ? 6 : ncols));
	for (uint32_t w = 0; w < m->nwords; w++)
	{
		const uint64_t *word = m->words + (size_t) w * m->stride;
		uint32_t	one = m->shift != NULL ? UINT32_C(1) << m->shift[w] : 1;
		uint64_t	pattern[64] = {0};

		memcpy(pattern, word, sizeof(uint64_t) * ncols);
		transpose(pattern);
		for (int t = 0; t < 64; t++)
			table[pattern[t]] += one;
	}
}

static void
superset_sums(uint32_t *table, uint32_t ncols)
{
	size_t		n = (size_t) 1 << ncols;

	for (size_t half = 1; half < n; half *= 2)
		for (size_t from = 0; from < n; from += 2 * half)
			for (size_t p = from; p < from + half; p++)
				table[p] += table[p + half];
}

static void
common_columns(const BitMatrix *m, uint32_t ncols, const RowMatrix *rows, uint32_t first,
			   const uint64_t *candidates, uint64_t *common)
{
	uint32_t	row_words = rows->row_words;
	uint64_t	wanted = bits_from(candidates, row_words, first);

	memset(common, 0xff, sizeof(uint64_t) << (ncols < 6 ? 6 : ncols));
	for (uint32_t w = 0; w < m->nwords; w++)
	{
		const uint64_t *row = rows_of_word(m, w, rows);
		uint64_t	pattern[64] = {0};

		memcpy(pattern, m->words + (size_t) w * m->stride, sizeof(uint64_t) * ncols);
		transpose(pattern);
		for (int t = 0; t < 64; t++)
			if (pattern[t] != 0)
				common[pattern[t]] &= wanted & bits_from(row + (size_t) t * row_words, row_words, first);
	}
}

static void
superset_ands(uint64_t *common, uint32_t ncols)
{
	size_t		n = (size_t) 1 << ncols;

	for (size_t half = 1; half < n; half *= 2)
		for (size_t from = 0; from < n; from += 2 * half)
			for (size_t p = from; p < from + half; p++)
				common[p] &= common[p + half];
}

static void
closed_bits(const uint32_t *table, const uint64_t *common, uint32_t ncols, uint64_t *closed)
{
	for (size_t w = 0; w < (size_t) 1 << (ncols - 6); w++)
		for (uint64_t left = closed[w]; left != 0; left &= left - 1)
		{
			size_t		p = w * 64 + (size_t) __builtin_ctzll(left);
			bool		open = common != NULL && common[p] != 0;

			for (uint32_t c = 0; c < ncols && !open; c++)
				open = (p >> c & 1) == 0 && table[p | (size_t) 1 << c] == table[p];
			if (open)
				closed[w] &= ~(left & -left);
		}
}

static void
frequent_bits(const uint32_t *table, uint32_t ncols, uint32_t minsup, uint64_t *frequent)
{
	for (size_t p = 0; p < (size_t) 1 << ncols; p += 64)
	{
		uint64_t	bits = 0;

		for (int k = 0; k < 64; k++)
			bits |= (uint64_t) (table[p + k] >= minsup) << k;
		frequent[p / 64] = bits;
	}
}

/* Maps the order of uint32 to that of int32, because vector instructions compare signed numbers. */
static inline uint32_t
biased(uint32_t item)
{
	return item ^ UINT32_C(0x80000000);
}

/* The last step is filled with the greatest number, which is below no item. */
static void
sort_row(uint32_t *row, uint32_t n)
{
	int32_t		items[FIM_SHORT_ROW + LANES];
	uint32_t	end = (n + LANES - 1) & ~(uint32_t) (LANES - 1);

	for (uint32_t i = 0; i < n; i++)
		items[i] = (int32_t) biased(row[i]);
	for (uint32_t i = n; i < end; i++)
		items[i] = INT32_MAX;
	for (uint32_t i = 0; i < n; i++)
	{
		int32_t		item = items[i];
		int32_t		rank = 0;

		for (uint32_t from = 0; from < end; from += LANES)
			for (uint32_t j = from; j < from + LANES; j++)
				rank += items[j] < item;
		row[rank] = biased((uint32_t) item);
	}
}

/* For each word and left row, all cells of the row are counted in one loop, which the compiler vectorizes. */
static void
count_panels(const uint64_t *left, const uint64_t *right, uint32_t nwords, uint32_t *counts, size_t stride)
{
	for (uint32_t w = 0; w < nwords; w++, left += FIM_LEFT_PANEL, right += FIM_RIGHT_PANEL)
		for (int l = 0; l < FIM_LEFT_PANEL; l++)
			for (int r = 0; left[l] != 0 && r < FIM_RIGHT_PANEL; r++)
				counts[l * stride + r] += (uint32_t) __builtin_popcountll(left[l] & right[r]);
}

/* shared[] collects a word of common bits for each cell, until all cells have some or the words end. */
static bool
any_panels(const uint64_t *left, const uint64_t *right, uint32_t nwords, uint32_t *any, size_t stride)
{
	uint64_t	shared[FIM_LEFT_PANEL * FIM_RIGHT_PANEL];
	bool		all;

	for (int l = 0; l < FIM_LEFT_PANEL; l++)
		for (int r = 0; r < FIM_RIGHT_PANEL; r++)
			shared[l * FIM_RIGHT_PANEL + r] = any[l * stride] >> r & 1;
	all = all_are_set(shared, FIM_LEFT_PANEL * FIM_RIGHT_PANEL);
	for (uint32_t w = 0; w < nwords && !all;)
	{
		for (uint32_t stop = w + 16 < nwords ? w + 16 : nwords; w < stop; w++)
			for (int l = 0; l < FIM_LEFT_PANEL; l++)
				for (int r = 0; r < FIM_RIGHT_PANEL; r++)
					shared[l * FIM_RIGHT_PANEL + r] |= left[w * FIM_LEFT_PANEL + l] & right[w * FIM_RIGHT_PANEL + r];
		all = all_are_set(shared, FIM_LEFT_PANEL * FIM_RIGHT_PANEL);
	}
	for (int l = 0; l < FIM_LEFT_PANEL; l++)
		for (int r = 0; r < FIM_RIGHT_PANEL; r++)
			any[l * stride] |= (uint32_t) (shared[l * FIM_RIGHT_PANEL + r] != 0) << r;
	return all;
}

/*
 * Eight bytes at a time.  Adding 127 to the lower 7 bits of a byte sets its highest bit unless
 * they are all 0.  Each byte of a sum can count up to 255 matches.
 */
static uint32_t
count_matches(const uint8_t *a, const uint8_t *b, uint32_t n)
{
	const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
	uint32_t	matches = 0;

	while (n > 0)
	{
		uint32_t	most = n < 255 * 64 ? n : 255 * 64;
		uint64_t	sum[8] = {0};

		for (uint32_t i = 0; i < most; i += 64)
			for (int k = 0; k < 8; k++)
			{
				uint64_t	x;
				uint64_t	y;

				memcpy(&x, a + i + 8 * k, sizeof(x));
				memcpy(&y, b + i + 8 * k, sizeof(y));
				sum[k] += ((~(((x ^ y) & low) + low) & (x | y)) & ~low) >> 7;
			}
		for (int k = 0; k < 8; k++)
			for (int byte = 0; byte < 8; byte++)
				matches += (sum[k] >> (8 * byte)) & 0xff;
		a += most;
		b += most;
		n -= most;
	}
	return matches;
}

/* FimKernels' table_word_cost.  It is high because rows are put into tables one by one. */
#define PLAIN_TABLE_WORD_COST	300

#define PLAIN_KERNELS(name) \
	{name, PLAIN_TABLE_WORD_COST, count_column, at_least, project, find_cover, histogram, superset_sums, \
	common_columns, superset_ands, closed_bits, choose_columns, some_weigh, combine, transpose, \
	common_support, and_column, and_words, lacking, sort_row, sort_by_bits, count_panels, any_panels, count_matches, \
	frequent_bits}

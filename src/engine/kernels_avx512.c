/*-------------------------------------------------------------------------
 *
 * kernels_avx512.c
 *	  The kernels with AVX-512 F, BW, DQ, VL and VPOPCNTDQ.
 *
 *-------------------------------------------------------------------------
 */
#if defined(__x86_64__) && defined(__GNUC__)
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq"))), apply_to = function)
#else
#pragma GCC target("avx2,bmi,bmi2,popcnt,lzcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq")
#endif
#include "kernels_common.h"

#include <immintrin.h>
#include <string.h>

#define LANES	8

/* Count G groups of 8 columns at once, with one broadcast of column j's word for all of them. */
#define COUNT_GROUPS(G, weighted) \
	do { \
		__m512i		sum[G]; \
		const uint64_t *word = m->words; \
		for (int g = 0; g < (G); g++) \
			sum[g] = _mm512_setzero_si512(); \
		for (uint32_t w = 0; w < m->nwords; w++, word += m->stride) \
		{ \
			__m512i		tids = _mm512_set1_epi64((long long) word[j]); \
			__m128i		shift = (weighted) ? _mm_cvtsi32_si128(m->shift[w]) : _mm_setzero_si128(); \
			for (int g = 0; g < (G); g++) \
			{ \
				__m512i		both = _mm512_and_si512(tids, _mm512_loadu_si512(word + c + LANES * g)); \
				__m512i		bits = _mm512_popcnt_epi64(both); \
				if (weighted) \
					bits = _mm512_sll_epi64(bits, shift); \
				sum[g] = _mm512_add_epi64(sum[g], bits); \
			} \
		} \
		for (int g = 0; g < (G); g++) \
			_mm256_storeu_si256((__m256i *) (counts + c + LANES * g), _mm512_cvtepi64_epi32(sum[g])); \
		c += LANES * (G); \
	} while (0)

#define COUNT_COLUMNS(weighted) \
	do { \
		while (c + 3 * LANES < ncols) \
			COUNT_GROUPS(4, weighted); \
		if (c + 2 * LANES < ncols) \
			COUNT_GROUPS(3, weighted); \
		else if (c + LANES < ncols) \
			COUNT_GROUPS(2, weighted); \
		else if (c < ncols) \
			COUNT_GROUPS(1, weighted); \
	} while (0)

static void
count_column(const BitMatrix *m, uint32_t j, uint32_t ncols, uint32_t *counts)
{
	uint32_t	c = 0;

	if (m->shift == NULL)
		COUNT_COLUMNS(0);
	else
		COUNT_COLUMNS(1);
}

static uint32_t
at_least(const uint32_t *counts, uint32_t ncols, uint32_t least, uint8_t *mask)
{
	__m256i		bound = _mm256_set1_epi32((int) least);
	uint32_t	n = 0;

	for (uint32_t c = 0; c < ncols; c += LANES)
	{
		__mmask8	valid = ncols - c >= LANES ? 0xff : (__mmask8) ((1u << (ncols - c)) - 1);
		__mmask8	bits = _mm256_mask_cmpge_epu32_mask(valid,
														_mm256_loadu_si256((const __m256i *) (counts + c)), bound);

		mask[c / LANES] = bits;
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
	uint32_t	ngroups = (ncols + LANES - 1) / LANES;
	uint32_t	kept = 0;

	for (uint32_t w = 0; w < from->nwords; w++, in += from->stride)
	{
		__m512i		tids = _mm512_set1_epi64((long long) in[j]);
		uint64_t   *at = out;

		if (in[j] == 0)
			continue;
		for (uint32_t g = 0; g < ngroups; g++)
		{
			/* compress fills the unused lanes with zeros, which pads the last group */
			_mm512_storeu_si512(at, _mm512_maskz_compress_epi64(mask[g],
																_mm512_and_si512(tids, _mm512_loadu_si512(in + g * LANES))));
			at += __builtin_popcount(mask[g]);
		}
		for (; at + LANES <= out + to->stride; at += LANES)
			_mm512_storeu_si512(at, _mm512_setzero_si512());
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

static inline __mmask8
first_lanes(uint32_t n)
{
	return n >= LANES ? 0xff : (__mmask8) ((1u << n) - 1);
}

/* find_cover() for the candidates in words w to w + 7, of which "lanes" has those to use. */
static inline uint32_t
find_cover_in_lanes(const BitMatrix *m, uint32_t i, uint32_t j, const RowMatrix *rows, uint32_t w,
					__mmask8 lanes, __m512i left)
{
	__mmask8	any = _mm512_test_epi64_mask(left, left);
	uint64_t	words[LANES];
	uint32_t	last;

	for (uint32_t v = 0; v < m->nwords && any != 0; v++)
	{
		const uint64_t *word = m->words + (size_t) v * m->stride;
		const uint64_t *row = rows_of_word(m, v, rows) + w;
		uint64_t	tids = word[i] & word[j];

		for (; tids != 0 && any != 0; tids &= tids - 1)
		{
			const uint64_t *columns = row + (size_t) __builtin_ctzll(tids) * rows->row_words;

			left = _mm512_and_si512(left, _mm512_maskz_loadu_epi64(lanes, columns));
			any = _mm512_test_epi64_mask(left, left);
		}
	}
	if (any == 0)
		return FIM_NOT_COVERED;
	_mm512_storeu_si512(words, left);
	last = 31 - (uint32_t) __builtin_clz(any);
	return last_bit(words[last], w + last);
}

static uint32_t
find_cover(const BitMatrix *m, uint32_t i, uint32_t j, const RowMatrix *rows, uint32_t first,
		   const uint64_t *candidates)
{
	uint32_t	from = first / 64;

	if (rows->row_words - from == 1)
		return find_cover_in_words(m, i, j, rows, first, candidates, 1);
	if (rows->row_words - from == 2)
		return find_cover_in_words(m, i, j, rows, first, candidates, 2);
	for (uint32_t end = rows->row_words; end > from;)
	{
		uint32_t	w = end - from > LANES ? end - LANES : from;
		__mmask8	lanes = first_lanes(end - w);
		__m512i		left = _mm512_maskz_loadu_epi64(lanes, candidates + w);
		uint32_t	cover;

		if (w == from)
			left = _mm512_mask_and_epi64(left, 1, left,
										 _mm512_set1_epi64((long long) (UINT64_MAX << (first % 64))));
		cover = find_cover_in_lanes(m, i, j, rows, w, lanes, left);
		if (cover != FIM_NOT_COVERED)
			return cover;
		end = w;
	}
	return FIM_NOT_COVERED;
}

/*
 * Compute the patterns of 64 transactions, 32 at a time in 16-bit lanes: the word of column c is
 * the mask of the lanes to which bit c is added.  Returns the transactions that have any column.
 */
static inline uint64_t
patterns_of_word(const uint64_t *word, uint32_t ncols, uint16_t *pattern)
{
	__m512i		low = _mm512_setzero_si512();
	__m512i		high = _mm512_setzero_si512();
	__m512i		bit = _mm512_set1_epi16(1);
	uint64_t	any = 0;

	for (uint32_t c = 0; c < ncols; c++)
	{
		any |= word[c];
		low = _mm512_mask_add_epi16(low, (__mmask32) word[c], low, bit);
		high = _mm512_mask_add_epi16(high, (__mmask32) (word[c] >> 32), high, bit);
		bit = _mm512_add_epi16(bit, bit);
	}
	_mm512_storeu_si512(pattern, low);
	_mm512_storeu_si512(pattern + 32, high);
	return any;
}

static void
histogram(const BitMatrix *m, uint32_t ncols, uint32_t *table)
{
	memset(table, 0, sizeof(uint32_t) << (ncols < 6 ? 6 : ncols));
	for (uint32_t w = 0; w < m->nwords; w++)
	{
		uint32_t	one = m->shift != NULL ? UINT32_C(1) << m->shift[w] : 1;
		uint16_t	pattern[64];
		uint64_t	any = patterns_of_word(m->words + (size_t) w * m->stride, ncols, pattern);

		if (any == UINT64_MAX)
			for (int t = 0; t < 64; t++)
				table[pattern[t]] += one;
		else
			for (; any != 0; any &= any - 1)
				table[pattern[__builtin_ctzll(any)]] += one;
	}
}

/* First the four lowest columns, within each vector of 16 sums; then the others, vector by vector. */
static void
superset_sums(uint32_t *table, uint32_t ncols)
{
	size_t		n = (size_t) 1 << ncols;

	for (size_t p = 0; p < n; p += 16)
	{
		__m512i		v = _mm512_loadu_si512(table + p);

		v = _mm512_mask_add_epi32(v, 0x5555, v, _mm512_shuffle_epi32(v, _MM_PERM_CDAB));
		v = _mm512_mask_add_epi32(v, 0x3333, v, _mm512_shuffle_epi32(v, _MM_PERM_BADC));
		v = _mm512_mask_add_epi32(v, 0x0f0f, v, _mm512_shuffle_i64x2(v, v, _MM_SHUFFLE(2, 3, 0, 1)));
		v = _mm512_mask_add_epi32(v, 0x00ff, v, _mm512_shuffle_i64x2(v, v, _MM_SHUFFLE(1, 0, 3, 2)));
		_mm512_storeu_si512(table + p, v);
	}
	for (size_t half = 16; half < n; half *= 2)
		for (size_t from = 0; from < n; from += 2 * half)
			for (size_t p = from; p < from + half; p += 16)
				_mm512_storeu_si512(table + p,
									_mm512_add_epi32(_mm512_loadu_si512(table + p),
													 _mm512_loadu_si512(table + p + half)));
}

/*
 * Transpose 64 words: bit r of word c becomes bit c of word r.  Each step swaps
 * the off-diagonal blocks of half the size.
 */
static void
transpose(uint64_t word[64])
{
	uint64_t	mask = UINT64_C(0x00000000ffffffff);

	for (int half = 32; half >= 8; half /= 2, mask ^= mask << half)
		for (int from = 0; from < 64; from += 2 * half)
			for (int r = from; r < from + half; r += LANES)
			{
				__m512i		low = _mm512_loadu_si512(word + r);
				__m512i		high = _mm512_loadu_si512(word + r + half);
				__m512i		swap = _mm512_and_si512(_mm512_xor_si512(_mm512_srli_epi64(low, half), high),
													_mm512_set1_epi64((long long) mask));

				_mm512_storeu_si512(word + r, _mm512_xor_si512(low, _mm512_slli_epi64(swap, half)));
				_mm512_storeu_si512(word + r + half, _mm512_xor_si512(high, swap));
			}
	transpose_blocks(word, 4, mask);
}

/* The weights of 8 columns from c on: those of their rows within the planes. */
static inline __m512i
weights_of_columns(const BitMatrix *m, uint32_t nwords, uint32_t c, const uint64_t *within,
				   uint32_t nplanes)
{
	__m512i		weights = _mm512_setzero_si512();

	for (uint32_t p = 0; p < nplanes; p++)
		for (uint32_t w = 0; w < nwords; w++)
		{
			__m512i		rows = _mm512_and_si512(_mm512_loadu_si512(m->words + (size_t) w * m->stride + c),
												_mm512_set1_epi64((long long) *within++));

			weights = _mm512_add_epi64(weights, _mm512_sll_epi64(_mm512_popcnt_epi64(rows),
																 _mm_cvtsi32_si128((int) p)));
		}
	return weights;
}

/* Always inlined, so that the compiler can make the usual case of one word and one plane fast. */
static inline __attribute__((always_inline)) uint32_t
choose_columns_of(const BitMatrix *m, uint32_t nwords, uint32_t ncols, const uint32_t *tag,
				  const RowChoice *choice, uint32_t nplanes, uint64_t *to, uint32_t *to_tag)
{
	const uint64_t *with_row = m->words + (size_t) (choice->row / 64) * m->stride;
	__m512i		row = _mm512_set1_epi64((long long) (UINT64_C(1) << (choice->row % 64)));
	__m512i		least = _mm512_set1_epi64(choice->least);
	uint32_t	n = 0;

	for (uint32_t c = 0; c < ncols; c += LANES)
	{
		__mmask8	chosen = _mm512_mask_test_epi64_mask(first_lanes(ncols - c),
														 _mm512_loadu_si512(with_row + c), row);

		chosen = _mm512_mask_cmpge_epi64_mask(chosen, weights_of_columns(m, nwords, c, choice->within, nplanes),
											  least);
		/*
		 * the zeros that are written after the chosen columns stay within the columns seen so
		 * far, since n <= c
		 */
		for (uint32_t w = 0; w < nwords; w++)
			_mm512_storeu_si512(to + (size_t) w * m->stride + n,
								_mm512_maskz_compress_epi64(chosen, _mm512_loadu_si512(m->words + (size_t) w * m->stride + c)));
		_mm256_storeu_si256((__m256i *) (to_tag + n),
							_mm256_maskz_compress_epi32(chosen, _mm256_loadu_si256((const __m256i *) (tag + c))));
		n += (uint32_t) __builtin_popcount(chosen);
	}
	return n;
}

static uint32_t
choose_columns(const BitMatrix *m, uint32_t ncols, const uint32_t *tag, const RowChoice *choice,
			   uint64_t *to, uint32_t *to_tag)
{
	if (m->nwords == 1 && choice->nplanes == 1)
		return choose_columns_of(m, 1, ncols, tag, choice, 1, to, to_tag);
	return choose_columns_of(m, m->nwords, ncols, tag, choice, choice->nplanes, to, to_tag);
}

static inline __attribute__((always_inline)) bool
some_weigh_of(const BitMatrix *m, uint32_t nwords, uint32_t ncols, const uint64_t *within,
			  uint32_t nplanes, uint32_t least, uint32_t most)
{
	__m512i		from = _mm512_set1_epi64(least);
	__m512i		to = _mm512_set1_epi64(most);

	for (uint32_t c = 0; c < ncols; c += LANES)
	{
		__m512i		weights = weights_of_columns(m, nwords, c, within, nplanes);
		__mmask8	some = _mm512_mask_cmpge_epi64_mask(first_lanes(ncols - c), weights, from);

		if (_mm512_mask_cmplt_epi64_mask(some, weights, to) != 0)
			return true;
	}
	return false;
}

static bool
some_weigh(const BitMatrix *m, uint32_t ncols, const uint64_t *within, uint32_t nplanes,
		   uint32_t least, uint32_t most)
{
	if (m->nwords == 1 && nplanes == 1)
		return some_weigh_of(m, 1, ncols, within, 1, least, most);
	return some_weigh_of(m, m->nwords, ncols, within, nplanes, least, most);
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
		uint16_t	pattern[64];
		uint64_t	any = patterns_of_word(m->words + (size_t) w * m->stride, ncols, pattern);

		for (; any != 0; any &= any - 1)
		{
			int			t = __builtin_ctzll(any);

			common[pattern[t]] &= wanted & bits_from(row + (size_t) t * row_words, row_words, first);
		}
	}
}

static void
superset_ands(uint64_t *common, uint32_t ncols)
{
	size_t		n = (size_t) 1 << ncols;

	for (size_t p = 0; p < n; p += LANES)
	{
		__m512i		v = _mm512_loadu_si512(common + p);

		v = _mm512_mask_and_epi64(v, 0x55, v, _mm512_permutex_epi64(v, _MM_SHUFFLE(2, 3, 0, 1)));
		v = _mm512_mask_and_epi64(v, 0x33, v, _mm512_permutex_epi64(v, _MM_SHUFFLE(1, 0, 3, 2)));
		v = _mm512_mask_and_epi64(v, 0x0f, v, _mm512_shuffle_i64x2(v, v, _MM_SHUFFLE(1, 0, 3, 2)));
		_mm512_storeu_si512(common + p, v);
	}
	for (size_t half = LANES; half < n; half *= 2)
		for (size_t from = 0; from < n; from += 2 * half)
			for (size_t p = from; p < from + half; p += LANES)
				_mm512_storeu_si512(common + p,
									_mm512_and_si512(_mm512_loadu_si512(common + p),
													 _mm512_loadu_si512(common + p + half)));
}

/* Which of 16 patterns have the same entry as a superset by one of the lowest 4 columns? */
static inline __mmask16
open_within(__m512i v)
{
	return _mm512_mask_cmpeq_epi32_mask(0x5555, v, _mm512_shuffle_epi32(v, _MM_PERM_CDAB)) |
		_mm512_mask_cmpeq_epi32_mask(0x3333, v, _mm512_shuffle_epi32(v, _MM_PERM_BADC)) |
		_mm512_mask_cmpeq_epi32_mask(0x0f0f, v, _mm512_shuffle_i64x2(v, v, _MM_SHUFFLE(2, 3, 0, 1))) |
		_mm512_mask_cmpeq_epi32_mask(0x00ff, v, _mm512_shuffle_i64x2(v, v, _MM_SHUFFLE(1, 0, 3, 2)));
}

static void
closed_bits(const uint32_t *table, const uint64_t *common, uint32_t ncols, uint64_t *closed)
{
	for (size_t w = 0; w < (size_t) 1 << (ncols - 6); w++)
	{
		uint64_t	open = 0;

		if (closed[w] == 0)
			continue;
		for (int k = 0; k < 64; k += 16)
		{
			size_t		p = w * 64 + k;
			__m512i		v = _mm512_loadu_si512(table + p);
			__mmask16	bits = open_within(v);

			for (uint32_t c = 4; c < ncols; c++)
				if ((p >> c & 1) == 0)
					bits |= _mm512_cmpeq_epi32_mask(v, _mm512_loadu_si512(table + (p | (size_t) 1 << c)));
			if (common != NULL)
			{
				__m512i		low = _mm512_loadu_si512(common + p);
				__m512i		high = _mm512_loadu_si512(common + p + LANES);

				bits |= (__mmask16) (_mm512_test_epi64_mask(low, low) |
									 _mm512_test_epi64_mask(high, high) << 8);
			}
			open |= (uint64_t) bits << k;
		}
		closed[w] &= ~open;
	}
}

static void
frequent_bits(const uint32_t *table, uint32_t ncols, uint32_t minsup, uint64_t *frequent)
{
	__m512i		bound = _mm512_set1_epi32((int) minsup);

	for (size_t p = 0; p < (size_t) 1 << ncols; p += 64)
	{
		uint64_t	bits = 0;

		for (int k = 0; k < 4; k++)
			bits |= (uint64_t) _mm512_cmpge_epu32_mask(_mm512_loadu_si512(table + p + 16 * k), bound) << (16 * k);
		frequent[p / 64] = bits;
	}
}

/* Sort up to STEPS * 16 items.  The last step is filled with the greatest number, which is below no item. */
#define SORT_STEPS(STEPS) \
	do { \
		__m512i		items[STEPS]; \
		for (int s = 0; s < (STEPS); s++) \
		{ \
			uint32_t	left = n > 16u * s ? n - 16u * s : 0; \
			items[s] = _mm512_mask_loadu_epi32(_mm512_set1_epi32(-1), \
											   (__mmask16) _bzhi_u32(0xffff, left), row + 16 * s); \
		} \
		for (uint32_t i = 0; i < n; i++) \
		{ \
			__m512i		item = _mm512_set1_epi32((int) copy[i]); \
			uint64_t	below = 0; \
			for (int s = 0; s < (STEPS); s++) \
				below |= (uint64_t) _mm512_cmplt_epu32_mask(items[s], item) << (16 * s); \
			row[__builtin_popcountll(below)] = copy[i]; \
		} \
	} while (0)

static void
sort_row(uint32_t *row, uint32_t n)
{
	uint32_t	copy[FIM_SHORT_ROW];

	memcpy(copy, row, sizeof(uint32_t) * n);
	if (n <= 16)
		SORT_STEPS(1);
	else if (n <= 32)
		SORT_STEPS(2);
	else
		SORT_STEPS(4);
}

/* The cells of two panels take 16 registers: 4 left rows times 4 groups of 8 right rows. */
#define GROUPS			(FIM_RIGHT_PANEL / LANES)

#define FOR_CELLS(step) \
	_Pragma("GCC unroll 4") \
	for (int l = 0; l < FIM_LEFT_PANEL; l++) \
		_Pragma("GCC unroll 4") \
		for (int g = 0; g < GROUPS; g++) \
			step

static void
count_panels(const uint64_t *left, const uint64_t *right, uint32_t nwords, uint32_t *counts, size_t stride)
{
	__m512i		sum[FIM_LEFT_PANEL][GROUPS];

	FOR_CELLS(sum[l][g] = _mm512_setzero_si512());
	for (uint32_t w = 0; w < nwords; w++, left += FIM_LEFT_PANEL, right += FIM_RIGHT_PANEL)
	{
		__m512i		bits[FIM_LEFT_PANEL];

		_Pragma("GCC unroll 4")
		for (int l = 0; l < FIM_LEFT_PANEL; l++)
			bits[l] = _mm512_set1_epi64((long long) left[l]);
		FOR_CELLS(sum[l][g] = _mm512_add_epi64(sum[l][g], _mm512_popcnt_epi64(
			_mm512_and_si512(bits[l], _mm512_loadu_si512(right + LANES * g)))));
	}
	FOR_CELLS(
	{
		__m256i    *to = (__m256i *) (counts + l * stride + LANES * g);

		_mm256_storeu_si256(to, _mm256_add_epi32(_mm256_loadu_si256(to), _mm512_cvtepi64_epi32(sum[l][g])));
	})
}

static bool
any_panels(const uint64_t *left, const uint64_t *right, uint32_t nwords, uint32_t *any, size_t stride)
{
	__m512i		sum[FIM_LEFT_PANEL][GROUPS];
	uint32_t	found[FIM_LEFT_PANEL];
	uint32_t	all = UINT32_MAX;

	for (int l = 0; l < FIM_LEFT_PANEL; l++)
		all &= found[l] = any[l * stride];
	FOR_CELLS(sum[l][g] = _mm512_setzero_si512());
	for (uint32_t w = 0; w < nwords && all != UINT32_MAX;)
	{
		for (uint32_t stop = w + 16 < nwords ? w + 16 : nwords; w < stop; w++)
		{
			__m512i		bits[FIM_LEFT_PANEL];

			_Pragma("GCC unroll 4")
			for (int l = 0; l < FIM_LEFT_PANEL; l++)
				bits[l] = _mm512_set1_epi64((long long) left[w * FIM_LEFT_PANEL + l]);
			/* 0xf8 is a | (b & c) */
			FOR_CELLS(sum[l][g] = _mm512_ternarylogic_epi64(sum[l][g], bits[l],
				_mm512_loadu_si512(right + w * FIM_RIGHT_PANEL + LANES * g), 0xf8));
		}
		all = UINT32_MAX;
		FOR_CELLS(found[l] |= (uint32_t) _mm512_test_epi64_mask(sum[l][g], sum[l][g]) << (LANES * g));
		for (int l = 0; l < FIM_LEFT_PANEL; l++)
			all &= found[l];
	}
	for (int l = 0; l < FIM_LEFT_PANEL; l++)
		any[l * stride] = found[l];
	return all == UINT32_MAX;
}

static uint32_t
count_matches(const uint8_t *a, const uint8_t *b, uint32_t n)
{
	const __m512i low = _mm512_set1_epi8(0x7f);
	uint32_t	matches = 0;

	for (uint32_t i = 0; i < n; i += 64)
	{
		__m512i		x = _mm512_loadu_si512(a + i);
		__m512i		y = _mm512_loadu_si512(b + i);
		__mmask64	agree = _mm512_testn_epi8_mask(_mm512_xor_si512(x, y), low);

		matches += (uint32_t) __builtin_popcountll(agree & _mm512_movepi8_mask(_mm512_or_si512(x, y)));
	}
	return matches;
}

#define TABLE_WORD_COST	45

const FimKernels FimKernelsAvx512 = {
	"avx512", TABLE_WORD_COST, count_column, at_least, project, find_cover, histogram, superset_sums,
	common_columns, superset_ands, closed_bits, choose_columns, some_weigh, combine, transpose,
	common_support, and_column, and_words, lacking, sort_row, sort_by_bits, count_panels, any_panels, count_matches,
	frequent_bits
};

#ifdef __clang__
#pragma clang attribute pop
#endif
#endif

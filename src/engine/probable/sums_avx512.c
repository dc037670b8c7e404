/*-------------------------------------------------------------------------
 *
 * sums_avx512.c
 *	  The loops with AVX-512 F, DQ and VL: bits are masks of lanes.
 *
 *-------------------------------------------------------------------------
 */
#if defined(__x86_64__) && defined(__GNUC__)
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("bmi,bmi2,popcnt,lzcnt,avx2,avx512f,avx512dq,avx512vl"))), apply_to = function)
#else
#pragma GCC target("bmi,bmi2,popcnt,lzcnt,avx2,avx512f,avx512dq,avx512vl")
#endif
#include "sums.h"

#include <immintrin.h>

#define LANES	8

static double
AddLanes(__m512d lanes)
{
	double		lane[LANES];

	_mm512_storeu_pd(lane, lanes);
	return ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7]));
}

/* Four sums side by side hide the latency of additions. */
static double
Bits(const uint64_t *a, const uint64_t *b, const double *weight, uint32_t nwords, uint32_t *n)
{
	__m512d		sum[4];
	uint32_t	count = 0;

	for (int k = 0; k < 4; k++)
		sum[k] = _mm512_setzero_pd();
	for (uint32_t w = 0; w < nwords; w++, weight += 64)
	{
		uint64_t	both = a[w] & b[w];

		if (both == 0)
			continue;
		count += (uint32_t) __builtin_popcountll(both);
		for (int k = 0; k < LANES; k++)
			sum[k % 4] = _mm512_mask_add_pd(sum[k % 4], (__mmask8) (both >> (k * LANES)), sum[k % 4],
											_mm512_loadu_pd(weight + k * LANES));
	}
	*n += count;
	return AddLanes(_mm512_add_pd(_mm512_add_pd(sum[0], sum[1]), _mm512_add_pd(sum[2], sum[3])));
}

static double
List(const uint32_t *row, const double *factor, uint32_t n, const double *weight, uint32_t *held)
{
	__m512d		sum[2] = {_mm512_setzero_pd(), _mm512_setzero_pd()};
	uint32_t	count = 0;

	for (uint32_t e = 0; e < n; e += LANES)
	{
		__mmask8	there = n - e < LANES ? (__mmask8) ((1u << (n - e)) - 1) : (__mmask8) 0xff;
		__m256i		rows = _mm256_maskz_loadu_epi32(there, row + e);
		__m512d		w = _mm512_mask_i32gather_pd(_mm512_setzero_pd(), there, rows, weight, 8);
		__m512d    *to = &sum[e / LANES % 2];

		count += (uint32_t) __builtin_popcount(_mm512_cmp_pd_mask(w, _mm512_setzero_pd(), _CMP_GT_OQ));
		if (factor != NULL)
			*to = _mm512_fmadd_pd(w, _mm512_maskz_loadu_pd(there, factor + e), *to);
		else
			*to = _mm512_add_pd(*to, w);
	}
	*held += count;
	return AddLanes(_mm512_add_pd(sum[0], sum[1]));
}

/* Four sums side by side, and one count of 32 rows. */
static double
Dense(const double *factor, uint32_t n, const double *weight, uint32_t *held)
{
	const __m512d zero = _mm512_setzero_pd();
	__m512d		sum[4] = {zero, zero, zero, zero};
	uint32_t	count = 0;

	for (uint32_t r = 0; r < n; r += 4 * LANES)
	{
		uint32_t	both = 0;

		for (int k = 0; k < 4; k++)
		{
			__m512d		w = _mm512_loadu_pd(weight + r + k * LANES);
			__m512d		f = _mm512_loadu_pd(factor + r + k * LANES);
			__mmask8	there = _mm512_cmp_pd_mask(w, zero, _CMP_GT_OQ);

			both |= (uint32_t) _mm512_mask_cmp_pd_mask(there, f, zero, _CMP_GT_OQ) << (k * LANES);
			sum[k] = _mm512_fmadd_pd(w, f, sum[k]);
		}
		count += (uint32_t) __builtin_popcount(both);
	}
	*held += count;
	return AddLanes(_mm512_add_pd(_mm512_add_pd(sum[0], sum[1]), _mm512_add_pd(sum[2], sum[3])));
}

/* Add the squares of probabilities and those of their variances, in the chosen lanes. */
static inline void
AddSquares(__mmask8 lanes, __m512d q, __m512d *squares, __m512d *variances)
{
	__m512d		variance = _mm512_fnmadd_pd(q, q, q);

	*squares = _mm512_mask3_fmadd_pd(q, q, *squares, lanes);
	*variances = _mm512_mask3_fmadd_pd(variance, variance, *variances, lanes);
}

static void
BitsSquares(const uint64_t *a, const uint64_t *b, const double *weight, uint32_t nwords,
			double sum[2])
{
	__m512d		squares[4];
	__m512d		variances[4];

	for (int k = 0; k < 4; k++)
		squares[k] = variances[k] = _mm512_setzero_pd();
	for (uint32_t w = 0; w < nwords; w++, weight += 64)
	{
		uint64_t	both = a[w] & b[w];

		for (int k = 0; both != 0 && k < LANES; k++)
			AddSquares((__mmask8) (both >> (k * LANES)), _mm512_loadu_pd(weight + k * LANES),
					   &squares[k % 4], &variances[k % 4]);
	}
	sum[0] += AddLanes(_mm512_add_pd(_mm512_add_pd(squares[0], squares[1]),
									 _mm512_add_pd(squares[2], squares[3])));
	sum[1] += AddLanes(_mm512_add_pd(_mm512_add_pd(variances[0], variances[1]),
									 _mm512_add_pd(variances[2], variances[3])));
}

static void
ListSquares(const uint32_t *row, const double *factor, uint32_t n, const double *weight,
			double sum[2])
{
	__m512d		squares = _mm512_setzero_pd();
	__m512d		variances = _mm512_setzero_pd();

	for (uint32_t e = 0; e < n; e += LANES)
	{
		__mmask8	there = n - e < LANES ? (__mmask8) ((1u << (n - e)) - 1) : (__mmask8) 0xff;
		__m256i		rows = _mm256_maskz_loadu_epi32(there, row + e);
		__m512d		q = _mm512_mask_i32gather_pd(_mm512_setzero_pd(), there, rows, weight, 8);

		if (factor != NULL)
			q = _mm512_mul_pd(q, _mm512_maskz_loadu_pd(there, factor + e));
		AddSquares(there, q, &squares, &variances);
	}
	sum[0] += AddLanes(squares);
	sum[1] += AddLanes(variances);
}

static void
DenseSquares(const double *factor, uint32_t n, const double *weight, double sum[2])
{
	__m512d		squares[4];
	__m512d		variances[4];

	for (int k = 0; k < 4; k++)
		squares[k] = variances[k] = _mm512_setzero_pd();
	for (uint32_t r = 0; r < n; r += LANES)
		AddSquares((__mmask8) 0xff, _mm512_mul_pd(_mm512_loadu_pd(weight + r), _mm512_loadu_pd(factor + r)),
				   &squares[r / LANES % 4], &variances[r / LANES % 4]);
	sum[0] += AddLanes(_mm512_add_pd(_mm512_add_pd(squares[0], squares[1]),
									 _mm512_add_pd(squares[2], squares[3])));
	sum[1] += AddLanes(_mm512_add_pd(_mm512_add_pd(variances[0], variances[1]),
									 _mm512_add_pd(variances[2], variances[3])));
}

/* Whole vectors are stored, since a store of chosen lanes only is slow on some processors. */
static double *
Pick(uint64_t word, const double *weight, double *to)
{
	for (; word != 0; word >>= LANES, weight += LANES)
	{
		__mmask8	lanes = (__mmask8) word;

		_mm512_storeu_pd(to, _mm512_maskz_compress_pd(lanes, _mm512_loadu_pd(weight)));
		to += __builtin_popcount(lanes);
	}
	return to;
}

/* The product of all lanes. */
static void
MultiplyLanes(__m512d x, __m512d y, double *re, double *im)
{
	double		a[LANES];
	double		b[LANES];

	_mm512_storeu_pd(a, x);
	_mm512_storeu_pd(b, y);
	*re = 1;
	*im = 0;
	for (int k = 0; k < LANES; k++)
	{
		double		before = *re;

		*re = before * a[k] - *im * b[k];
		*im = before * b[k] + *im * a[k];
	}
}

/* Lanes beyond the end get probability 0, whose factor is 1. */
static void
Turn(const double *p, uint32_t n, const double *less, const double *sine, double *re, double *im)
{
	const __m512d one = _mm512_set1_pd(1);
	__m512d		x[SUMS_ANGLES];
	__m512d		y[SUMS_ANGLES];

	for (int i = 0; i < SUMS_ANGLES; i++)
	{
		x[i] = one;
		y[i] = _mm512_setzero_pd();
	}
	for (uint32_t t = 0; t < n; t += LANES)
	{
		__mmask8	there = n - t < LANES ? (__mmask8) ((1u << (n - t)) - 1) : (__mmask8) 0xff;
		__m512d		q = _mm512_maskz_loadu_pd(there, p + t);

		for (int i = 0; i < SUMS_ANGLES; i++)
		{
			__m512d		a = _mm512_fnmadd_pd(q, _mm512_set1_pd(less[i]), one);
			__m512d		b = _mm512_mul_pd(q, _mm512_set1_pd(sine[i]));
			__m512d		before = x[i];

			x[i] = _mm512_fmsub_pd(before, a, _mm512_mul_pd(y[i], b));
			y[i] = _mm512_fmadd_pd(y[i], a, _mm512_mul_pd(before, b));
		}
	}
	for (int i = 0; i < SUMS_ANGLES; i++)
		MultiplyLanes(x[i], y[i], &re[i], &im[i]);
}

const ProbableSums SumsAvx512 = {Bits, List, Dense, BitsSquares, ListSquares, DenseSquares, Pick, Turn};

#ifdef __clang__
#pragma clang attribute pop
#endif
#endif

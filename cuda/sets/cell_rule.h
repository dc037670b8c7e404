/*-------------------------------------------------------------------------
 *
 * cell_rule.h
 *	  Which cells are results, as the task asks for them.
 *
 * A cell is a left and a right value by rank, with the number of keys that both have.  The
 * similarity of two sets is decided as src/engine/sets/measure.c decides it, without error:
 * quotients by a division that is rounded to nearest, and the cosine, where that is
 * not enough, by comparing squares in whole numbers.
 *
 * Included by relations.h, and through it by all kernels that judge cells.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_CELL_RULE_H
#define FIM_CELL_RULE_H

#include "device.h"

#ifdef __cplusplus
extern "C"
{
#endif

#include "engine/sets/sets.h"

typedef struct CellRule
{
	FimSetsResult result;
	FimSetsMeasure measure;
	bool		one;			/* of a pair and its reverse, the one whose right rank is not below the left one */
	bool		counted;		/* do numbers of witnesses matter, or only whether there are some? */
	uint32_t	least;			/* witnesses that a cell needs; similar sets need one at the least */
	double		threshold;

	/*
	 * The middle between the threshold and the float8 before it is cosine_middle, of 54 bits, times
	 * 2^-cosine_shift.
	 */
	uint64_t	cosine_middle;
	uint32_t	cosine_shift;
} CellRule;

extern CellRule CellRuleOf(const FimSetsJob *job, bool one);

#ifdef __cplusplus
}
#endif

#ifdef __CUDACC__

/* A whole number of 256 bits times one of 64, modulo 2^256; the low ones come first. */
static __device__ __forceinline__ void
WideTimes(uint64_t (&a)[4], uint64_t b)
{
	uint64_t	carry = 0;

#pragma unroll
	for (int i = 0; i < 4; i++)
	{
		uint64_t	low = a[i] * b;
		uint64_t	high = __umul64hi(a[i], b);

		a[i] = low + carry;
		carry = high + (a[i] < low);
	}
}

/* Whether overlap / sqrt(n * m) is above the middle below the threshold: compares their squares. */
static __device__ __noinline__ bool
CosineIsAbove(const CellRule &rule, uint32_t overlap, uint32_t n, uint32_t m)
{
	uint64_t	square[4] = {overlap, 0, 0, 0};
	uint64_t	bound[4] = {rule.cosine_middle, 0, 0, 0};

	WideTimes(square, overlap);
	/* a threshold too low for the shift to fit has been raised to one that every cell reaches */
	for (uint32_t shift = 2 * rule.cosine_shift; shift > 0;)
	{
		uint32_t	step = min(shift, 63u);

		WideTimes(square, 1ull << step);
		shift -= step;
	}
	WideTimes(bound, rule.cosine_middle);
	WideTimes(bound, n);
	WideTimes(bound, m);
	for (int i = 3; i >= 0; i--)
		if (square[i] != bound[i])
			return square[i] > bound[i];
	return true;
}

/* What is this near to the threshold in float8 is decided in whole numbers. */
#define COSINE_ERROR	1e-12

static __device__ __forceinline__ bool
CosineReaches(const CellRule &rule, uint32_t overlap, uint32_t n, uint32_t m)
{
	double		about = overlap * rsqrt((double) n * (double) m);

	if (about > rule.threshold * (1 + COSINE_ERROR))
		return true;
	return about >= rule.threshold * (1 - COSINE_ERROR) && CosineIsAbove(rule, overlap, n, m);
}

/* Whether a set of n elements is similar to one of m, in this order; the overlap is at least 1. */
static __device__ __forceinline__ bool
IsSimilar(const CellRule &rule, uint32_t overlap, uint32_t n, uint32_t m)
{
	double		o = overlap;

	switch (rule.measure)
	{
		case FIM_JACCARD:
			return __ddiv_rn(o, (double) n + (double) m - o) >= rule.threshold;
		case FIM_COSINE:
			return CosineReaches(rule, overlap, n, m);
		case FIM_OVERLAP:
			return __ddiv_rn(o, (double) min(n, m)) >= rule.threshold;
		default:
			return __ddiv_rn(o, (double) n) >= rule.threshold;
	}
}

/*
 * How many results a cell is: 0 if it is none, 2 if it stands for both orders of a pair or both are
 * similar.  The sizes of both sets are looked at for similar sets only.
 */
static __device__ __forceinline__ uint32_t
CellResults(const CellRule &rule, uint32_t row, uint32_t right, uint32_t witnesses, uint32_t size,
			uint32_t other_size)
{
	if (witnesses < rule.least || (rule.one && right < row + (rule.result != FIM_SETS_PRODUCT)))
		return 0;
	if (rule.result != FIM_SETS_SIMILAR)
		return rule.one && rule.result == FIM_SETS_PRODUCT && right != row ? 2 : 1;
	return IsSimilar(rule, witnesses, size, other_size) +
		(rule.measure == FIM_CONTAINMENT && IsSimilar(rule, witnesses, other_size, size));
}

#endif							/* __CUDACC__ */

#endif							/* FIM_CELL_RULE_H */

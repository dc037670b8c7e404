/*-------------------------------------------------------------------------
 *
 * cell_rule.h
 *	  Which cells are results, as the task asks for them.
 *
 * A cell is a left and a right value, both by rank, with the number of keys that they have in
 * common.  Whether two sets are similar is decided without error, as src/engine/sets/measure.c
 * decides it: quotients by a division that is rounded to nearest, and the cosine by comparing
 * squares in whole numbers where floating point is not enough.
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
	bool		one;			/* a cell whose right rank is below the left one is no result */
	bool		counted;		/* numbers of witnesses matter, not only whether there are any */
	uint32_t	least;			/* witnesses that a cell needs; 1 for similar sets */
	double		threshold;		/* of similar sets */

	/*
	 * For the cosine: the middle between the threshold and the float8 before it, as cosine_middle, a
	 * number of 54 bits, times 2^-cosine_shift.
	 */
	uint64_t	cosine_middle;
	uint32_t	cosine_shift;
} CellRule;

extern CellRule CellRuleOf(const FimSetsJob *job, bool one);

#ifdef __cplusplus
}
#endif

#ifdef __CUDACC__

/* Multiplies a whole number of 256 bits by one of 64, modulo 2^256.  The lowest word comes first. */
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

/* Whether overlap / sqrt(n * m) is not below the rule's cosine_middle: compares the squares of both. */
static __device__ __noinline__ bool
CosineIsAbove(const CellRule &rule, uint32_t overlap, uint32_t n, uint32_t m)
{
	uint64_t	square[4] = {overlap, 0, 0, 0};
	uint64_t	bound[4] = {rule.cosine_middle, 0, 0, 0};

	WideTimes(square, overlap);
	/*
	 * the shifted square fits in 256 bits, since SetCosine() has raised thresholds that are too low
	 * for that
	 */
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

/* Cosines whose float8 has a relative distance below this from the threshold are decided in whole numbers. */
#define COSINE_ERROR	1e-12

static __device__ __forceinline__ bool
CosineReaches(const CellRule &rule, uint32_t overlap, uint32_t n, uint32_t m)
{
	double		about = overlap * rsqrt((double) n * (double) m);

	if (about > rule.threshold * (1 + COSINE_ERROR))
		return true;
	return about >= rule.threshold * (1 - COSINE_ERROR) && CosineIsAbove(rule, overlap, n, m);
}

/*
 * Whether a set of n elements is similar to one of m elements, in this order.  The overlap must be at
 * least 1.
 */
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
 * How many results a cell stands for: 0 if it is no result, 2 if both orders of the pair are results.
 * The sizes of both sets are used for similar sets only.
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

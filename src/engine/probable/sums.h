/*-------------------------------------------------------------------------
 *
 * sums.h
 *	  The inner loops of the depth-first miner, one set per instruction set.
 *
 * Each adds what a block of rows gives: how many of them hold an itemset, and the sum
 * of the itemset's probabilities in them.  Blocks keep the rounding error of long sums
 * small, and what a block reads in the first level of cache for all candidates.
 *
 * Included by the depth-first miner and by the sets of loops.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PROBABLE_SUMS_H
#define FIM_PROBABLE_SUMS_H

#include <stddef.h>
#include <stdint.h>

/* Angles at which characteristic functions are computed at a time. */
#define SUMS_ANGLES		4

/* Words of bits, and entries of a list, that are summed at a time. */
#define SUMS_WORDS		32
#define SUMS_ENTRIES	2048

/*
 * A sum of positive terms is off by at most this part of it, if it was added up from
 * blocks by SumsAdd(): within one there are no more than SUMS_ENTRIES / 8 additions one
 * after the other, and a few more that join the lanes.
 */
#define SUMS_ERROR		((SUMS_ENTRIES / 8 + 16) * 1.12e-16)

/* Add a block's sum and keep what rounding takes away (Knuth's TwoSum). */
static inline void
SumsAdd(double *sum, double *lost, double block)
{
	double		total = *sum + block;
	double		added = total - *sum;

	*lost += (*sum - (total - added)) + (block - added);
	*sum = total;
}

typedef struct ProbableSums
{
	/*
	 * Rows of nwords words, at most SUMS_WORDS, that have a bit in both a and b.
	 * Weights are those of the rows, 64 a word.
	 */
	double		(*bits) (const uint64_t *a, const uint64_t *b, const double *weight,
						 uint32_t nwords, uint32_t *n);

	/*
	 * Of n rows, at most SUMS_ENTRIES, those with a weight above 0.  The sum is that of
	 * weights times factors, unless factor is NULL.
	 */
	double		(*list) (const uint32_t *row, const double *factor, uint32_t n,
						 const double *weight, uint32_t *held);

	/*
	 * The same of n rows one after the other, at most SUMS_ENTRIES, a multiple of 64, each of which has a
	 * factor, or 0.
	 */
	double		(*dense) (const double *factor, uint32_t n, const double *weight, uint32_t *held);

	/*
	 * Of the same rows, add the squares of probabilities q and those of q (1 - q) to two
	 * sums.
	 */
	void		(*bits_squares) (const uint64_t *a, const uint64_t *b, const double *weight,
								 uint32_t nwords, double sum[2]);
	void		(*list_squares) (const uint32_t *row, const double *factor, uint32_t n,
								 const double *weight, double sum[2]);
	void		(*dense_squares) (const double *factor, uint32_t n, const double *weight, double sum[2]);

	/* Write the weights of the bits of a word; to has room for 8 more.  Returns their end. */
	double	   *(*pick) (uint64_t word, const double *weight, double *to);

	/*
	 * The products of all 1 - p + p exp(i t) for SUMS_ANGLES angles t, of which 1 - cos t
	 * and sin t are given, as real and imaginary parts.
	 */
	void		(*turn) (const double *p, uint32_t n, const double *less, const double *sine,
						 double *re, double *im);
} ProbableSums;

/* For the instruction set in use, see isa.h. */
extern const ProbableSums *CurrentSums(void);

extern const ProbableSums SumsPortable;
#if defined(__x86_64__) && defined(__GNUC__)
#define FIM_X86_SUMS
extern const ProbableSums SumsAvx2;
extern const ProbableSums SumsAvx512;
#endif

#endif							/* FIM_PROBABLE_SUMS_H */

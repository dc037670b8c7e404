/*-------------------------------------------------------------------------
 *
 * sums.h
 *	  The inner loops of the depth-first miner, one set per instruction set.
 *
 * Each sums over a block of rows: how many of them hold an itemset, and the itemset's
 * probabilities in them.  Blocks keep the rounding error of long sums small, and keep a
 * block's data in the first level of cache while all candidates are counted.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PROBABLE_SUMS_H
#define FIM_PROBABLE_SUMS_H

#include <stddef.h>
#include <stdint.h>

/* The number of angles at which turn() computes characteristic functions. */
#define SUMS_ANGLES		4

/* The most words of bits, and entries of a list, of a block. */
#define SUMS_WORDS		32
#define SUMS_ENTRIES	2048

/*
 * The largest relative error of a sum of positive terms that was added up from blocks by
 * SumsAdd(): within a block there are at most SUMS_ENTRIES / 8 additions one after the
 * other, and a few more that join the lanes.
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
	 * The rows that have a bit in both a[nwords] and b[nwords], at most SUMS_WORDS.  Returns
	 * the sum of their weights and adds their number to *n.  weight[] has 64 for each word.
	 */
	double		(*bits) (const uint64_t *a, const uint64_t *b, const double *weight,
						 uint32_t nwords, uint32_t *n);

	/*
	 * Of the rows row[n], at most SUMS_ENTRIES, those with a weight above 0.  Returns the sum
	 * of their weights, times their factors unless factor is NULL, and adds their number to
	 * *held.
	 */
	double		(*list) (const uint32_t *row, const double *factor, uint32_t n,
						 const double *weight, uint32_t *held);

	/*
	 * The same of n consecutive rows, each of which has a factor, which may be 0: those with
	 * both a weight and a factor above 0.  n is a multiple of 64, at most SUMS_ENTRIES.
	 */
	double		(*dense) (const double *factor, uint32_t n, const double *weight, uint32_t *held);

	/*
	 * For the same rows, where the probability is q, add q^2 to sum[0] and (q (1 - q))^2 to
	 * sum[1].
	 */
	void		(*bits_squares) (const uint64_t *a, const uint64_t *b, const double *weight,
								 uint32_t nwords, double sum[2]);
	void		(*list_squares) (const uint32_t *row, const double *factor, uint32_t n,
								 const double *weight, double sum[2]);
	void		(*dense_squares) (const double *factor, uint32_t n, const double *weight, double sum[2]);

	/* Write the weights of the bits of a word to "to", which has room for 8 more.  Returns their end. */
	double	   *(*pick) (uint64_t word, const double *weight, double *to);

	/*
	 * For each of SUMS_ANGLES angles t, the product of all 1 - p + p exp(i t), as its real and
	 * imaginary part.  "less" is 1 - cos t, "sine" is sin t.
	 */
	void		(*turn) (const double *p, uint32_t n, const double *less, const double *sine,
						 double *re, double *im);
} ProbableSums;

/* For the instruction set in use, see kernels.h. */
extern const ProbableSums *CurrentSums(void);

extern const ProbableSums SumsPortable;
#if defined(__x86_64__) && defined(__GNUC__)
#define FIM_X86_SUMS
extern const ProbableSums SumsAvx2;
extern const ProbableSums SumsAvx512;
#endif

#endif							/* FIM_PROBABLE_SUMS_H */

/*-------------------------------------------------------------------------
 *
 * tally.h
 *	  Counts of itemsets by length.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TALLY_H
#define FIM_TALLY_H

#include <stdint.h>

/*
 * A number of itemsets, of 128 bits: a sum or product that does not fit becomes the largest
 * number.  The summary of a task that only counts is an array of these, one for each length
 * of itemsets, see FimTallyLengths() in itemsets.h.
 */
typedef struct FimCount
{
	uint64_t	low;
	uint64_t	high;
} FimCount;

typedef struct FimTally
{
	uint32_t	lengths;
	FimCount   *counts;			/* [lengths] the number of itemsets of each length, from 0 on */
} FimTally;

/* Add a tally to another one that has the same lengths. */
extern void FimTallyAdd(FimTally *into, const FimTally *from);

/* into += times * what */
extern void FimCountAddProduct(FimCount *into, uint64_t times, FimCount what);

/* Set choose[0 .. n] to the binomial coefficients C(n, 0) .. C(n, n). */
extern void FimBinomials(FimCount *choose, uint32_t n);

#endif							/* FIM_TALLY_H */

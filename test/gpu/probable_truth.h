/*-------------------------------------------------------------------------
 *
 * probable_truth.h
 *	  What is probable in uncertain data, by the definitions.
 *
 *	  Of every subset of the items, a dynamic programme of the widest floating point says
 *	  whether it is to be given and with which values.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PROBABLE_TRUTH_H
#define PROBABLE_TRUTH_H

#include "engine/probable/probable.h"

/* Numbers with 113 bits of precision. */
#ifdef __x86_64__
typedef __float128 Wide;
#else
typedef long double Wide;
#endif

/* Lists from this length on are convolved with fewer digits, and what is negligible is left out. */
#define LONG_LIST		3000
#define NEGLIGIBLE		1e-30L

/* What there is to know of one itemset. */
typedef struct Truth
{
	uint32_t	count;			/* transactions that have it */
	Wide		expected;
	Wide		tail;			/* P(support >= minsup) */
	Wide		error;			/* of the tail, in proportion */
	bool		selected;		/* reaches the threshold */
	bool		unclear;		/* too near to the threshold for that */
	bool		given;			/* is a result */
} Truth;

/*
 * The truth of all itemsets, 1 << nitems of them: bit i of an itemset's place in the array says that
 * it has item i.  Which are given is left open.  The caller frees it.
 */
extern Truth *FindTruth(const FimProbableSpec *spec, const FimProbableData *data);

/* Finds out which are to be given.  Returns false if that hangs on something unclear. */
extern bool MarkGiven(const FimProbableSpec *spec, const FimProbableData *data, Truth *truth);

#endif							/* PROBABLE_TRUTH_H */

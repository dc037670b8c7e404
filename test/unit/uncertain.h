/*-------------------------------------------------------------------------
 *
 * uncertain.h
 *	  Uncertain transactions for the unit tests, and what is probable, closed and
 *	  maximal in them by definition.
 *
 * UncertainMine() looks at all subsets of the items.  Probabilities are computed by
 * the classical dynamic programme in the widest floating point that the compiler has,
 * so that only a contrived tie could be decided wrongly, which is noticed.  Of the
 * engine only the declaration of a job is used.
 *
 *-------------------------------------------------------------------------
 */
#ifndef UNCERTAIN_H
#define UNCERTAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/probable/probable.h"

#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 Real;
#define REAL_ROUNDOFF	0x1p-113L
#else
typedef long double Real;
#define REAL_ROUNDOFF	0x1p-64L
#endif

#define UNCERTAIN_ITEMS	12		/* at most, for UncertainMine() */

/* Items 0 .. nitems-1, p[row * nitems + item]: 0 where it is not in the row. */
typedef struct Uncertain
{
	uint32_t	nrows;
	uint32_t	nitems;
	bool		by_entry;		/* otherwise all of a row's are equal or 0 */
	double	   *p;
} Uncertain;

/* What is known of an itemset; bit i of its number in the array says that it has item i. */
typedef struct UncertainSet
{
	Real		tail;			/* P(support >= minsup) */
	Real		expected;
	uint32_t	length;
	uint32_t	occurrences;
	bool		selected;
	bool		closed;			/* if it is selected */
	bool		maximal;		/* likewise */
	uint32_t	seen;			/* for the caller: the last run that gave it */
} UncertainSet;

/*
 * Tails and expectations of all itemsets, 1 << nitems of them, to be freed; then which of them
 * a spec selects, as far as neither length nor kind matters.  False if one is so near to the
 * threshold that roundings might have decided.
 */
extern UncertainSet *UncertainMine(const Uncertain *table, uint32_t minsup);
extern bool UncertainSelect(const Uncertain *table, UncertainSet *sets, const FimProbableSpec *spec);

/* Does the spec want this itemset, which is selected? */
extern bool UncertainWants(const FimProbableSpec *spec, const UncertainSet *set);

extern void UncertainPrint(const Uncertain *table);

#endif							/* UNCERTAIN_H */

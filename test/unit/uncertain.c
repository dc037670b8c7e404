/*-------------------------------------------------------------------------
 *
 * uncertain.c
 *	  Probable itemsets by definition, for the unit tests.
 *
 *-------------------------------------------------------------------------
 */
#include "uncertain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * Does a real reach a threshold?  Its nearest double does, that of a middle the upper one.
 * Each of n transactions has left less than sixteen roundings in it.
 */
static bool
Reaches(Real value, double threshold, uint32_t n, bool *clear)
{
	Real		beyond = value - ((Real) threshold + (Real) nextafter(threshold, -INFINITY)) / 2;

	if ((beyond < 0 ? -beyond : beyond) <= value * (16 * n + 16) * REAL_ROUNDOFF)
		*clear = false;
	return beyond >= 0;
}

static void *
Need(void *block)
{
	if (block == NULL)
		abort();
	return block;
}

/* P(support >= minsup) of probabilities.  f[s] is that of s transactions so far, f[minsup] that of as many or more. */
static Real
TailOf(const Real *q, uint32_t n, uint32_t minsup)
{
	Real	   *f;
	Real		tail;

	if (n < minsup)
		return 0;
	f = Need(calloc((size_t) minsup + 1, sizeof(Real)));
	f[0] = 1;
	for (uint32_t t = 0; t < n; t++)
	{
		uint32_t	top = t + 1 < minsup ? t + 1 : minsup;

		f[top] = (top == minsup ? f[minsup] : 0) + f[top - 1] * q[t];
		for (uint32_t s = top - 1; s > 0; s--)
			f[s] = f[s] * (1 - q[t]) + f[s - 1] * q[t];
		f[0] *= 1 - q[t];
	}
	tail = f[minsup];
	free(f);
	return tail;
}

/* The itemset's probability in a row, and whether that is above 0. */
static Real
InRow(const Uncertain *table, uint32_t mask, uint32_t row, bool *occurs)
{
	const double *p = table->p + (size_t) row * table->nitems;
	Real		q = 1;

	*occurs = true;
	for (uint32_t i = 0; i < table->nitems; i++)
		if (mask >> i & 1)
		{
			q = table->by_entry ? q * p[i] : p[i];
			*occurs = *occurs && p[i] > 0;
		}
	return *occurs ? q : 0;
}

static void
Evaluate(const Uncertain *table, uint32_t mask, uint32_t minsup, UncertainSet *set)
{
	Real	   *q = Need(calloc((size_t) table->nrows + 1, sizeof(Real)));

	for (uint32_t r = 0; r < table->nrows; r++)
	{
		bool		occurs;
		Real		in_row = InRow(table, mask, r, &occurs);

		if (!occurs)
			continue;
		q[set->occurrences++] = in_row;
		set->expected += in_row;
	}
	set->length = (uint32_t) __builtin_popcount(mask);
	set->tail = TailOf(q, set->occurrences, minsup);
	free(q);
}

UncertainSet *
UncertainMine(const Uncertain *table, uint32_t minsup)
{
	UncertainSet *sets = Need(calloc((size_t) 1 << table->nitems, sizeof(UncertainSet)));

	if (table->nitems > UNCERTAIN_ITEMS)
		abort();
	for (uint32_t mask = 1; mask >> table->nitems == 0; mask++)
		Evaluate(table, mask, minsup, &sets[mask]);
	return sets;
}

/* Do two itemsets have the same probability in every row? */
static bool
SameEverywhere(const Uncertain *table, uint32_t mask, uint32_t other)
{
	bool		occurs;

	for (uint32_t r = 0; r < table->nrows; r++)
		if (InRow(table, mask, r, &occurs) != InRow(table, other, r, &occurs))
			return false;
	return true;
}

static void
Classify(const Uncertain *table, UncertainSet *sets, uint32_t mask)
{
	UncertainSet *set = &sets[mask];

	set->closed = set->maximal = true;
	for (uint32_t i = 0; i < table->nitems; i++)
	{
		uint32_t	larger = mask | UINT32_C(1) << i;

		if (larger == mask)
			continue;
		set->maximal = set->maximal && !sets[larger].selected;
		set->closed = set->closed && !SameEverywhere(table, mask, larger);
	}
}

bool
UncertainSelect(const Uncertain *table, UncertainSet *sets, const FimProbableSpec *spec)
{
	uint32_t	required = (UINT32_C(1) << spec->nrequired) - 1;
	bool		clear = true;

	for (uint32_t mask = 1; mask >> table->nitems == 0; mask++)
		sets[mask].selected = (mask & required) == required &&
			(isnan(spec->minprob) ? Reaches(sets[mask].expected, spec->min_expected, table->nrows, &clear) :
			 Reaches(sets[mask].tail, spec->minprob, table->nrows, &clear));
	for (uint32_t mask = 1; mask >> table->nitems == 0; mask++)
		if (sets[mask].selected)
			Classify(table, sets, mask);
	return clear;
}

bool
UncertainWants(const FimProbableSpec *spec, const UncertainSet *set)
{
	return set->selected && set->length >= spec->min_length && set->length <= spec->max_length &&
		(spec->kind == FIM_ALL || (spec->kind == FIM_CLOSED ? set->closed : set->maximal));
}

void
UncertainPrint(const Uncertain *table)
{
	printf("# %s uncertainty, a row of probabilities a line, items 0 .. %u:\n",
		   table->by_entry ? "attribute" : "tuple", table->nitems - 1);
	for (uint32_t r = 0; r < table->nrows; r++)
	{
		printf("#");
		for (uint32_t i = 0; i < table->nitems; i++)
			printf(" %.17g", table->p[(size_t) r * table->nitems + i]);
		printf("\n");
	}
}

/*-------------------------------------------------------------------------
 *
 * uncertain_rows.h
 *	  Uncertain transactions as a caller has them, of which the data of a job are made.
 *
 *-------------------------------------------------------------------------
 */
#ifndef UNCERTAIN_ROWS_H
#define UNCERTAIN_ROWS_H

#include "engine/probable/probable.h"
#include "../unit/harness.h"

/* All zeros are none. */
typedef struct UncertainRows
{
	uint32_t	nrows;
	uint32_t	nitems;
	bool		by_entry;
	uint64_t   *starts;			/* [nrows + 1] */
	uint32_t   *items;			/* each at most once in a row */
	double	   *p;				/* of entries or of rows */
} UncertainRows;

/* How probabilities are drawn. */
typedef enum Shape
{
	UNIFORM,
	HALVES,
	TENTHS,
	TINY,
	NEARLY_ONE,
	ONES,						/* many of them */
	EQUAL,						/* roundings that go in one direction add up */
	EQUAL_SMALL,				/* below 1/4, so that 1 - p is rounded, too */
	MIXED,
	SHAPES
} Shape;

/* Zeros.  The program ends if there is no memory. */
extern void *Take(size_t bytes);

/*
 * Makes nrows random rows of nitems items, as far as these two and by_entry say.  All rows have the
 * first nrequired items, with probabilities above 0.
 */
extern void RandomRows(UncertainRows *of, Rng *rng, uint32_t nrequired, Shape shape);
extern void FreeRows(UncertainRows *of);

/* The data of the rows, which the caller frees with free(). */
extern FimProbableData *BuildData(const UncertainRows *of);

/* Makes of data what the CPU engine takes, in other memory. */
extern FimProbableData *PrepareForCpu(FimProbableData *data);

#endif							/* UNCERTAIN_ROWS_H */

/*-------------------------------------------------------------------------
 *
 * probabilities.h
 *	  What a source may give as probabilities, and what is said of anything else.
 *
 * Included by what reads them: arrays.c, pairs.c and regroup.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_PROBABILITIES_H
#define GPUFIM_PROBABILITIES_H

#include "compat.h"
#include "executor/tuptable.h"
#include "read/rows.h"

/* False for NaN, too. */
static inline bool
IsProbability(float8 value)
{
	return value >= 0 && value <= 1;
}

/* The row that is being read, in "slot", has a value that is no probability. */
pg_noreturn extern void RaiseNotProbability(const GpufimRows *rows, TupleTableSlot *slot,
											float8 value);

/* It has so many items and another number of probabilities. */
pg_noreturn extern void RaiseNotAsMany(const GpufimRows *rows, int nitems, int nprobabilities);

/*
 * An item is in a transaction with two probabilities.  The slot is NULL if the row
 * that is being read may be another one.
 */
pg_noreturn extern void RaiseTwoProbabilities(const GpufimRows *rows, TupleTableSlot *slot,
											  uint32 item, float8 one, float8 other);

#endif							/* GPUFIM_PROBABILITIES_H */

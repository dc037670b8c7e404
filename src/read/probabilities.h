/*-------------------------------------------------------------------------
 *
 * probabilities.h
 *	  What a source may give as probabilities, and the errors about anything else.
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

/* Raises an error: a value of the row that is being read, in "slot", is no probability. */
pg_noreturn extern void RaiseNotProbability(const GpufimRows *rows, TupleTableSlot *slot,
											float8 value);

/* Raises an error: the row that is being read has not as many probabilities as items. */
pg_noreturn extern void RaiseNotAsMany(const GpufimRows *rows, int nitems, int nprobabilities);

/*
 * Raises an error: an item is in one transaction with two probabilities.  The slot has the
 * row to show, or is NULL if the item may have come in another row than the one that is
 * being read.
 */
pg_noreturn extern void RaiseTwoProbabilities(const GpufimRows *rows, TupleTableSlot *slot,
											  uint32 item, float8 one, float8 other);

#endif							/* GPUFIM_PROBABILITIES_H */

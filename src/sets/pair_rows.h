/*-------------------------------------------------------------------------
 *
 * pair_rows.h
 *	  Turning pairs of values into rows of the SQL function's result.
 *
 * Included by product_call.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_SETS_PAIR_ROWS_H
#define GPUFIM_SETS_PAIR_ROWS_H

#include "postgres.h"

#include "fmgr.h"
#include "sets/encode.h"

/*
 * A sink for batches of pairs, which puts them into the function's tuplestore.  Its
 * functions may raise errors.  The result's first two columns are the values, in their own
 * type or as text.  The job must live as long.  The memory counts in the ledger; it is the
 * current memory context's.
 *
 * Frequencies are parts of so many transactions.  "right" is NULL if one relation is both.
 */
extern FimSink *PairRowsCreate(FunctionCallInfo fcinfo, const FimSetsJob *job, MemoryLedger *ledger,
							   const KeptValues *left, const KeptValues *right,
							   uint64 transactions);

/* When all pairs have been written. */
extern void PairRowsEnd(FimSink *sink);

/*
 * Could so many pairs take more files than temp_file_limit allows?  Raise an error if so many
 * pairs certainly do.
 */
extern bool PairRowsMayFillFiles(const FimSink *sink, double most_pairs);
extern void PairRowsCheckFiles(const FimSink *sink, uint64 pairs);

#endif							/* GPUFIM_SETS_PAIR_ROWS_H */

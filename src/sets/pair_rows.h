/*-------------------------------------------------------------------------
 *
 * pair_rows.h
 *	  Turning pairs of values into rows of the SQL function's result.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_SETS_PAIR_ROWS_H
#define GPUFIM_SETS_PAIR_ROWS_H

#include "postgres.h"

#include "fmgr.h"
#include "sets/encode.h"

/*
 * A sink for batches of pairs, which puts them into the function's tuplestore.  Its functions may
 * raise errors.  The result's first two columns are the values, in their own type or as text.
 * The memory counts in the ledger; it is allocated below the current memory context.
 *
 * "transactions" is the number that frequencies are fractions of.  "right" is NULL if one
 * relation is both sides.
 */
extern FimSink *PairRowsCreate(FunctionCallInfo fcinfo, const FimSetsJob *job, MemoryLedger *ledger,
							   const KeptValues *left, const KeptValues *right,
							   uint64 transactions);

/* To be called when all pairs have been written.  Hands them to the scan of pair_scan.h, if there is one. */
extern void PairRowsEnd(FimSink *sink);

/*
 * PairRowsMayFillFiles() tells whether most_pairs pairs would take more space in files than
 * temp_file_limit allows.  PairRowsCheckFiles() raises an error if "pairs" pairs would.
 */
extern bool PairRowsMayFillFiles(const FimSink *sink, double most_pairs);
extern void PairRowsCheckFiles(const FimSink *sink, uint64 pairs);

#endif							/* GPUFIM_SETS_PAIR_ROWS_H */

/*-------------------------------------------------------------------------
 *
 * pair_scan.h
 *	  A scan of the pairs that a function in FROM finds.
 *
 * PostgreSQL writes the rows of a function in FROM to a tuplestore and reads them from it, which
 * takes several times as long as finding pairs.  In its place, this node keeps the engine's
 * batches, and makes a row of a pair only when it is asked for the row.  It also knows which columns
 * the query refers to, and so what need not be found out.
 *
 * Included by pair_path.c, which has it planned, product_call.c, which asks it what is wanted, and
 * pair_rows.c, whose batches it reads.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_SETS_PAIR_SCAN_H
#define GPUFIM_SETS_PAIR_SCAN_H

#include "postgres.h"

#include "fmgr.h"
#include "nodes/extensible.h"
#include "sets/pair_reader.h"

/*
 * The plan node's custom_exprs have the call, and custom_scan_tlist all columns of its result, or none
 * if the query refers to none of them.
 */
extern const CustomScanMethods PairScanMethods;

/*
 * Is a function's result asked for by a scan that refers to none of its columns, and so wants nothing
 * but the number of pairs?  Then PairScanTakeCount() must be called with it.
 */
extern bool PairScanCounts(FunctionCallInfo fcinfo);
extern void PairScanTakeCount(FunctionCallInfo fcinfo, uint64 pairs);

/* Might a column of the result be looked at, counted from 0?  False only if a scan knows better. */
extern bool PairColumnIsWanted(FunctionCallInfo fcinfo, int column);

/*
 * Is the function called by a scan that wants rows?  Then its tuplestore takes batches, as rows with these
 * columns, and PairScanTake() must be called when it has all of them.  That copies the
 * reader and takes the memory context over, which is to have what the reader points to.
 */
extern bool IsPairScan(FunctionCallInfo fcinfo);
extern TupleDesc PairBatchDesc(void);
extern void PairScanTake(FunctionCallInfo fcinfo, const PairReader *reader, MemoryContext memory);

#endif							/* GPUFIM_SETS_PAIR_SCAN_H */

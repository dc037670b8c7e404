/*-------------------------------------------------------------------------
 *
 * pair_scan.h
 *	  A scan of the pairs that a function in FROM finds.
 *
 * PostgreSQL writes the rows of a function in FROM to a tuplestore and reads them from it, which
 * takes several times as long as finding pairs.  In place of that, this node keeps the engine's
 * batches, and makes a row of a pair only when the row is asked for.  It also knows which columns
 * the query refers to, so that the function need not compute the others.
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
 * The methods of the plan node.  Its custom_exprs have the call, and its custom_scan_tlist has
 * all columns of the call's result, or none if the query refers to none of them.
 */
extern const CustomScanMethods PairScanMethods;

/*
 * Is the function called by a scan that refers to none of its columns, and so needs only the
 * number of pairs?  Then the function must call PairScanTakeCount() with that number.
 */
extern bool PairScanCounts(FunctionCallInfo fcinfo);
extern void PairScanTakeCount(FunctionCallInfo fcinfo, uint64 pairs);

/*
 * Might the query refer to a column of the result, counted from 0?  False only if the function is
 * called by a scan that knows that it does not.
 */
extern bool PairColumnIsWanted(FunctionCallInfo fcinfo, int column);

/*
 * Is the function called by a scan of this kind?  Then, unless PairScanCounts(), the function
 * puts batches into its tuplestore, as rows with the columns of PairBatchDesc(), and calls
 * PairScanTake() when it has put all of them.  That copies the reader and takes over the memory
 * context, in which all that the reader points to must lie.
 */
extern bool IsPairScan(FunctionCallInfo fcinfo);
extern TupleDesc PairBatchDesc(void);
extern void PairScanTake(FunctionCallInfo fcinfo, const PairReader *reader, MemoryContext memory);

#endif							/* GPUFIM_SETS_PAIR_SCAN_H */

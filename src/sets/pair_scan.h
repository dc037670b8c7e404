/*-------------------------------------------------------------------------
 *
 * pair_scan.h
 *	  A scan of the pairs that a function in FROM finds.
 *
 * PostgreSQL writes the rows of a function in FROM to a tuplestore and reads them from it, which
 * takes several times as long as finding pairs.  In its place, this node keeps the engine's
 * batches, and makes a row of a pair only when it is asked for the row.
 *
 * Included by pair_path.c, which has it planned, and pair_rows.c, whose batches it reads.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_SETS_PAIR_SCAN_H
#define GPUFIM_SETS_PAIR_SCAN_H

#include "postgres.h"

#include "fmgr.h"
#include "nodes/extensible.h"
#include "sets/pair_reader.h"

/* The plan node's custom_exprs have the call, and custom_scan_tlist all columns of its result. */
extern const CustomScanMethods PairScanMethods;

/*
 * Is the function called by such a scan?  Then its tuplestore takes batches, as rows with these
 * columns, and PairScanTake() must be called when it has all of them.  That copies the
 * reader and takes the memory context over, which is to have what the reader points to.
 */
extern bool IsPairScan(FunctionCallInfo fcinfo);
extern TupleDesc PairBatchDesc(void);
extern void PairScanTake(FunctionCallInfo fcinfo, const PairReader *reader, MemoryContext memory);

#endif							/* GPUFIM_SETS_PAIR_SCAN_H */

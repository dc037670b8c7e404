/*-------------------------------------------------------------------------
 *
 * result_rows.h
 *	  Turning probable itemsets into rows of the SQL function's result.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_PROBABLE_RESULT_ROWS_H
#define GPUFIM_PROBABLE_RESULT_ROWS_H

#include "postgres.h"

#include "fmgr.h"
#include "itemset_rows.h"

/*
 * A sink for batches of probable itemsets, which puts them into the function's tuplestore.  Its
 * functions may raise errors.  Its memory counts as itemset_rows.h says.
 */
extern ItemsetRows *ProbableRowsCreate(FunctionCallInfo fcinfo, MemoryLedger *ledger,
									   const GpufimItems *items);

#endif							/* GPUFIM_PROBABLE_RESULT_ROWS_H */

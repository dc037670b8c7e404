/*-------------------------------------------------------------------------
 *
 * itemsets.h
 *	  Frequent itemsets: the data that the engine mines, and the rows that its results become.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_ITEMSETS_H
#define GPUFIM_ITEMSETS_H

#include "postgres.h"

#include "engine/itemsets/itemsets.h"
#include "fmgr.h"
#include "items.h"
#include "work/work.h"

/*
 * encode.c: From encoded rows to the database that the engine mines.
 */

/*
 * Take a small sample of the records that hold the required items; "kept" is the number of all
 * these records.  The sample's memory comes from the host and is freed by FimRowSampleEnd().
 */
extern void SampleRows(FimRowSample *sample, GpufimRows *rows, const GpufimItems *items,
					   uint64 kept, FimHost *host);

/* The least time that each engine takes to mine these items' transactions. */
extern EngineCost ItemsetsCost(const GpufimItems *items);

/*
 * Build the job's database of all transactions that hold the required items, in a second pass
 * over the rows.  Frees the rows and their ledger.  The database belongs to the job.
 */
extern const FimDatabase *BuildDatabase(struct Job *job, GpufimRows *rows,
										const GpufimItems *items);

/*
 * result_rows.c: Turning itemsets and counts into rows of the SQL function's result.
 */

/*
 * A sink for batches of itemsets, which puts them into the function's tuplestore.  Its
 * functions may raise errors.  Its memory counts in the ledger until FrequentRowsUseJob(), and from
 * then on as the job's, so that the ledger may be destroyed.
 */
typedef struct FrequentRows FrequentRows;

extern FrequentRows *FrequentRowsCreate(FunctionCallInfo fcinfo, MemoryLedger *ledger,
									const GpufimItems *items, int64 transactions);
extern void FrequentRowsUseJob(FrequentRows *frequent, struct Job *job);
extern FimSink *FrequentRowsSink(FrequentRows *frequent);

/* Put out one row for every length at which there are itemsets. */
extern void EmitCounts(FunctionCallInfo fcinfo, const FimTally *tally);

#endif							/* GPUFIM_ITEMSETS_H */

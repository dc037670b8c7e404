/*-------------------------------------------------------------------------
 *
 * encode.h
 *	  From encoded rows to the database that the engine mines.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_ENCODE_H
#define GPUFIM_ENCODE_H

#include "engine/itemsets/itemsets.h"
#include "engine/itemsets/row_sample.h"
#include "items.h"
#include "miscadmin.h"
#include "work/job.h"

/*
 * Whether many rows will be equal once their infrequent items are gone.
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

#endif							/* GPUFIM_ENCODE_H */

/*-------------------------------------------------------------------------
 *
 * encode.h
 *	  From encoded rows to the database that the engine mines.
 *
 * Included by frequent_itemsets.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_ENCODE_H
#define GPUFIM_ENCODE_H

#include "engine/itemsets/itemsets.h"
#include "items.h"
#include "work/job.h"

/* The least that mining these items' transactions takes each engine. */
extern EngineCost ItemsetsCost(const GpufimItems *items);

/*
 * Estimates of what the database takes, a RowLayout's data_bytes(): alone, and with what
 * workers share to mine maximal itemsets of it.
 */
extern double DatabaseBytes(const RowLayout *layout, double rows, double entries, double nitems);
extern double MaximalBytes(const RowLayout *layout, double rows, double entries, double nitems);

/* What closed itemsets take beside, a RowLayout's class_bytes(). */
extern double ClosedClassBytes(double records, double nitems, double entries);

/*
 * Build the job's database of all transactions that hold the required items, in a second
 * pass over the rows.  The rows are gone after this, and so is their ledger.  The database is the job's.
 */
extern const FimDatabase *BuildDatabase(struct Job *job, GpufimRows *rows,
										const GpufimItems *items);

#endif							/* GPUFIM_ENCODE_H */

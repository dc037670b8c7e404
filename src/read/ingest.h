/*-------------------------------------------------------------------------
 *
 * ingest.h
 *	  Reading the rows of a source and encoding them as they arrive.
 *
 * Included by the SQL functions of families.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_INGEST_H
#define GPUFIM_INGEST_H

#include "read/receiver.h"
#include "read/source.h"

/*
 * Execute the source's plan and encode its rows.  Items are numbered in a
 * dictionary, the rows' own, and so are transactions if the layout is grouped, in one that
 * is gone when all have been read.  A NULL array, transaction id, value or probability is a
 * row that is not there.  A NULL item is left out, and so is one whose probability in
 * an array is NULL.
 *
 * Layouts that can be read: records of an array's or of a transaction's items, each
 * once; the same with a probability behind each item, or before the items of an array;
 * and records of a row's item with its value.
 *
 * Where a probability is 0, the item does not count, or no item of the row does.  An
 * entry may say so; a record that would say so is not there.
 */
extern GpufimRows *IngestSource(GpufimSource *source, const RowLayout *layout,
								MemoryLedger *ledger);

/*
 * Execute the source's plan and have each of its rows received.  The receiver knows the
 * rows that they become; what SPI wants to know of it is set here.
 */
typedef bool (*ReceiveFunction) (TupleTableSlot *slot, DestReceiver *self);

extern void IngestInto(GpufimSource *source, IngestReceiver *receiver, ReceiveFunction receive);

#endif							/* GPUFIM_INGEST_H */

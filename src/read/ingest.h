/*-------------------------------------------------------------------------
 *
 * ingest.h
 *	  Reading the rows of a source and encoding them as they arrive.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_INGEST_H
#define GPUFIM_INGEST_H

#include "read/receiver.h"
#include "read/source.h"

/*
 * Execute the source's plan and encode its rows.  Items are numbered in a dictionary that
 * belongs to the rows.  If the layout is grouped, transactions are numbered, too, in a
 * dictionary that is freed when all rows have been read.
 *
 * A row is skipped if its array, transaction id, value or probability is NULL.  A NULL item
 * is left out, and so is an item whose probability in an array is NULL.
 *
 * Records of these forms can be read:
 *
 *		the items of an array or of a transaction, each once
 *		the same, with a probability behind each item
 *		the items of an array, each once, with a probability before them
 *		the item of a row, with its value
 *
 * An item whose probability is 0 does not count, though it may have an entry.  A row whose
 * one probability for all its items is 0 has no record.
 */
extern GpufimRows *IngestSource(GpufimSource *source, const RowLayout *layout,
								MemoryLedger *ledger);

/*
 * Execute the source's plan and call receive() for each of its rows.  The caller has set
 * the receiver up except for its DestReceiver, which is done here.
 */
typedef bool (*ReceiveFunction) (TupleTableSlot *slot, DestReceiver *self);

extern void IngestInto(GpufimSource *source, IngestReceiver *receiver, ReceiveFunction receive);

#endif							/* GPUFIM_INGEST_H */

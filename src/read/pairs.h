/*-------------------------------------------------------------------------
 *
 * pairs.h
 *	  Reading the pair form: a row is an item of a transaction.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_PAIRS_H
#define GPUFIM_PAIRS_H

#include "read/receiver.h"

/* A row is a transaction's id and an item; or those, and the item's probability. */
extern bool ReceivePair(TupleTableSlot *slot, DestReceiver *self);
extern bool ReceiveUncertainPair(TupleTableSlot *slot, DestReceiver *self);

/* To be called when all rows have arrived. */
extern void FinishPairs(IngestReceiver *receiver);

#endif							/* GPUFIM_PAIRS_H */

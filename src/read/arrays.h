/*-------------------------------------------------------------------------
 *
 * arrays.h
 *	  Reading the array form: a row is a transaction.
 *
 * Included by ingest.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_ARRAYS_H
#define GPUFIM_ARRAYS_H

#include "read/receiver.h"

/* A row is an array of items. */
extern bool ReceiveArray(TupleTableSlot *slot, DestReceiver *self);

/* An array of items, and the probability that the transaction is there. */
extern bool ReceiveUncertainArray(TupleTableSlot *slot, DestReceiver *self);

/* An array of items, and one of the probabilities that they are in the transaction. */
extern bool ReceiveArrayOfUncertain(TupleTableSlot *slot, DestReceiver *self);

#endif							/* GPUFIM_ARRAYS_H */

/*-------------------------------------------------------------------------
 *
 * arrays.h
 *	  Reading the array form: a row is a transaction.
 *
 * Included by ingest.c, and by families that receive rows of their own.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_ARRAYS_H
#define GPUFIM_ARRAYS_H

#include "read/receiver.h"
#include "utils/array.h"

/* A row is an array of items. */
extern bool ReceiveArray(TupleTableSlot *slot, DestReceiver *self);

/* An array of items, and the probability that the transaction is there. */
extern bool ReceiveUncertainArray(TupleTableSlot *slot, DestReceiver *self);

/* An array of items, and one of the probabilities that they are in the transaction. */
extern bool ReceiveArrayOfUncertain(TupleTableSlot *slot, DestReceiver *self);

/*
 * A Datum's array, aligned and in one piece: in place, in the buffer, or in the ledger's
 * scratch context.
 */
extern ArrayType *AlignedArray(IngestReceiver *receiver, AlignedArrayBuffer *buffer, Datum value);
extern uint32 CountElements(const ArrayType *array);

/* The numbers of all elements in the dictionary, ids[nelements], DICTIONARY_NONE for NULLs. */
extern void FindArray(Dictionary *items, ArrayType *array, uint32 nelements, uint32 *ids);

#endif							/* GPUFIM_ARRAYS_H */

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

#include "compat.h"
#include "read/receiver.h"
#include "utils/array.h"

/* A row is an array of items. */
extern bool ReceiveArray(TupleTableSlot *slot, DestReceiver *self);

/* An array of items, and the probability that the transaction is there. */
extern bool ReceiveUncertainArray(TupleTableSlot *slot, DestReceiver *self);

/* An array of items, and one of the probabilities that they are in the transaction. */
extern bool ReceiveArrayOfUncertain(TupleTableSlot *slot, DestReceiver *self);

/* A Datum's array in the ledger's scratch context. */
extern ArrayType *DetoastedArray(IngestReceiver *receiver, Datum value);

/*
 * A Datum's array, aligned and in one piece.  A short array, which a table holds with a header
 * of one byte, is copied to the buffer, which takes no allocation.
 */
static inline ArrayType *
AlignedArray(IngestReceiver *receiver, AlignedArrayBuffer *buffer, Datum value)
{
	const struct varlena *pointer = (const struct varlena *) DatumGetPointer(value);

	if (VARATT_IS_SHORT(pointer) && !VARATT_IS_EXTERNAL(pointer))
	{
		Size		length = VARSIZE_SHORT(pointer) - VARHDRSZ_SHORT;

		SET_VARSIZE(buffer->bytes, length + VARHDRSZ);
		memcpy(buffer->bytes + VARHDRSZ, VARDATA_SHORT(pointer), length);
		return (ArrayType *) buffer->bytes;
	}
	if (!VARATT_IS_EXTENDED(pointer))
		return (ArrayType *) DatumGetPointer(value);
	return DetoastedArray(receiver, value);
}

static inline uint32
CountElements(const ArrayType *array)
{
	return ARR_NDIM(array) == 1 ? ARR_DIMS(array)[0] :
		ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
}

/* The numbers of all elements in the dictionary, ids[nelements], DICTIONARY_NONE for NULLs. */
extern void FindArray(Dictionary *items, ArrayType *array, uint32 nelements, uint32 *ids);

#endif							/* GPUFIM_ARRAYS_H */

/*-------------------------------------------------------------------------
 *
 * arrays.h
 *	  Reading the array form: a row is a transaction.
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

/* A row is an array of items, and the probability that the transaction is there. */
extern bool ReceiveUncertainArray(TupleTableSlot *slot, DestReceiver *self);

/* A row is an array of items, and an array of as many probabilities, one for each item. */
extern bool ReceiveArrayOfUncertain(TupleTableSlot *slot, DestReceiver *self);

/* Detoasts an array into the ledger's scratch context. */
extern ArrayType *DetoastedArray(IngestReceiver *receiver, Datum value);

/*
 * Returns a Datum's array, detoasted and aligned.  A short array, which a table holds with a
 * header of one byte, is copied to the buffer, so that nothing has to be allocated for it.
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

/*
 * Looks all elements of an array up in the dictionary, adding those that are new, and sets
 * ids[0 .. nelements-1] to their ids.  The id of a NULL is DICTIONARY_NONE.
 */
extern void FindArray(Dictionary *items, ArrayType *array, uint32 nelements, uint32 *ids);

#endif							/* GPUFIM_ARRAYS_H */

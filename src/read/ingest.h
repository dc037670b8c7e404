/*-------------------------------------------------------------------------
 *
 * ingest.h
 *	  Reading the rows of a source and encoding them as they arrive.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_INGEST_H
#define GPUFIM_INGEST_H

#include "compat.h"
#include "engine/engine.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "postgres.h"
#include "read/numeric.h"
#include "read/rows.h"
#include "read/source.h"
#include "tcop/dest.h"
#include "utils/array.h"
#include "utils/memutils.h"

/*
 * What takes a source's rows as they arrive, and what all ways of reading share.
 */

/* The figures of the call are updated after every REPORT_ROWS rows. */
#define REPORT_ROWS				1024

/* Number of pairs that are looked up together. */
#define WAITING_PAIRS			64

typedef struct WaitingPair
{
	int64		tid;
	int64		item_value;		/* the item, if it is an integer not looked up yet */
	float8		value;			/* what goes with the item, if values are read */
	uint32		item;			/* WAITING_ITEM if item_value is to be looked up, otherwise
								 * the item's id, or DICTIONARY_NONE for NULL */
} WaitingPair;

/* Where a short array is copied to, so that it is aligned. */
typedef union AlignedArrayBuffer
{
	int64		force_alignment;
	char		bytes[VARATT_SHORT_MAX + VARHDRSZ];
} AlignedArrayBuffer;

typedef struct IngestReceiver
{
	DestReceiver pub;
	GpufimRows *rows;
	Dictionary *tids;			/* NULL unless rows are grouped by a column */
	NumberFormat number_format; /* of probabilities */

	/* array form: for AlignedArray(), of the items and of their probabilities */
	AlignedArrayBuffer aligned[2];

	/*
	 * Pair form with integers as transaction ids: pairs wait here for a moment, while
	 * what the dictionaries need to look them up is fetched into the cache.
	 */
	WaitingPair waiting[WAITING_PAIRS];
	uint32		nwaiting;

	/*
	 * Pair form: the transaction that is arriving (DICTIONARY_NONE: none yet), and its
	 * ncurrent entries, with each item once.
	 */
	uint32		tid;
	uint32	   *current;
	uint32		ncurrent;
	uint32		max_current;	/* in words */
} IngestReceiver;

/* Let the figures of the call show how much has been read. */
extern void ReportRows(const IngestReceiver *receiver);

static inline void
CountRow(IngestReceiver *receiver)
{
	if (++receiver->rows->rows_read % REPORT_ROWS == 0)
		ReportRows(receiver);
}

/* Frees what handling a row has left in memory, which for many types is nothing. */
static inline void
ForgetRow(GpufimRows *rows)
{
	if (!rows->ledger->scratch->isReset)
		MemoryContextReset(rows->ledger->scratch);
}

static inline uint32
LookupItem(Dictionary *items, Datum value)
{
	if (items->kind == DICTIONARY_INTEGER)
		return DictionaryInteger(items, DatumInteger(items, value));
	return DictionaryLookup(items, value, true);
}

/*
 * Reading the array form: a row is a transaction.
 */

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

/*-------------------------------------------------------------------------
 *
 * receiver.h
 *	  What takes a source's rows as they arrive, and what all ways of reading share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_RECEIVER_H
#define GPUFIM_RECEIVER_H

#include "postgres.h"

#include "engine/engine.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "read/numeric.h"
#include "read/rows.h"
#include "read/source.h"
#include "tcop/dest.h"
#include "utils/memutils.h"

/* The figures of the call are updated after every REPORT_ROWS rows. */
#define REPORT_ROWS				1024

/*
 * A dictionary of more items than this does not stay in the cache.  What it needs to look
 * items up is fetched for many elements of an array, or for many waiting pairs, at once.
 */
#define CACHED_ITEMS			16384

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

#define WAITING_ITEM			(DICTIONARY_NONE - 1)

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

extern void RaiseTooManyTransactions(void);

static inline void
CountRow(IngestReceiver *receiver)
{
	ReadingGrowth *growth = &receiver->rows->growth;

	if (++growth->rows >= growth->next_mark)
		GrowthSetMark(growth, receiver->rows->items);
	if (growth->rows % REPORT_ROWS == 0)
		ReportRows(receiver);
}

/* Counts a row that is a transaction of its own. */
static inline void
CountTransaction(GpufimRows *rows)
{
	if (unlikely(rows->transactions == FIM_MAX_TRANSACTIONS - 1))
		RaiseTooManyTransactions();
	rows->transactions++;
}

/* Frees what handling a row has left in memory, which for many types is nothing. */
static inline void
ForgetRow(GpufimRows *rows)
{
	if (!rows->ledger->scratch->isReset)
		MemoryContextReset(rows->ledger->scratch);
}

/* Reads a probability, which the query gives as a numeric or as a float8. */
static inline float8
ReceivedNumber(const IngestReceiver *receiver, Datum value)
{
	if (receiver->number_format == NUMBER_NUMERIC)
		return NumericToFloat8(value, receiver->rows);
	return DatumGetFloat8(value);
}

static inline uint32
LookupItem(Dictionary *items, Datum value)
{
	if (items->kind == DICTIONARY_INTEGER)
		return DictionaryInteger(items, DatumInteger(items, value));
	return DictionaryLookup(items, value, true);
}

#endif							/* GPUFIM_RECEIVER_H */

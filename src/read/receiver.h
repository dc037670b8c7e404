/*-------------------------------------------------------------------------
 *
 * receiver.h
 *	  What takes a source's rows as they arrive, and what all ways of reading share.
 *
 * Included by the files that receive rows: ingest.c, arrays.h and pairs.h.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_RECEIVER_H
#define GPUFIM_RECEIVER_H

#include "postgres.h"

#include "engine/engine.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "read/rows.h"
#include "tcop/dest.h"
#include "utils/memutils.h"

/* How often the figures of the run are updated, and interrupts looked at. */
#define REPORT_ROWS				1024

/*
 * With more items than this, what a dictionary needs to look some up is fetched
 * for a group of elements, or of waiting pairs, at once.
 */
#define CACHED_ITEMS			16384

#define WAITING_PAIRS			64

typedef struct WaitingPair
{
	int64		tid;
	int64		item_value;		/* an integer, if item is WAITING_ITEM */
	float8		value;			/* that goes with the item, if values are read */
	uint32		item;			/* or its id, or DICTIONARY_NONE for NULL */
} WaitingPair;

#define WAITING_ITEM			(DICTIONARY_NONE - 1)

/* A short array, copied to where it is aligned. */
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

	/* array form: of the items, and of what goes with them */
	AlignedArrayBuffer aligned[2];
	bool		float4;			/* arrays of probabilities are of this type, not float8 */

	/*
	 * Pair form, integer transaction ids: pairs wait here for a moment, while
	 * what the dictionaries need to look them up is fetched.
	 */
	WaitingPair waiting[WAITING_PAIRS];
	uint32		nwaiting;

	/* pair form: the transaction that is arriving and its entries, an item once */
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

/* Counts a row that is a transaction, or part of none. */
static inline void
CountTransaction(GpufimRows *rows)
{
	if (unlikely(rows->transactions == FIM_MAX_TRANSACTIONS - 1))
		RaiseTooManyTransactions();
	rows->transactions++;
}

/* Frees what handling a row has left, which is nothing with short integers. */
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

#endif							/* GPUFIM_RECEIVER_H */

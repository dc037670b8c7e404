/*-------------------------------------------------------------------------
 *
 * pairs.c
 *	  Reading the pair form: a row is an item of a transaction.
 *
 * The pairs may come in any order.  As long as those of each transaction come together,
 * a transaction is encoded when the next one begins.  From the first pair on that belongs
 * to an earlier transaction, all pairs go to streams instead, one for every 65536
 * transactions.  When everything has been read, so that the threshold is known and
 * infrequent items can be left out, regroup.c turns the streams into records.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "read/entries.h"
#include "read/pairs.h"
#include "read/probabilities.h"

/* Writes the record of the transaction that was arriving. */
static void
FlushCurrent(IngestReceiver *receiver)
{
	GpufimRows *rows = receiver->rows;
	uint32	   *record;
	uint32	   *entries;

	if (receiver->tid == DICTIONARY_NONE || rows->scattered)
		return;
	record = RecordReserve(rows, receiver->ncurrent, &entries);
	memcpy(entries, receiver->current,
		   receiver->ncurrent * EntryWords(&rows->layout) * sizeof(uint32));
	RecordAdvance(rows, record, receiver->ncurrent);
	rows->nrecords++;
	receiver->ncurrent = 0;
}

/*
 * Another transaction's pairs arrive.  If it is one that was there before, pairs are
 * scattered from now on.
 */
static void
SwitchTransaction(IngestReceiver *receiver, uint32 tid, bool is_new)
{
	FlushCurrent(receiver);
	if (!is_new)
		receiver->rows->scattered = true;
	receiver->tid = tid;
}

static void
GrowCurrent(IngestReceiver *receiver)
{
	Size		old_size = receiver->max_current * sizeof(uint32);
	Size		size = Max(4096, 2 * old_size);

	receiver->current = LedgerGrow(receiver->rows->ledger, receiver->current, old_size,
								   size, "the items of a transaction");
	receiver->max_current = size / sizeof(uint32);
}

static inline void
AddToCurrent(IngestReceiver *receiver, uint32 item, float8 value)
{
	GpufimRows *rows = receiver->rows;
	uint32		words = EntryWords(&rows->layout);
	uint32		appended;

	if ((receiver->ncurrent + 1) * words > receiver->max_current)
		GrowCurrent(receiver);
	if (words == 1)
	{
		receiver->ncurrent = AppendItem(rows->items, item, receiver->tid + 1,
										receiver->current, receiver->ncurrent);
		return;
	}
	appended = AppendValued(rows->items, item, value, receiver->current, receiver->ncurrent);
	if (appended == ENTRIES_CONFLICT)
		RaiseTwoProbabilities(rows, NULL, item,
							  ValueInRecord(rows->items, item, receiver->current), value);
	receiver->ncurrent = appended;
}

/* Makes room for the stream of a transaction. */
static void
GrowPending(GpufimRows *rows, uint32 stream)
{
	uint32		npending = Max(64, 2 * rows->npending);

	npending = Max(npending, stream + 1);
	rows->pending = LedgerGrow(rows->ledger, rows->pending,
							   rows->npending * sizeof(PendingPairs),
							   npending * sizeof(PendingPairs), "encoded rows");
	memset(rows->pending + rows->npending, 0,
		   (npending - rows->npending) * sizeof(PendingPairs));
	rows->npending = npending;
}

/* Appends a pair to its stream.  If it comes several times, its item's count is too high. */
static void
AddPending(GpufimRows *rows, uint32 tid, uint32 item, float8 value)
{
	uint32		stream = tid >> PENDING_BITS;
	uint32		mark = PENDING_MARK | (tid & (PENDING_TRANSACTIONS - 1));
	uint32		entry_words = EntryWords(&rows->layout);
	PendingPairs *pending;
	uint32	   *words;

	if (stream >= rows->npending)
		GrowPending(rows, stream);
	pending = &rows->pending[stream];
	words = ChunkReserve(rows, &pending->stream, 1 + entry_words);
	if (pending->last_mark != mark)
	{
		*words++ = mark;
		ChunkAdvance(&pending->stream, 1);
		pending->last_mark = mark;
	}
	words[0] = item;
	if (entry_words > 1)
		SetEntry(words, 0, item, value);
	ChunkAdvance(&pending->stream, entry_words);
	if (value != 0 && rows->items->entries[item].count < UINT32_MAX)
		rows->items->entries[item].count++;
}

/*
 * Adds a pair.  The item is DICTIONARY_NONE if it is NULL, and the value is 1 if values
 * are not read.
 */
static inline void
AddPair(IngestReceiver *receiver, uint32 tid, bool is_new, uint32 item, float8 value)
{
	if (tid != receiver->tid)
		SwitchTransaction(receiver, tid, is_new);
	if (item == DICTIONARY_NONE)
		return;
	if (receiver->rows->scattered)
		AddPending(receiver->rows, tid, item, value);
	else
		AddToCurrent(receiver, item, value);
}

static void
AddWaitingPairs(IngestReceiver *receiver)
{
	Dictionary *items = receiver->rows->items;
	Dictionary *tids = receiver->tids;

	for (uint32 i = 0; i < receiver->nwaiting; i++)
	{
		WaitingPair *pair = &receiver->waiting[i];

		if (pair->item == WAITING_ITEM)
		{
			pair->item = DictionaryInteger(items, pair->item_value);
			DictionaryPrefetchEntry(items, pair->item);
		}
	}
	for (uint32 i = 0; i < receiver->nwaiting; i++)
	{
		const WaitingPair *pair = &receiver->waiting[i];
		uint32		ntids = tids->n;
		uint32		tid = DictionaryInteger(tids, pair->tid);

		AddPair(receiver, tid, tid == ntids, pair->item, pair->value);
	}
	receiver->nwaiting = 0;
}

/* Lets a pair whose transaction id is an integer wait, until there are many. */
static inline void
LetPairWait(IngestReceiver *receiver, int64 tid, Datum item, bool isnull, float8 value)
{
	GpufimRows *rows = receiver->rows;
	WaitingPair *pair = &receiver->waiting[receiver->nwaiting];

	pair->tid = tid;
	pair->value = value;
	DictionaryPrefetch(receiver->tids, tid);
	if (isnull)
		pair->item = DICTIONARY_NONE;
	else if (rows->items->kind == DICTIONARY_INTEGER && rows->items->n > CACHED_ITEMS)
	{
		pair->item = WAITING_ITEM;
		pair->item_value = DatumInteger(rows->items, item);
		DictionaryPrefetch(rows->items, pair->item_value);
	}
	else
		pair->item = LookupItem(rows->items, item);
	if (++receiver->nwaiting == WAITING_PAIRS)
		AddWaitingPairs(receiver);
}

/* Takes the pair that is in the slot. */
static inline void
TakePair(IngestReceiver *receiver, TupleTableSlot *slot, float8 value)
{
	GpufimRows *rows = receiver->rows;
	Dictionary *tids = receiver->tids;

	if (tids->kind == DICTIONARY_INTEGER)
		LetPairWait(receiver, DatumInteger(tids, slot->tts_values[0]),
					slot->tts_values[1], slot->tts_isnull[1], value);
	else
	{
		uint32		ntids = tids->n;
		uint32		tid = DictionaryLookup(tids, slot->tts_values[0], true);
		uint32		item = DICTIONARY_NONE;

		if (!slot->tts_isnull[1])
			item = LookupItem(rows->items, slot->tts_values[1]);
		AddPair(receiver, tid, tid == ntids, item, value);
	}
	ForgetRow(rows);
}

bool
ReceivePair(TupleTableSlot *slot, DestReceiver *self)
{
	IngestReceiver *receiver = (IngestReceiver *) self;

	CountRow(receiver);
	slot_getsomeattrs(slot, 2);
	if (!slot->tts_isnull[0])
		TakePair(receiver, slot, 1);
	return true;
}

bool
ReceiveUncertainPair(TupleTableSlot *slot, DestReceiver *self)
{
	IngestReceiver *receiver = (IngestReceiver *) self;
	float8		value;

	CountRow(receiver);
	slot_getsomeattrs(slot, 3);
	if (slot->tts_isnull[0] || slot->tts_isnull[2])
		return true;
	value = ReceivedNumber(receiver, slot->tts_values[2]);
	if (!IsProbability(value))
		RaiseNotProbability(receiver->rows, slot, value);
	TakePair(receiver, slot, value);
	return true;
}

void
FinishPairs(IngestReceiver *receiver)
{
	AddWaitingPairs(receiver);
	FlushCurrent(receiver);
	LedgerFree(receiver->rows->ledger, receiver->current,
			   receiver->max_current * sizeof(uint32));
}

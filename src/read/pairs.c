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

#include "compat.h"
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

/* Makes room in pending[] for the stream of this index. */
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

/*
 * The functions from here on are compiled twice, for pairs without and with values:
 * "valued" is a constant wherever they are called.  A test of the layout for each pair
 * made reading a few percent slower.
 */

static pg_always_inline void
AddToCurrent(IngestReceiver *receiver, uint32 item, float8 value, bool valued)
{
	GpufimRows *rows = receiver->rows;
	uint32		words = valued ? VALUED_WORDS : 1;
	uint32		appended;

	if ((receiver->ncurrent + 1) * words > receiver->max_current)
		GrowCurrent(receiver);
	if (!valued)
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

/* Appends a pair to its stream.  If it comes several times, its item's count is too high. */
static pg_always_inline void
AddPending(GpufimRows *rows, uint32 tid, uint32 item, float8 value, bool valued)
{
	uint32		stream = tid >> PENDING_BITS;
	uint32		mark = PENDING_MARK | (tid & (PENDING_TRANSACTIONS - 1));
	uint32		entry_words = valued ? VALUED_WORDS : 1;
	DictionaryEntry *entry = &rows->items->entries[item];
	PendingPairs *pending;
	uint32		marks;
	uint32	   *words;

	if (stream >= rows->npending)
		GrowPending(rows, stream);
	pending = &rows->pending[stream];
	words = ChunkReserve(rows, &pending->stream, 1 + entry_words);
	/* the mark is overwritten if it is the last one again */
	marks = pending->last_mark != mark;
	pending->last_mark = mark;
	words[0] = mark;
	if (valued)
		SetEntry(words + marks, 0, item, value);
	else
		words[marks] = item;
	ChunkAdvance(&pending->stream, marks + entry_words);
	if ((!valued || value != 0) && entry->count < UINT32_MAX)
		entry->count++;
}

/* Adds a pair.  The item is DICTIONARY_NONE if it is NULL. */
static pg_always_inline void
AddPair(IngestReceiver *receiver, uint32 tid, bool is_new, uint32 item, float8 value,
		bool valued)
{
	if (!receiver->rows->scattered && tid != receiver->tid)
		SwitchTransaction(receiver, tid, is_new);
	if (item == DICTIONARY_NONE)
		return;
	if (receiver->rows->scattered)
		AddPending(receiver->rows, tid, item, value, valued);
	else
		AddToCurrent(receiver, item, value, valued);
}

static pg_always_inline void
AddWaitingPairs(IngestReceiver *receiver, bool valued)
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

		AddPair(receiver, tid, tid == ntids, pair->item, pair->value, valued);
	}
	receiver->nwaiting = 0;
}

/* These two are called once for many rows, so they are kept out of what is called for each row. */
static pg_noinline void
AddWaitingItems(IngestReceiver *receiver)
{
	AddWaitingPairs(receiver, false);
}

static pg_noinline void
AddWaitingUncertain(IngestReceiver *receiver)
{
	AddWaitingPairs(receiver, true);
}

/* Lets a pair whose transaction id is an integer wait until there are WAITING_PAIRS of them. */
static pg_always_inline void
LetPairWait(IngestReceiver *receiver, int64 tid, Datum item, bool isnull, float8 value,
			bool valued)
{
	Dictionary *items = receiver->rows->items;
	WaitingPair *pair = &receiver->waiting[receiver->nwaiting];

	pair->tid = tid;
	if (valued)
		pair->value = value;
	DictionaryPrefetch(receiver->tids, tid);
	if (isnull)
		pair->item = DICTIONARY_NONE;
	else if (items->kind == DICTIONARY_INTEGER && items->n > CACHED_ITEMS)
	{
		pair->item = WAITING_ITEM;
		pair->item_value = DatumInteger(items, item);
		DictionaryPrefetch(items, pair->item_value);
	}
	else
		pair->item = LookupItem(items, item);
	if (++receiver->nwaiting < WAITING_PAIRS)
		return;
	if (valued)
		AddWaitingUncertain(receiver);
	else
		AddWaitingItems(receiver);
}

/* Adds the pair that is in the slot, or lets it wait. */
static pg_always_inline void
TakePair(IngestReceiver *receiver, TupleTableSlot *slot, float8 value, bool valued)
{
	GpufimRows *rows = receiver->rows;
	Dictionary *tids = receiver->tids;

	if (tids->kind == DICTIONARY_INTEGER)
		LetPairWait(receiver, DatumInteger(tids, slot->tts_values[0]),
					slot->tts_values[1], slot->tts_isnull[1], value, valued);
	else
	{
		uint32		ntids = tids->n;
		uint32		tid = DictionaryLookup(tids, slot->tts_values[0], true);
		uint32		item = DICTIONARY_NONE;

		if (!slot->tts_isnull[1])
			item = LookupItem(rows->items, slot->tts_values[1]);
		AddPair(receiver, tid, tid == ntids, item, value, valued);
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
		TakePair(receiver, slot, 0, false);
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
	TakePair(receiver, slot, value, true);
	return true;
}

void
FinishPairs(IngestReceiver *receiver)
{
	if (receiver->rows->layout.value_words > 0)
		AddWaitingUncertain(receiver);
	else
		AddWaitingItems(receiver);
	FlushCurrent(receiver);
	LedgerFree(receiver->rows->ledger, receiver->current,
			   receiver->max_current * sizeof(uint32));
}

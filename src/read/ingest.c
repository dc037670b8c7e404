/*-------------------------------------------------------------------------
 *
 * ingest.c
 *	  Reads the rows of a source and encodes them as they arrive.
 *
 * The source's plan runs to its end inside SPI_execute_plan_extended(), which hands each
 * row to a DestReceiver of ours.  So no row is kept in PostgreSQL's form, and the plan
 * may be a parallel one.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/detoast.h"
#include "compat.h"
#include "engine/engine.h"
#include "executor/tuptable.h"
#include "gpufim.h"
#include "miscadmin.h"
#include "read/read.h"
#include "read/rows.h"
#include "tcop/dest.h"
#include "utils/array.h"
#include "utils/memutils.h"

static void RaiseTooManyTransactions(void);

/*
 * What takes a source's rows as they arrive, and what all ways of reading share.
 */

/*
 * A dictionary of more items than this does not stay in the cache.  What it needs to look
 * items up is fetched for many elements of an array, or for many waiting pairs, at once.
 */
#define CACHED_ITEMS			16384

#define WAITING_ITEM			(DICTIONARY_NONE - 1)

/* Counts a row that is a transaction of its own. */
static inline void
CountTransaction(GpufimRows *rows)
{
	if (unlikely(rows->transactions == FIM_MAX_TRANSACTIONS - 1))
		RaiseTooManyTransactions();
	rows->transactions++;
}

/* Reads a probability, which the query gives as a numeric or as a float8. */
static inline float8
ReceivedProbability(const IngestReceiver *receiver, Datum value)
{
	if (receiver->number_format == NUMBER_NUMERIC)
		return NumericToFloat8(value, receiver->rows);
	return DatumGetFloat8(value);
}

void
ReportRows(const IngestReceiver *receiver)
{
	const GpufimRows *rows = receiver->rows;

	CurrentRun->rows_read = rows->rows_read;
	CurrentRun->done = rows->rows_read;
	CurrentRun->transactions = receiver->tids ? receiver->tids->n : rows->transactions;
	CurrentRun->distinct_items = rows->items->n;
}

static void
RaiseTooManyTransactions(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("too many transactions"),
			 errdetail("At most %u can be mined in one call.", FIM_MAX_TRANSACTIONS - 1),
			 errhint("Select fewer rows.")));
}

/*
 * Reading the pair form: a row is an item of a transaction.
 *
 * The pairs may come in any order.  As long as those of each transaction come together,
 * a transaction is encoded when the next one begins.  From the first pair on that belongs
 * to an earlier transaction, all pairs go to streams instead, one for every 65536
 * transactions.  When everything has been read, so that the threshold is known and
 * infrequent items can be left out, regroup.c turns the streams into records.
 */

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
 * AddToCurrent() to TakePair() are compiled twice, for pairs without and with values:
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

/* Appends a pair to its stream.  Each time that it comes, it is counted; regroup.c counts anew. */
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
	/* if the stream's last mark is the same one, the item takes the place of this one */
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

/* A row is a transaction's id and an item. */
static bool
ReceivePair(TupleTableSlot *slot, DestReceiver *self)
{
	IngestReceiver *receiver = (IngestReceiver *) self;

	CountRow(receiver);
	slot_getsomeattrs(slot, 2);
	if (!slot->tts_isnull[0])
		TakePair(receiver, slot, 0, false);
	return true;
}

/* The same, and the item's probability. */
static bool
ReceiveUncertainPair(TupleTableSlot *slot, DestReceiver *self)
{
	IngestReceiver *receiver = (IngestReceiver *) self;
	float8		value;

	CountRow(receiver);
	slot_getsomeattrs(slot, 3);
	if (slot->tts_isnull[0] || slot->tts_isnull[2])
		return true;
	value = ReceivedProbability(receiver, slot->tts_values[2]);
	if (!IsProbability(value))
		RaiseNotProbability(receiver->rows, slot, value);
	TakePair(receiver, slot, value, true);
	return true;
}

/* To be called when all rows have arrived.  Does nothing for the array form. */
static void
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

/*
 * Reading the array form: a row is a transaction.
 *
 * The row has an array of items.  It may also have either a probability of the transaction,
 * or an array with a probability for each item.
 */

/* Number of elements that are looked up one by one between two checks for interrupts. */
#define INTERRUPT_ITEMS			65536

/* Number of integers that are looked up together. */
#define GROUP_ELEMENTS			128

/* The i-th of an array's integers of "width" bytes, which is a constant, see EncodeIntegers(). */
static pg_always_inline int64
IntegerElement(const char *data, uint32 i, int width)
{
	switch (width)
	{
		case 1:
			return data[i];
		case 2:
			return ((const int16 *) data)[i];
		case 4:
			return ((const int32 *) data)[i];
		default:
			return ((const int64 *) data)[i];
	}
}

/*
 * Looks a group of elements up in a dictionary that is too large to stay in the cache.  The
 * slots of all are prefetched, and then their entries.  One by one, each element would wait
 * for its slot and then for its entry.
 */
static pg_always_inline void
LookupIntegers(Dictionary *items, const char *data, uint32 first, uint32 end,
			   int width, uint32 *ids)
{
	for (uint32 i = first; i < end; i++)
		DictionaryPrefetch(items, IntegerElement(data, i, width));
	for (uint32 i = first; i < end; i++)
	{
		*ids = DictionaryInteger(items, IntegerElement(data, i, width));
		DictionaryPrefetchEntry(items, *ids++);
	}
}

/*
 * Encodes elements that are integers, none of them NULL.  The width is a constant
 * wherever this is called, so that the compiler makes a loop of its own for each.
 */
static pg_always_inline uint32
EncodeIntegers(Dictionary *items, const char *data, uint32 nelements, int width,
			   uint32 stamp, uint32 *out)
{
	uint32		ids[GROUP_ELEMENTS];
	uint32		nout = 0;

	for (uint32 first = 0; first < nelements; first += GROUP_ELEMENTS)
	{
		uint32		end = first + Min(nelements - first, GROUP_ELEMENTS);

		CHECK_FOR_INTERRUPTS();
		if (items->n <= CACHED_ITEMS)
		{
			for (uint32 i = first; i < end; i++)
				nout = AppendItem(items,
								  DictionaryInteger(items, IntegerElement(data, i, width)),
								  stamp, out, nout);
			continue;
		}
		LookupIntegers(items, data, first, end, width, ids);
		for (uint32 i = 0; i < end - first; i++)
			nout = AppendItem(items, ids[i], stamp, out, nout);
	}
	return nout;
}

static inline bool
IsNullElement(const uint8 *nulls, uint32 i)
{
	return nulls && (nulls[i / 8] & (1 << (i % 8))) == 0;
}

/* Returns the element at *data, and moves *data to the next one. */
static inline Datum
NextElement(const Dictionary *items, const char **data)
{
	Datum		value = fetch_att(*data, items->typbyval, items->typlen);
	const char *end = att_addlength_pointer(*data, items->typlen, *data);

	*data = (const char *) att_align_nominal(end, items->type->typalign);
	return value;
}

/* Encodes elements of any type, and leaves NULLs out. */
static uint32
EncodeElements(GpufimRows *rows, ArrayType *array, uint32 nelements, uint32 stamp,
			   uint32 *out)
{
	Dictionary *items = rows->items;
	const char *data = ARR_DATA_PTR(array);
	const uint8 *nulls = ARR_NULLBITMAP(array);
	uint32		nout = 0;

	for (uint32 i = 0; i < nelements; i++)
	{
		Datum		value;

		if (i % INTERRUPT_ITEMS == INTERRUPT_ITEMS - 1)
			CHECK_FOR_INTERRUPTS();
		if (IsNullElement(nulls, i))
			continue;
		value = NextElement(items, &data);
		nout = AppendItem(items, DictionaryLookup(items, value, true), stamp, out, nout);
	}
	return nout;
}

static uint32
EncodeArray(GpufimRows *rows, ArrayType *array, uint32 nelements, uint32 stamp,
			uint32 *out)
{
	Dictionary *items = rows->items;

	if (items->kind == DICTIONARY_INTEGER && !ARR_HASNULL(array))
	{
		const char *data = ARR_DATA_PTR(array);

		switch (items->typlen)
		{
			case 1:
				return EncodeIntegers(items, data, nelements, 1, stamp, out);
			case 2:
				return EncodeIntegers(items, data, nelements, 2, stamp, out);
			case 4:
				return EncodeIntegers(items, data, nelements, 4, stamp, out);
			default:
				return EncodeIntegers(items, data, nelements, 8, stamp, out);
		}
	}
	return EncodeElements(rows, array, nelements, stamp, out);
}

ArrayType *
DetoastedArray(IngestReceiver *receiver, Datum value)
{
	MemoryContext old = MemoryContextSwitchTo(receiver->rows->ledger->scratch);
	ArrayType  *array = (ArrayType *) detoast_attr((struct varlena *) DatumGetPointer(value));

	MemoryContextSwitchTo(old);
	return array;
}

/* A row is an array of items. */
static bool
ReceiveArray(TupleTableSlot *slot, DestReceiver *self)
{
	IngestReceiver *receiver = (IngestReceiver *) self;
	GpufimRows *rows = receiver->rows;
	ArrayType  *array;
	uint32	   *record;
	uint32	   *out;
	uint32		nelements;
	uint32		n;

	CountRow(receiver);
	slot_getsomeattrs(slot, 1);
	if (slot->tts_isnull[0])
		return true;
	CountTransaction(rows);
	array = AlignedArray(receiver, &receiver->aligned[0], slot->tts_values[0]);
	nelements = CountElements(array);
	record = RecordReserve(rows, nelements + 1, &out);
	n = EncodeArray(rows, array, nelements, (uint32) rows->transactions, out);
	if (!RecordRepeats(rows, record, n))
		RecordAdvance(rows, record, n);
	ForgetRow(rows);
	return true;
}

/* A row is an array of items, and the probability that the transaction is there. */
static bool
ReceiveUncertainArray(TupleTableSlot *slot, DestReceiver *self)
{
	IngestReceiver *receiver = (IngestReceiver *) self;
	GpufimRows *rows = receiver->rows;
	ArrayType  *array;
	float8		value;
	uint32	   *record;
	uint32	   *out;
	uint32		nelements;

	CountRow(receiver);
	slot_getsomeattrs(slot, 2);
	if (slot->tts_isnull[0] || slot->tts_isnull[1])
		return true;
	value = ReceivedProbability(receiver, slot->tts_values[1]);
	if (!IsProbability(value))
		RaiseNotProbability(rows, slot, value);
	CountTransaction(rows);
	/* a transaction that certainly is not there counts, but has no record */
	if (value == 0)
		return true;
	array = AlignedArray(receiver, &receiver->aligned[0], slot->tts_values[0]);
	nelements = CountElements(array);
	record = RecordReserve(rows, nelements, &out);
	SetRecordValue(out, value);
	RecordAdvance(rows, record, EncodeArray(rows, array, nelements, (uint32) rows->transactions, out));
	ForgetRow(rows);
	return true;
}

/* Looks up elements that are integers, none of them NULL, or adds them. */
static pg_always_inline void
FindIntegers(Dictionary *items, const char *data, uint32 nelements, int width, uint32 *ids)
{
	for (uint32 first = 0; first < nelements; first += GROUP_ELEMENTS)
	{
		uint32		end = first + Min(nelements - first, GROUP_ELEMENTS);

		CHECK_FOR_INTERRUPTS();
		if (items->n > CACHED_ITEMS)
			LookupIntegers(items, data, first, end, width, ids + first);
		else
		{
			for (uint32 i = first; i < end; i++)
				ids[i] = DictionaryInteger(items, IntegerElement(data, i, width));
		}
	}
}

/* The same for elements of any type. */
static void
FindElements(Dictionary *items, ArrayType *array, uint32 nelements, uint32 *ids)
{
	const char *data = ARR_DATA_PTR(array);
	const uint8 *nulls = ARR_NULLBITMAP(array);

	for (uint32 i = 0; i < nelements; i++)
	{
		if (i % INTERRUPT_ITEMS == INTERRUPT_ITEMS - 1)
			CHECK_FOR_INTERRUPTS();
		ids[i] = DICTIONARY_NONE;
		if (IsNullElement(nulls, i))
			continue;
		ids[i] = DictionaryLookup(items, NextElement(items, &data), true);
	}
}

void
FindArray(Dictionary *items, ArrayType *array, uint32 nelements, uint32 *ids)
{
	const char *data = ARR_DATA_PTR(array);

	if (items->kind != DICTIONARY_INTEGER || ARR_HASNULL(array))
		FindElements(items, array, nelements, ids);
	else if (items->typlen == 1)
		FindIntegers(items, data, nelements, 1, ids);
	else if (items->typlen == 2)
		FindIntegers(items, data, nelements, 2, ids);
	else if (items->typlen == 4)
		FindIntegers(items, data, nelements, 4, ids);
	else
		FindIntegers(items, data, nelements, 8, ids);
}

/*
 * Removes the entries whose value is 0, and returns how many are left.  They had to be there
 * until now, so that an item that has another value, too, was noticed.
 */
static uint32
DropZeros(uint32 *entries, uint32 n)
{
	uint32		kept = 0;

	for (uint32 i = 0; i < n; i++)
	{
		if (EntryValue(entries, i) != 0)
			SetEntry(entries, kept++, entries[i * VALUED_WORDS], EntryValue(entries, i));
	}
	return kept;
}

/* Returns the number at *data, and moves *data to the next one. */
static inline float8
NextProbability(const IngestReceiver *receiver, const char **data)
{
	const char *at = *data;

	switch (receiver->number_format)
	{
		case NUMBER_FLOAT4:
			*data += sizeof(float4);
			return *(const float4 *) at;
		case NUMBER_NUMERIC:
			*data += INTALIGN(VARSIZE_ANY(at));
			return ReceivedProbability(receiver, PointerGetDatum(at));
		default:
			*data += sizeof(float8);
			return *(const float8 *) at;
	}
}

/*
 * Makes entries of the ids of items and of an array of as many probabilities, and returns
 * how many there are.  The ids may lie at the end of the room for the entries, since each
 * is read before its place is written to.
 */
static uint32
EncodeUncertain(const IngestReceiver *receiver, TupleTableSlot *slot, const uint32 *ids,
				ArrayType *probabilities, uint32 nelements, uint32 *out)
{
	const GpufimRows *rows = receiver->rows;
	const char *data = ARR_DATA_PTR(probabilities);
	const uint8 *nulls = ARR_NULLBITMAP(probabilities);
	bool		zeros = false;
	uint32		nout = 0;

	for (uint32 i = 0; i < nelements; i++)
	{
		uint32		id = ids[i];
		uint32		appended;
		float8		value;

		if (i % INTERRUPT_ITEMS == INTERRUPT_ITEMS - 1)
			CHECK_FOR_INTERRUPTS();
		if (IsNullElement(nulls, i))
			continue;
		value = NextProbability(receiver, &data);
		if (!IsProbability(value))
			RaiseNotProbability(rows, slot, value);
		if (id == DICTIONARY_NONE)
			continue;
		appended = AppendValued(rows->items, id, value, out, nout);
		if (appended == ENTRIES_CONFLICT)
			RaiseTwoProbabilities(rows, slot, id, ValueInRecord(rows->items, id, out), value);
		nout = appended;
		zeros |= value == 0;
	}
	return zeros ? DropZeros(out, nout) : nout;
}

/* A row is an array of items, and an array of as many probabilities, one for each item. */
static bool
ReceiveArrayOfUncertain(TupleTableSlot *slot, DestReceiver *self)
{
	IngestReceiver *receiver = (IngestReceiver *) self;
	GpufimRows *rows = receiver->rows;
	ArrayType  *array;
	ArrayType  *probabilities;
	uint32		nelements;
	uint32	   *record;
	uint32	   *out;
	uint32	   *ids;

	CountRow(receiver);
	slot_getsomeattrs(slot, 2);
	if (slot->tts_isnull[0] || slot->tts_isnull[1])
		return true;
	CountTransaction(rows);
	array = AlignedArray(receiver, &receiver->aligned[0], slot->tts_values[0]);
	probabilities = AlignedArray(receiver, &receiver->aligned[1], slot->tts_values[1]);
	nelements = CountElements(array);
	if (CountElements(probabilities) != nelements)
		RaiseNotAsMany(rows, nelements, CountElements(probabilities));
	record = RecordReserve(rows, nelements, &out);
	ids = out + nelements * VALUE_WORDS;
	FindArray(rows->items, array, nelements, ids);
	RecordAdvance(rows, record,
				  EncodeUncertain(receiver, slot, ids, probabilities, nelements, out));
	ForgetRow(rows);
	return true;
}

/*
 * Reading items with values: a row is an item with a value.
 */

static bool
ReceiveEntry(TupleTableSlot *slot, DestReceiver *self)
{
	IngestReceiver *receiver = (IngestReceiver *) self;
	GpufimRows *rows = receiver->rows;
	uint32	   *record;
	uint32	   *entry;
	uint32		item;

	CountRow(receiver);
	slot_getsomeattrs(slot, 2);
	if (slot->tts_isnull[0] || slot->tts_isnull[1])
		return true;
	CountTransaction(rows);
	item = LookupItem(rows->items, slot->tts_values[0]);
	rows->items->entries[item].count++;
	record = RecordReserve(rows, 1, &entry);
	SetEntry(entry, 0, item, DatumGetFloat8(slot->tts_values[1]));
	RecordAdvance(rows, record, 1);
	ForgetRow(rows);
	return true;
}

static void
ReceiverStartup(DestReceiver *self, int operation, TupleDesc typeinfo)
{
}

static void
ReceiverShutdown(DestReceiver *self)
{
}

static NumberFormat
FormatOfProbabilities(const GpufimSource *source)
{
	const SourceColumn *probability = SourceColumnOf(source, ROLE_PROBABILITY);

	return probability != NULL ? SourceNumberFormat(probability) : NUMBER_FLOAT8;
}

/* Has the layout this many words of values in an entry, and in the head of a record? */
static bool
HasWords(const RowLayout *layout, uint32 value_words, uint32 head_words)
{
	return layout->value_words == value_words && layout->head_words == head_words;
}

/* How to receive the rows of a source, according to its columns and the layout of the records. */
static ReceiveFunction
ChooseReceiver(const GpufimSource *source, const RowLayout *layout)
{
	const SourceColumn *probability = SourceColumnOf(source, ROLE_PROBABILITY);
	bool		valued = SourceColumnOf(source, ROLE_VALUE) != NULL;

	if (valued && !layout->grouped && !layout->unique && HasWords(layout, VALUE_WORDS, 0))
		return ReceiveEntry;
	if (layout->unique && !valued)
	{
		if (probability == NULL && HasWords(layout, 0, 0))
			return layout->grouped ? ReceivePair : ReceiveArray;
		if (probability != NULL && probability->is_array != layout->grouped &&
			HasWords(layout, VALUE_WORDS, 0))
			return layout->grouped ? ReceiveUncertainPair : ReceiveArrayOfUncertain;
		if (probability != NULL && !probability->is_array && !layout->grouped &&
			HasWords(layout, 0, VALUE_WORDS))
			return ReceiveUncertainArray;
	}
	elog(ERROR, "rows of this layout cannot be read");
}

void
IngestInto(GpufimSource *source, IngestReceiver *receiver, ReceiveFunction receive)
{
	SPIExecuteOptions options = {0};
	int			result;

	receiver->pub.receiveSlot = receive;
	receiver->pub.rStartup = ReceiverStartup;
	receiver->pub.rShutdown = ReceiverShutdown;
	receiver->pub.rDestroy = ReceiverShutdown;
	receiver->pub.mydest = DestTuplestore; /* SPI treats some others specially */
	options.read_only = true;
	options.dest = &receiver->pub;
	result = SPI_execute_plan_extended(source->plan, &options);
	if (result != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute_plan_extended failed: %s",
			 SPI_result_code_string(result));
}

static Dictionary *
CreateDictionary(MemoryLedger *ledger, const SourceColumn *column, bool keep_values,
				 const char *what)
{
	return DictionaryCreate(ledger, column->type, column->collation, keep_values, what);
}

/*
 * The rows and what belongs to them are allocated in the ledger's context, which outlives
 * SPI_finish().
 */
GpufimRows *
IngestSource(GpufimSource *source, const RowLayout *layout, MemoryLedger *ledger)
{
	IngestReceiver receiver = {0};
	Dictionary *items = CreateDictionary(ledger, SourceItemColumn(source), true, "distinct items");
	Dictionary *transactions = NULL;
	GpufimRows *rows = RowsCreate(ledger, source, layout, items);

	if (layout->grouped)
		transactions = CreateDictionary(ledger, SourceColumnOf(source, ROLE_TRANSACTION), false,
										"distinct transaction ids");
	receiver.rows = rows;
	receiver.tids = transactions;
	receiver.tid = DICTIONARY_NONE;
	receiver.number_format = FormatOfProbabilities(source);
	IngestInto(source, &receiver, ChooseReceiver(source, layout));

	FinishPairs(&receiver);
	ReportRows(&receiver);
	if (transactions != NULL)
	{
		rows->transactions = transactions->n;
		DictionaryFree(transactions);
		NoteLists(source, SourceItemColumn(source), items, "item",
				  !rows->scattered && rows->longest <= 1);
	}
	return rows;
}

/*-------------------------------------------------------------------------
 *
 * ingest.c
 *	  Reads the rows of a source and encodes them as they arrive.
 *
 * The source's plan runs to its end inside SPI_execute_plan_extended() with a
 * DestReceiver of ours, so that no row is kept in PostgreSQL's form and the
 * planner may use parallel workers.
 *
 * In array form a row is a transaction.  In pair form the pairs of a transaction
 * may come in any order.  As long as they come together, a transaction is
 * encoded as soon as the next one begins.  When one comes back after it had been
 * left, this and all further pairs go to streams of pairs, one for every 65536
 * transactions, which regroup.c turns into records when the threshold is known
 * and infrequent items can be left out.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/detoast.h"
#include "engine/engine.h"
#include "executor/tuptable.h"
#include "figures.h"
#include "miscadmin.h"
#include "nodes/plannodes.h"
#include "read/ingest.h"
#include "tcop/dest.h"
#include "utils/memutils.h"
#include "utils/plancache.h"

/* How often the figures of the run are updated, and interrupts looked at. */
#define REPORT_ROWS				1024
#define INTERRUPT_ITEMS			65536
#define WAITING_PAIRS			64

/*
 * With more items than this, what a dictionary needs to look some up is fetched
 * for a group of elements, or of waiting pairs, at once.
 */
#define CACHED_ITEMS			16384
#define GROUP_ELEMENTS			128

typedef struct WaitingPair
{
	int64		tid;
	int64		item_value;		/* an integer, if item is WAITING_ITEM */
	uint32		item;			/* or its id, or DICTIONARY_NONE for NULL */
} WaitingPair;

#define WAITING_ITEM			(DICTIONARY_NONE - 1)

typedef struct IngestReceiver
{
	DestReceiver pub;
	GpufimRows *rows;
	Dictionary *tids;			/* NULL unless rows are grouped by a column */

	/* array form: a short array, copied to where it is aligned */
	union
	{
		ArrayType	array;
		int64		force_alignment;
		char		bytes[VARATT_SHORT_MAX + VARHDRSZ];
	}			aligned;

	/*
	 * Pair form, integer transaction ids: pairs wait here for a moment, while
	 * what the dictionaries need to look them up is fetched.
	 */
	WaitingPair waiting[WAITING_PAIRS];
	uint32		nwaiting;

	/* pair form: the transaction that is arriving and its items, each once */
	uint32		tid;
	uint32	   *current;
	uint32		ncurrent;
	uint32		max_current;
} IngestReceiver;

static void
ReportRows(IngestReceiver *receiver)
{
	GpufimRows *rows = receiver->rows;

	CurrentRun->rows_read = rows->growth.rows;
	CurrentRun->done = rows->growth.rows;
	CurrentRun->transactions = receiver->tids ? receiver->tids->n : rows->transactions;
	CurrentRun->distinct_items = rows->items->n;
}

static inline void
CountRow(IngestReceiver *receiver)
{
	ReadingGrowth *growth = &receiver->rows->growth;

	if (++growth->rows >= growth->next_mark)
		GrowthSetMark(growth, receiver->rows->items);
	if (growth->rows % REPORT_ROWS == 0)
		ReportRows(receiver);
}

/* Appends an item to a transaction's unless it is there already. */
static inline uint32
AppendItem(Dictionary *items, uint32 id, uint32 stamp, uint32 *out, uint32 nout)
{
	DictionaryEntry *entry = &items->entries[id];

	if (entry->stamp != stamp)
	{
		entry->stamp = stamp;
		entry->count++;
		out[nout++] = id;
	}
	return nout;
}

/* The i-th of elements that are integers; width is a constant, see below. */
static pg_attribute_always_inline int64
IntegerElement(const char *data, uint32 i, int width)
{
	switch (width)
	{
		case 1:
			return ((const char *) data)[i];
		case 2:
			return ((const int16 *) data)[i];
		case 4:
			return ((const int32 *) data)[i];
		default:
			return ((const int64 *) data)[i];
	}
}

/*
 * Looks a group of elements up in a dictionary that the cache does not hold: all
 * slots are fetched at once, then all entries, where one element after the other
 * would wait for either.
 */
static pg_attribute_always_inline void
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
 * Encodes elements that are integers without NULLs.  width is a constant
 * wherever this is called, so that each call becomes a loop of its own.
 */
static pg_attribute_always_inline uint32
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

/* Encodes elements of any kind, NULLs left out. */
static uint32
EncodeElements(GpufimRows *rows, ArrayType *array, uint32 nelements, uint32 stamp,
			   uint32 *out)
{
	Dictionary *items = rows->items;
	char		typalign = items->type->typalign;
	const char *data = ARR_DATA_PTR(array);
	const bits8 *nulls = ARR_NULLBITMAP(array);
	uint32		nout = 0;

	for (uint32 i = 0; i < nelements; i++)
	{
		Datum		value;

		if (i % INTERRUPT_ITEMS == INTERRUPT_ITEMS - 1)
			CHECK_FOR_INTERRUPTS();
		if (nulls && (nulls[i / 8] & (1 << (i % 8))) == 0)
			continue;
		value = fetch_att(data, items->typbyval, items->typlen);
		data = att_addlength_pointer(data, items->typlen, data);
		data = (const char *) att_align_nominal(data, typalign);
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

/*
 * A Datum's array, aligned and in one piece.  Short arrays, which tables hold
 * with a header of one byte, are moved without an allocation.
 */
static ArrayType *
AlignedArray(IngestReceiver *receiver, Datum value)
{
	struct varlena *pointer = (struct varlena *) DatumGetPointer(value);
	MemoryContext old;
	ArrayType  *array;

	if (VARATT_IS_SHORT(pointer) && !VARATT_IS_EXTERNAL(pointer))
	{
		Size		length = VARSIZE_SHORT(pointer) - VARHDRSZ_SHORT;

		SET_VARSIZE(receiver->aligned.bytes, length + VARHDRSZ);
		memcpy(receiver->aligned.bytes + VARHDRSZ, VARDATA_SHORT(pointer), length);
		return &receiver->aligned.array;
	}
	if (!VARATT_IS_EXTENDED(pointer))
		return (ArrayType *) pointer;
	old = MemoryContextSwitchTo(receiver->rows->ledger->scratch);
	array = (ArrayType *) detoast_attr(pointer);
	MemoryContextSwitchTo(old);
	return array;
}

/* Frees what handling a row has left, which is nothing with short integers. */
static inline void
ForgetRow(GpufimRows *rows)
{
	if (!rows->ledger->scratch->isReset)
		MemoryContextReset(rows->ledger->scratch);
}

static inline void
CountTransaction(GpufimRows *rows)
{
	if (rows->transactions == FIM_MAX_TRANSACTIONS - 1)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many transactions"),
				 errdetail("At most %u can be mined in one call.",
						   FIM_MAX_TRANSACTIONS - 1),
				 errhint("Select fewer rows.")));
	rows->transactions++;
}

static bool
ReceiveArray(TupleTableSlot *slot, DestReceiver *self)
{
	IngestReceiver *receiver = (IngestReceiver *) self;
	GpufimRows *rows = receiver->rows;
	ArrayType  *array;
	uint32		nelements;
	uint32	   *record;

	CountRow(receiver);
	slot_getsomeattrs(slot, 1);
	if (slot->tts_isnull[0])
		return true;
	CountTransaction(rows);

	array = AlignedArray(receiver, slot->tts_values[0]);
	nelements = ARR_NDIM(array) == 1 ? ARR_DIMS(array)[0] :
		ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	rows->growth.elements = nelements;
	record = ChunkReserve(rows, &rows->records, nelements + 1);
	RecordAdvance(rows, record,
				  EncodeArray(rows, array, nelements, (uint32) rows->transactions,
							  record + 1));
	ForgetRow(rows);
	return true;
}

/* Writes the record of the transaction that was arriving in pair form. */
static void
FlushCurrent(IngestReceiver *receiver)
{
	GpufimRows *rows = receiver->rows;
	uint32	   *record;

	if (receiver->tid == DICTIONARY_NONE || rows->scattered)
		return;
	record = ChunkReserve(rows, &rows->records, receiver->ncurrent + 1);
	memcpy(record + 1, receiver->current, receiver->ncurrent * sizeof(uint32));
	RecordAdvance(rows, record, receiver->ncurrent);
	rows->nrecords++;
	receiver->ncurrent = 0;
}

/*
 * Another transaction's pairs arrive.  From the first time that it is one which
 * had been left, pairs are scattered.
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
AddToCurrent(IngestReceiver *receiver, uint32 item)
{
	GpufimRows *rows = receiver->rows;

	if (receiver->ncurrent == receiver->max_current)
	{
		Size		old_size = receiver->max_current * sizeof(uint32);
		Size		size = Max(4096, 2 * old_size);

		receiver->current = LedgerGrow(rows->ledger, receiver->current, old_size,
									   size, "the items of a transaction");
		receiver->max_current = size / sizeof(uint32);
	}
	receiver->ncurrent = AppendItem(rows->items, item, receiver->tid + 1,
									receiver->current, receiver->ncurrent);
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

/* Appends a pair to its stream.  Its item's count may count it several times. */
static void
AddPending(GpufimRows *rows, uint32 tid, uint32 item)
{
	uint32		stream = tid >> PENDING_BITS;
	uint32		mark = PENDING_MARK | (tid & (PENDING_TRANSACTIONS - 1));
	PendingPairs *pending;
	uint32	   *words;

	if (stream >= rows->npending)
		GrowPending(rows, stream);
	pending = &rows->pending[stream];
	words = ChunkReserve(rows, &pending->stream, 2);
	if (pending->last_mark == mark)
	{
		words[0] = item;
		ChunkAdvance(&pending->stream, 1);
	}
	else
	{
		words[0] = mark;
		words[1] = item;
		ChunkAdvance(&pending->stream, 2);
		pending->last_mark = mark;
	}
	if (rows->items->entries[item].count < UINT32_MAX)
		rows->items->entries[item].count++;
}

/* A pair, with DICTIONARY_NONE for an item that is NULL. */
static inline void
AddPair(IngestReceiver *receiver, uint32 tid, bool is_new, uint32 item)
{
	if (tid != receiver->tid)
		SwitchTransaction(receiver, tid, is_new);
	if (item == DICTIONARY_NONE)
		return;
	if (receiver->rows->scattered)
		AddPending(receiver->rows, tid, item);
	else
		AddToCurrent(receiver, item);
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

		AddPair(receiver, tid, tid == ntids, pair->item);
	}
	receiver->nwaiting = 0;
}

static inline uint32
LookupItem(Dictionary *items, Datum value)
{
	if (items->kind == DICTIONARY_INTEGER)
		return DictionaryInteger(items, DatumInteger(items, value));
	return DictionaryLookup(items, value, true);
}

/* A pair whose transaction id is an integer. */
static inline void
LetPairWait(IngestReceiver *receiver, int64 tid, Datum item, bool isnull)
{
	GpufimRows *rows = receiver->rows;
	WaitingPair *pair = &receiver->waiting[receiver->nwaiting];

	pair->tid = tid;
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

static bool
ReceivePair(TupleTableSlot *slot, DestReceiver *self)
{
	IngestReceiver *receiver = (IngestReceiver *) self;
	GpufimRows *rows = receiver->rows;
	Dictionary *tids = receiver->tids;

	CountRow(receiver);
	slot_getsomeattrs(slot, 2);
	if (slot->tts_isnull[0])
		return true;
	if (tids->kind == DICTIONARY_INTEGER)
		LetPairWait(receiver, DatumInteger(tids, slot->tts_values[0]),
					slot->tts_values[1], slot->tts_isnull[1]);
	else
	{
		uint32		ntids = tids->n;
		uint32		tid = DictionaryLookup(tids, slot->tts_values[0], true);
		uint32		item = DICTIONARY_NONE;

		if (!slot->tts_isnull[1])
			item = LookupItem(rows->items, slot->tts_values[1]);
		AddPair(receiver, tid, tid == ntids, item);
	}
	ForgetRow(rows);
	return true;
}

/* A row is an item with a value. */
static bool
ReceiveEntry(TupleTableSlot *slot, DestReceiver *self)
{
	IngestReceiver *receiver = (IngestReceiver *) self;
	GpufimRows *rows = receiver->rows;
	uint32	   *record;
	uint32		item;
	float8		value;

	CountRow(receiver);
	slot_getsomeattrs(slot, 2);
	if (slot->tts_isnull[0] || slot->tts_isnull[1])
		return true;
	CountTransaction(rows);
	item = LookupItem(rows->items, slot->tts_values[0]);
	rows->items->entries[item].count++;
	record = ChunkReserve(rows, &rows->records, 1 + EntryWords(&rows->layout));
	record[1] = item;
	value = DatumGetFloat8(slot->tts_values[1]);
	memcpy(record + 2, &value, sizeof(value));
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

typedef bool (*ReceiveFunction) (TupleTableSlot *slot, DestReceiver *self);

/* The planner's estimate of the rows that the source gives; 0 if there is none. */
static double
ExpectedRows(const GpufimSource *source)
{
	CachedPlan *plan = SPI_plan_get_cached_plan(source->plan);
	double		rows;

	if (plan == NULL)
		return 0;
	rows = linitial_node(PlannedStmt, plan->stmt_list)->planTree->plan_rows;
	ReleaseCachedPlan(plan, NULL);	/* the plan is not a saved one */
	return rows;
}

/* How to receive the rows of a source, according to what it has and what is wanted. */
static ReceiveFunction
ChooseReceiver(const GpufimSource *source, const RowLayout *layout)
{
	bool		valued = source->columns[source->ncolumns - 1].role == ROLE_VALUE;

	if (!layout->grouped && !layout->unique && layout->value_words == VALUE_WORDS && valued)
		return ReceiveEntry;
	if (!layout->unique || layout->value_words != 0 || valued)
		elog(ERROR, "rows of this layout cannot be read");
	return layout->grouped ? ReceivePair : ReceiveArray;
}

/*
 * Memory that is not the receiver's own grows in the ledger's context, which
 * outlives SPI_finish().
 */
GpufimRows *
IngestSource(GpufimSource *source, const RowLayout *layout, MemoryLedger *ledger,
			 Dictionary *items, Dictionary *transactions)
{
	IngestReceiver receiver = {0};
	SPIExecuteOptions options = {0};
	GpufimRows *rows = RowsCreate(ledger, layout, items);
	int			result;

	receiver.pub.receiveSlot = ChooseReceiver(source, layout);
	receiver.pub.rStartup = ReceiverStartup;
	receiver.pub.rShutdown = ReceiverShutdown;
	receiver.pub.rDestroy = ReceiverShutdown;
	receiver.pub.mydest = DestTuplestore;	/* SPI treats some others specially */
	receiver.rows = rows;
	receiver.tids = transactions;
	receiver.tid = DICTIONARY_NONE;

	rows->growth.transactions = transactions;
	rows->growth.expected_rows = ExpectedRows(source);
	options.read_only = true;
	options.dest = &receiver.pub;
	result = SPI_execute_plan_extended(source->plan, &options);
	if (result != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute_plan_extended failed: %s",
			 SPI_result_code_string(result));

	AddWaitingPairs(&receiver);
	FlushCurrent(&receiver);
	LedgerFree(ledger, receiver.current, receiver.max_current * sizeof(uint32));
	ReportRows(&receiver);
	if (transactions != NULL)
		rows->transactions = transactions->n;
	rows->growth.transactions = NULL;
	rows->growth.read = true;
	return rows;
}

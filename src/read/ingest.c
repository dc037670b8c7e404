/*-------------------------------------------------------------------------
 *
 * ingest.c
 *	  Encodes the rows of a source as they arrive.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "engine/engine.h"
#include "gpufim.h"
#include "miscadmin.h"
#include "read/read.h"
#include "read/rows.h"
#include "transaction_set/transaction_set.h"
#include "utils/array.h"
#include "utils/memutils.h"

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

/* Encodes texts, none of them NULL.  Their ids are first put where those that stay will be. */
static uint32
EncodeTexts(Dictionary *items, const char *data, uint32 nelements, uint32 stamp, uint32 *out)
{
	uint32		nout = 0;

	DictionaryLookupTexts(items, data, nelements, out);
	for (uint32 i = 0; i < nelements; i++)
		nout = AppendItem(items, out[i], stamp, out, nout);
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
	if (DictionaryHasTexts(items) && !ARR_HASNULL(array))
		return EncodeTexts(items, ARR_DATA_PTR(array), nelements, stamp, out);
	return EncodeElements(rows, array, nelements, stamp, out);
}

/* A row is an array of items. */
static void
ReceiveArray(Receiver *base, const SourceRow *row)
{
	RowsReceiver *receiver = (RowsReceiver *) base;
	GpufimRows *rows = receiver->rows;
	ArrayType  *array;
	uint32	   *record;
	uint32	   *out;
	uint32		nelements;
	uint32		n;

	if (RowIsNull(row, 0))
		return;
	CountTransaction(rows);
	array = AlignedArray(rows->ledger, &receiver->aligned[0], RowValue(row, 0));
	nelements = CountElements(array);
	record = RecordReserve(rows, nelements + 1, &out);
	n = EncodeArray(rows, array, nelements, (uint32) rows->transactions, out);
	if (!RecordRepeats(rows, record, n))
		RecordAdvance(rows, record, n);
	LedgerForget(rows->ledger);
}

/* A row is a set of transactions. */
static void
ReceiveSet(Receiver *base, const SourceRow *row)
{
	GpufimRows *rows = base->rows;
	ColumnSet	set;

	if (RowIsNull(row, 0))
		return;
	ColumnSetOpen(&set, &base->source->columns[0], RowValue(row, 0), rows->items);
	AddRecordsOfSet(rows, &set.parts, set.map);
	ColumnSetClose(&set);
	ShowRows(base);
}

/* A row is an array of items, and the probability that the transaction is there. */
static void
ReceiveUncertainArray(Receiver *base, const SourceRow *row)
{
	RowsReceiver *receiver = (RowsReceiver *) base;
	GpufimRows *rows = receiver->rows;
	ArrayType  *array;
	float8		value;
	uint32	   *record;
	uint32	   *out;
	uint32		nelements;

	if (RowIsNull(row, 0) || RowIsNull(row, 1))
		return;
	value = ReceivedProbability(receiver, RowValue(row, 1));
	if (!IsProbability(value))
		RaiseNotProbability(rows, row, value);
	CountTransaction(rows);
	/* a transaction that certainly is not there counts, but has no record */
	if (value == 0)
		return;
	array = AlignedArray(rows->ledger, &receiver->aligned[0], RowValue(row, 0));
	nelements = CountElements(array);
	record = RecordReserve(rows, nelements, &out);
	SetRecordValue(out, value);
	RecordAdvance(rows, record, EncodeArray(rows, array, nelements, (uint32) rows->transactions, out));
	LedgerForget(rows->ledger);
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

	if (DictionaryHasTexts(items) && !ARR_HASNULL(array))
		DictionaryLookupTexts(items, data, nelements, ids);
	else if (items->kind != DICTIONARY_INTEGER || ARR_HASNULL(array))
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
NextProbability(const RowsReceiver *receiver, const char **data)
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
EncodeUncertain(const RowsReceiver *receiver, const SourceRow *row, const uint32 *ids,
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
		float8		value;

		if (i % INTERRUPT_ITEMS == INTERRUPT_ITEMS - 1)
			CHECK_FOR_INTERRUPTS();
		if (IsNullElement(nulls, i))
			continue;
		value = NextProbability(receiver, &data);
		if (!IsProbability(value))
			RaiseNotProbability(rows, row, value);
		if (id == DICTIONARY_NONE)
			continue;
		nout = AppendProbability(rows, row, id, value, out, nout);
		zeros |= value == 0;
	}
	return zeros ? DropZeros(out, nout) : nout;
}

/* A row is an array of items, and an array of as many probabilities, one for each item. */
static void
ReceiveArrayOfUncertain(Receiver *base, const SourceRow *row)
{
	RowsReceiver *receiver = (RowsReceiver *) base;
	GpufimRows *rows = receiver->rows;
	ArrayType  *array;
	ArrayType  *probabilities;
	uint32		nelements;
	uint32	   *record;
	uint32	   *out;
	uint32	   *ids;

	if (RowIsNull(row, 0) || RowIsNull(row, 1))
		return;
	CountTransaction(rows);
	array = AlignedArray(rows->ledger, &receiver->aligned[0], RowValue(row, 0));
	probabilities = AlignedArray(rows->ledger, &receiver->aligned[1], RowValue(row, 1));
	nelements = CountElements(array);
	if (CountElements(probabilities) != nelements)
		RaiseNotAsMany(rows, nelements, CountElements(probabilities));
	record = RecordReserve(rows, nelements, &out);
	ids = out + nelements * VALUE_WORDS;
	FindArray(rows->items, array, nelements, ids);
	RecordAdvance(rows, record,
				  EncodeUncertain(receiver, row, ids, probabilities, nelements, out));
	LedgerForget(rows->ledger);
}

/*
 * Reading items with values: a row is an item with a value.
 */

static void
ReceiveEntry(Receiver *base, const SourceRow *row)
{
	RowsReceiver *receiver = (RowsReceiver *) base;
	GpufimRows *rows = receiver->rows;
	uint32	   *record;
	uint32	   *entry;
	uint32		item;

	if (RowIsNull(row, 0) || RowIsNull(row, 1))
		return;
	CountTransaction(rows);
	item = LookupItem(rows->items, RowValue(row, 0));
	rows->items->entries[item].count++;
	record = RecordReserve(rows, 1, &entry);
	SetEntry(entry, 0, item, DatumGetFloat8(RowValue(row, 1)));
	RecordAdvance(rows, record, 1);
	LedgerForget(rows->ledger);
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
static ReceiveRow
ChooseReceive(const GpufimSource *source, const RowLayout *layout)
{
	const SourceColumn *probability = SourceColumnOf(source, ROLE_PROBABILITY);
	bool		valued = SourceColumnOf(source, ROLE_VALUE) != NULL;

	if (valued && !layout->grouped && !layout->unique && HasWords(layout, VALUE_WORDS, 0))
		return ReceiveEntry;
	if (layout->unique && !valued)
	{
		if (source->columns[0].is_sets)
			return ReceiveSet;
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

/*
 * The rows and what belongs to them are allocated in the ledger's context, which outlives
 * SPI_finish().
 */
static void
BeginRows(Receiver *base)
{
	RowsReceiver *receiver = (RowsReceiver *) base;
	const GpufimSource *source = base->source;
	const SourceColumn *item = SourceItemColumn(source);
	const SourceColumn *transaction = SourceColumnOf(source, ROLE_TRANSACTION);
	MemoryLedger *ledger = base->ledger;
	Dictionary *items = DictionaryCreate(ledger, item->type, item->collation, true, "distinct items");
	Dictionary *ids = NULL;

	if (receiver->layout.grouped)
		ids = DictionaryCreate(ledger, transaction->type, transaction->collation, false, "distinct transaction ids");
	receiver->rows = RowsCreate(ledger, source, &receiver->layout, items, ids);
	receiver->number_format = FormatOfProbabilities(source);
	base->receive = ChooseReceive(source, &receiver->layout);
	base->rows = receiver->rows;
}

static void
EndRows(Receiver *base)
{
	FinishPairs((RowsReceiver *) base);
}

static void
ContentsOfRows(Receiver *base, ReceiverContents *contents)
{
	contents->ndictionaries = 1;
	contents->dictionaries[0] = base->rows->items;
	contents->nrows = 1;
	contents->rows[0] = base->rows;
	contents->numbers[0][0] = 0;
	contents->numbers[0][1] = NO_DICTIONARY;
}

const ReceiverKind GpufimRowsReceiver = {
	.symbol = "GpufimRowsReceiver",
	.size = sizeof(RowsReceiver),
	.input_size = sizeof(RowLayout),
	.begin = BeginRows,
	.end = EndRows,
	.contents = ContentsOfRows
};

typedef struct Ingestion
{
	GpufimSource *source;
	const RowLayout *layout;
	MemoryLedger *ledger;
	RowsReceiver receiver;
} Ingestion;

static void
ReadRows(void *arg)
{
	Ingestion  *ingestion = arg;
	RowsReceiver *receiver = &ingestion->receiver;

	memset(receiver, 0, sizeof(RowsReceiver));
	receiver->layout = *ingestion->layout;
	SourceRead(ingestion->source, &GpufimRowsReceiver, &receiver->base, ingestion->ledger);
	if (!RowsGroupInParallel(receiver->rows))
		RowsGroup(receiver->rows);
}

GpufimRows *
IngestSource(GpufimSource *source, const RowLayout *layout, MemoryLedger *ledger)
{
	Ingestion	ingestion = {.source = source,.layout = layout,.ledger = ledger};
	GpufimRows *rows;

	ReadWithinLimit(ledger, ReadRows, &ingestion);
	rows = ingestion.receiver.rows;
	ShowRows(&ingestion.receiver.base);
	if (layout->grouped)
	{
		DictionaryFree(rows->ids);
		rows->ids = NULL;
		NoteLists(source, SourceItemColumn(source), rows->items, "item", rows->longest <= 1);
	}
	return rows;
}

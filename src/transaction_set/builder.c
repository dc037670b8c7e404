/*-------------------------------------------------------------------------
 *
 * builder.c
 *	  Making a transaction_set of transactions that come one after the other.
 *
 * What comes is read as the rows of a source are: items are numbered in a dictionary, and transactions become records of
 * numbers, or pieces if they come as pairs.  In the end items are numbered anew, the most frequent first, and transactions
 * of the same items become one record.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "gpufim.h"
#include "items.h"
#include "miscadmin.h"
#include "read/read.h"
#include "transaction_set/transaction_set.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/memutils.h"

#define WHAT				"a transaction set"

struct SetBuilder
{
	MemoryLedger *ledger;
	SetTypes	types;
	GpufimSource source;		/* columns like those that the transactions would have been read from */
	RowsReceiver receiver;

	/* room for the items of a record, and for an id */
	uint32	   *items;
	Size		max_items;
	uint32	   *id;
	Size		max_id;

	/* items whose values' bytes have been added up, see BuilderSize() */
	uint32		measured;
	uint64		bytes_of_values;
};

static void
SetColumn(SourceColumn *column, ColumnRole role, const ValueType *value, Oid collation, Oid result)
{
	(void) SourceColumnSet(column, role, "", "");
	column->type = value->type;
	column->typmod = -1;
	column->collation = collation;
	column->result = result;
}

SetBuilder *
BuilderCreate(const SetTypes *types)
{
	return BuilderCreateIn(types, LedgerCreateOutside());
}

SetBuilder *
BuilderCreateIn(const SetTypes *types, MemoryLedger *ledger)
{
	SetBuilder *builder = MemoryContextAllocZero(ledger->context, sizeof(SetBuilder));
	GpufimSource *source = &builder->source;
	RowsReceiver *receiver = &builder->receiver;
	bool		pairs = OidIsValid(types->id.type);

	builder->ledger = ledger;
	builder->types = *types;
	if (pairs)
		SetColumn(&source->columns[source->ncolumns++], ROLE_TRANSACTION, &types->id, types->collation, types->id.type);
	SetColumn(&source->columns[source->ncolumns++], pairs ? ROLE_ITEM : ROLE_ITEMS, &types->item, types->collation,
			  types->item.type);
	receiver->layout = (RowLayout) {.unique = true,.grouped = pairs,.merged = !pairs};
	receiver->base.kind = &GpufimRowsReceiver;
	receiver->base.source = source;
	receiver->base.ledger = ledger;
	receiver->base.kind->begin(&receiver->base);
	return builder;
}

static void
Receive(SetBuilder *builder, const NullableDatum *columns)
{
	SourceRow	row = {
		.values = (const char *) &columns->value,.value_step = sizeof(NullableDatum),
		.nulls = (const char *) &columns->isnull,.null_step = sizeof(NullableDatum)
	};

	builder->receiver.base.receive(&builder->receiver.base, &row);
}

void
BuilderAddArray(SetBuilder *builder, Datum items)
{
	NullableDatum column = {items, false};

	Receive(builder, &column);
}

void
BuilderAddPair(SetBuilder *builder, Datum id, Datum item, bool item_is_null)
{
	NullableDatum columns[] = {{id, false}, {item, item_is_null}};

	Receive(builder, columns);
}

void
BuilderAddRecord(SetBuilder *builder, const Dictionary *from, uint32 *map, const uint32 *items, uint32 n, uint32 times)
{
	GpufimRows *rows = builder->receiver.rows;
	uint32	   *record = ChunkReserve(rows, &rows->records, n + 2);

	record[0] = n | RECORD_TIMES;
	record[1] = times;
	for (uint32 i = 0; i < n; i++)
	{
		uint32	   *item = &map[items[i]];

		if (*item == DICTIONARY_NONE)
		{
			*item = DictionaryLookup(rows->items, from->entries[items[i]].value, true);
			LedgerForget(builder->ledger);
		}
		rows->items->entries[*item].count += times;
		record[2 + i] = *item;
	}
	ChunkAdvance(&rows->records, n + 2);
	rows->nmerged++;
	rows->nmerged_entries += n;
	rows->transactions += times;
}

GpufimRows *
BuilderRows(const SetBuilder *builder)
{
	return builder->receiver.rows;
}

/*
 * The bytes of a record are those of its numbers of items and of transactions, of the differences between its items, and of the lengths
 * of these.  The differences of a record add up to less than there are items, so few of them can be large.
 */
uint64
BuilderSize(SetBuilder *builder)
{
	const GpufimRows *rows = builder->receiver.rows;
	const Dictionary *items = rows->items;
	const ValueType *type = &builder->types.item;
	uint64		records = rows->nmerged;
	uint64		entries = rows->nmerged_entries;
	uint64		repeated = rows->transactions - records;
	uint64		bytes = sizeof(TransactionSet) + SET_NAMES * NAMEDATALEN;

	for (; builder->measured < items->n; builder->measured++)
		builder->bytes_of_values += RECORD_BYTES(0) + MAXIMUM_ALIGNOF +
			datumGetSize(items->entries[builder->measured].value, type->byval, type->length);
	bytes += builder->bytes_of_values;
	bytes += 2 * records + entries / 32 + Min(records, repeated) + repeated / 32 + entries + entries / 4;
	for (int shift = 8; shift < 32; shift += 8)
		bytes += Min(entries, records * (items->n >> shift));
	return bytes;
}

/*
 * Adding a set.
 */

/* Room for n words in one of the builder's buffers. */
static uint32 *
Room(SetBuilder *builder, uint32 **words, Size *max, Size n)
{
	if (n > *max)
	{
		Size		more = Max(Max(n, 2 * *max), 64);

		*words = LedgerGrow(builder->ledger, *words, *max * sizeof(uint32), more * sizeof(uint32), WHAT);
		*max = more;
	}
	return *words;
}

/* Reads the next record of a partial state as a piece. */
static void
AddPiece(SetBuilder *builder, RecordBytes *bytes, const uint32 *map, uint32 n, Datum id)
{
	const ValueType *type = &builder->types.id;
	uint32	   *items = Room(builder, &builder->items, &builder->max_items, (Size) n + SPARE_ITEMS);
	const char *from = DatumGetPointer(id);
	uint64		word;
	Size		size;
	uint32	   *words;

	if (type->byval)
	{
		size = PutIntegerId(builder->receiver.rows->ids, id, &word);
		from = (const char *) &word;
	}
	else if (type->length > 0)
		size = type->length;
	else if (VARATT_IS_4B_U(from))
		size = VARSIZE(from);
	else
		RaiseDamaged("A transaction id is not stored as it should be.");
	words = Room(builder, &builder->id, &builder->max_id, WordsOf(size) + 1);
	words[WordsOf(size) - 1] = 0;
	memcpy(words, from, size);
	SetNextItems(bytes, items, n);
	CountRecord(builder->receiver.rows->items, items, n, 1, map);
	memcpy(PieceAdd(builder->receiver.rows, words, WordsOf(size), n), items, n * sizeof(uint32));
}

static bool
SameTypes(const SetTypes *a, const SetTypes *b)
{
	return a->item.type == b->item.type && a->id.type == b->id.type && a->collation == b->collation &&
		a->layout == b->layout;
}

void
BuilderAddSet(SetBuilder *builder, const SetParts *parts)
{
	RecordBytes bytes = RecordsOfSet(parts);
	ValueReader ids = {&parts->types.id, parts->ids, 0, parts->ids_size};
	uint32	   *map;
	uint32		n;
	uint32		times;
	uint32		done = 0;

	if (!SameTypes(&builder->types, &parts->types))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("cannot unite transaction sets of different types, collations or kinds"),
				 errdetail("Items are of type %s and of type %s.", format_type_be(builder->types.item.type),
						   format_type_be(parts->types.item.type))));
	map = MapOfItems(builder->receiver.rows->items, parts);
	if (parts->ids == NULL)
		AddRecordsOfSet(builder->receiver.rows, parts, map);
	while (parts->ids != NULL && SetNextRecord(&bytes, &n, &times))
	{
		AddPiece(builder, &bytes, map, n, NextValue(&ids));
		if (++done % INTERRUPT_STEP == 0)
			CHECK_FOR_INTERRUPTS();
	}
	pfree(map);
}

/*
 * Making the value.
 */

/* What a pass of OrderItems() sorts by. */
#define DIGIT_BITS			8
#define DIGITS				(1 << DIGIT_BITS)

/* A digit of an item's support, so that frequent items come first. */
static inline uint32
DigitOfItem(const Dictionary *items, uint32 number, int shift)
{
	return ~(items->entries[number].count >> shift) & (DIGITS - 1);
}

/*
 * The items' numbers in the builder by descending support, in the ledger's memory.  Of those that are equally frequent, what
 * has come first is first, so that items that come together have numbers that are close to each other.
 *
 * Most supports are small and equal to others, so they are sorted by one digit after the other, the lowest first.
 */
static uint32 *
OrderItems(const SetBuilder *builder)
{
	const Dictionary *items = builder->receiver.rows->items;
	Size		bytes = ((Size) items->n + 1) * sizeof(uint32);
	uint32	   *ordered = LedgerAlloc(builder->ledger, bytes, WHAT);
	uint32	   *others = LedgerAlloc(builder->ledger, bytes, WHAT);
	uint32		highest = 0;

	for (uint32 number = 0; number < items->n; number++)
	{
		ordered[number] = number;
		highest = Max(highest, items->entries[number].count);
	}
	for (int shift = 0; shift < 32 && highest >> shift > 0; shift += DIGIT_BITS)
	{
		uint32		places[DIGITS + 1] = {0};
		uint32	   *sorted = others;

		CHECK_FOR_INTERRUPTS();
		for (uint32 i = 0; i < items->n; i++)
			places[DigitOfItem(items, ordered[i], shift) + 1]++;
		for (uint32 digit = 1; digit < DIGITS; digit++)
			places[digit] += places[digit - 1];
		for (uint32 i = 0; i < items->n; i++)
			sorted[places[DigitOfItem(items, ordered[i], shift)]++] = ordered[i];
		others = ordered;
		ordered = sorted;
	}
	LedgerFree(builder->ledger, others, bytes);
	return ordered;
}

/* Bytes that grow in the ledger's memory. */
typedef struct Bytes
{
	uint8	   *bytes;
	Size		used;
	Size		max;
} Bytes;

static uint8 *
ReserveBytes(MemoryLedger *ledger, Bytes *to, Size more)
{
	if (to->used + more > to->max)
	{
		Size		max = Max(Max(2 * to->max, to->used + more), 256);

		if (to->used > SET_MAX_BYTES)
			RaiseSetTooLarge();
		to->bytes = LedgerGrow(ledger, to->bytes, to->max, max, WHAT);
		to->max = max;
	}
	return to->bytes + to->used;
}

/*
 * Room for the first records.  Once there are more, there is room for thousands to be compared, because to double it again
 * and again takes longer than to clear that.
 */
#define FIRST_RECORDS		64
#define FIRST_BYTES			1024
#define GROWN_SLOTS			4096

/* A record of different items than all others. */
typedef struct WrittenRecord
{
	uint32		at;				/* where its bytes begin, as those of a record of one transaction */
	uint32		hash;			/* of these */
	uint32		n;				/* items */
	uint32		times;
} WrittenRecord;

typedef struct RecordWriter
{
	SetBuilder *builder;
	uint32	   *map;			/* from numbers in the builder to those in the set */
	Bytes		bytes;
	WrittenRecord *records;
	uint32		nrecords;
	uint32		max_records;
	uint32	   *slots;			/* records by the hash of their bytes: number + 1; 0: free */
	uint32		nslots;			/* a power of two; 0: records are not compared */
	SetParts   *parts;
	StringInfoData ids;
} RecordWriter;

/* Appends a value to a text that the ledger counts. */
static void
AppendCounted(MemoryLedger *ledger, StringInfo to, const ValueType *type, Datum value)
{
	int			room = to->maxlen;

	AppendValue(to, type, value);
	if (to->maxlen > room)
		LedgerMakeRoom(ledger, to->maxlen - room, WHAT);
}

/* Where the bytes of a record end. */
static inline uint32
EndOfRecord(const RecordWriter *writer, uint32 record)
{
	return record + 1 < writer->nrecords ? writer->records[record + 1].at : (uint32) writer->bytes.used;
}

static void
GrowSlots(RecordWriter *writer)
{
	MemoryLedger *ledger = writer->builder->ledger;
	uint32		nslots = Max(2 * writer->nslots, GROWN_SLOTS);

	LedgerFree(ledger, writer->slots, writer->nslots * sizeof(uint32));
	writer->slots = LedgerAllocZero(ledger, nslots * sizeof(uint32), WHAT);
	writer->nslots = nslots;
	for (uint32 i = 0; i < writer->nrecords; i++)
	{
		uint32		slot = writer->records[i].hash & (nslots - 1);

		while (writer->slots[slot] != 0)
			slot = (slot + 1) & (nslots - 1);
		writer->slots[slot] = i + 1;
	}
}

/* Looks for a record with the bytes that follow the last one.  Returns NULL if there is none, and then leaves it *slot. */
static WrittenRecord *
FindRecord(RecordWriter *writer, Size size, uint32 hash, uint32 *slot)
{
	const char *start = (const char *) writer->bytes.bytes;

	*slot = hash & (writer->nslots - 1);
	for (; writer->slots[*slot] != 0; *slot = (*slot + 1) & (writer->nslots - 1))
	{
		uint32		record = writer->slots[*slot] - 1;
		uint32		at = writer->records[record].at;

		if (writer->records[record].hash == hash && EndOfRecord(writer, record) - at == size &&
			SameBytes(start + at, start + writer->bytes.used, size))
			return &writer->records[record];
	}
	return NULL;
}

/* Appends a record, unless there is an equal one. */
static void
WriteRecord(RecordWriter *writer, const uint32 *from, uint32 n, uint32 times)
{
	SetBuilder *builder = writer->builder;
	MemoryLedger *ledger = builder->ledger;
	uint32	   *items = Room(builder, &builder->items, &builder->max_items, n);
	uint8	   *bytes = ReserveBytes(ledger, &writer->bytes, RECORD_BYTES(n));
	WrittenRecord *found;
	Size		size;
	uint32		slot = 0;
	uint32		hash = 0;

	for (uint32 i = 0; i < n; i++)
		items[i] = writer->map[from[i]];
	SortNumbers(items, n);
	size = PutRecord(bytes, items, n) - bytes;
	writer->parts->transactions += times;
	writer->parts->entries += (uint64) n * times;
	writer->parts->longest = Max(writer->parts->longest, n);
	if (writer->nslots > 0)
	{
		if (writer->nrecords >= writer->nslots / 2)
			GrowSlots(writer);
		hash = HashBytes((const char *) bytes, size);
		found = FindRecord(writer, size, hash, &slot);
		if (found != NULL)
		{
			found->times += times;
			return;
		}
		writer->slots[slot] = writer->nrecords + 1;
	}
	if (writer->nrecords == writer->max_records)
	{
		uint32		max = 2 * writer->max_records;

		writer->records = LedgerGrow(ledger, writer->records, writer->max_records * sizeof(WrittenRecord),
									 max * sizeof(WrittenRecord), WHAT);
		writer->max_records = max;
	}
	writer->records[writer->nrecords++] = (WrittenRecord) {writer->bytes.used, hash, n, times};
	writer->bytes.used += size;
	if (writer->nrecords % INTERRUPT_STEP == 0)
		CHECK_FOR_INTERRUPTS();
}

static void
BeginRecords(RecordWriter *writer)
{
	MemoryLedger *ledger = writer->builder->ledger;

	writer->records = LedgerAlloc(ledger, FIRST_RECORDS * sizeof(WrittenRecord), WHAT);
	writer->max_records = FIRST_RECORDS;
	writer->bytes.bytes = LedgerAlloc(ledger, FIRST_BYTES, WHAT);
	writer->bytes.max = FIRST_BYTES;
}

static void
WriteRows(RecordWriter *writer)
{
	GpufimRows *rows = writer->builder->receiver.rows;
	ChunkList	records = rows->records;
	RecordReader reader;
	const uint32 *items;
	uint32		n;

	/* what is being read must not move to a file meanwhile */
	memset(&rows->records, 0, sizeof(ChunkList));
	writer->nslots = FIRST_RECORDS;
	writer->slots = LedgerAllocZero(rows->ledger, writer->nslots * sizeof(uint32), WHAT);
	RecordReaderBegin(&reader, rows, &records, true);
	while (RecordReaderNext(&reader, &items, &n))
		WriteRecord(writer, items, n, reader.times);
	RecordReaderEnd(&reader);
}

/* The id of a piece, as AppendValue() wants it. */
static Datum
DatumOfId(const Dictionary *ids, const uint32 *id)
{
	return ids->typbyval ? IntegerDatum(ids, IntegerOfId(ids, id)) : PointerGetDatum(id);
}

static void
WritePieces(RecordWriter *writer)
{
	GpufimRows *rows = writer->builder->receiver.rows;

	initStringInfo(&writer->ids);
	for (uint32 i = 0; i < rows->npartitions; i++)
	{
		ChunkList	pieces = rows->pieces[i];
		PieceReader reader;
		Piece		piece;

		memset(&rows->pieces[i], 0, sizeof(ChunkList));
		PieceReaderBegin(&reader, rows, &pieces, true);
		while (NextPiece(&reader, &piece))
		{
			WriteRecord(writer, piece.entries, piece.nentries, 1);
			AppendCounted(rows->ledger, &writer->ids, &writer->builder->types.id, DatumOfId(rows->ids, piece.id));
		}
		ChunkWalkEnd(&reader.walk);
	}
}

static void
AppendBytes(MemoryLedger *ledger, Bytes *to, const uint8 *from, const uint8 *end)
{
	if (end > from)
		memcpy(ReserveBytes(ledger, to, end - from), from, end - from);
	to->used += end - from;
}

/* The records as they are in the value: those that stand for several transactions say so. */
static Bytes
RepeatedRecords(const RecordWriter *writer)
{
	MemoryLedger *ledger = writer->builder->ledger;
	const uint8 *bytes = writer->bytes.bytes;
	const uint8 *from = bytes;
	Bytes		result = {0};

	for (uint32 i = 0; i < writer->nrecords; i++)
	{
		const WrittenRecord *record = &writer->records[i];
		uint8		head[RECORD_BYTES(0)];
		uint8	   *end;

		if (record->times == 1)
			continue;
		AppendBytes(ledger, &result, from, bytes + record->at);
		from = bytes + record->at + (PutVarint(head, 2 * (uint64) record->n) - head);
		end = PutVarint(PutVarint(head, 2 * (uint64) record->n + 1), record->times);
		AppendBytes(ledger, &result, head, end);
	}
	AppendBytes(ledger, &result, from, bytes + writer->bytes.used);
	return result;
}

/* Writes the items and their supports, and sets the map. */
static void
WriteItems(RecordWriter *writer, StringInfo values, Bytes *supports)
{
	SetBuilder *builder = writer->builder;
	const ValueType *type = &builder->types.item;
	const Dictionary *items = builder->receiver.rows->items;
	uint32	   *ordered = OrderItems(builder);

	writer->map = LedgerAlloc(builder->ledger, ((Size) items->n + 1) * sizeof(uint32), WHAT);
	for (uint32 i = 0; i < items->n; i++)
	{
		uint8	   *to = ReserveBytes(builder->ledger, supports, RECORD_BYTES(0));
		uint32		number = ordered[i];

		writer->map[number] = i;
		AppendCounted(builder->ledger, values, type, items->entries[number].value);
		supports->used = PutVarint(to, items->entries[number].count) - supports->bytes;
		if (i % INTERRUPT_STEP == 0)
			CHECK_FOR_INTERRUPTS();
	}
	LedgerFree(builder->ledger, ordered, ((Size) items->n + 1) * sizeof(uint32));
}

TransactionSet *
BuilderFinish(SetBuilder *builder, bool partial)
{
	GpufimRows *rows = builder->receiver.rows;
	MemoryContext caller = CurrentMemoryContext;
	SetParts	parts = {.types = builder->types};
	RecordWriter writer = {.builder = builder,.parts = &parts};
	Bytes		records;
	Bytes		supports = {0};
	StringInfoData values;
	TransactionSet *set;

	partial = partial && rows->layout.grouped;
	MemoryContextSwitchTo(builder->ledger->context);
	builder->receiver.base.kind->end(&builder->receiver.base);
	if (!partial)
	{
		RowsGroup(rows);
		/* the ids' collation goes with them, unless it is that of the items, too */
		if (OidIsValid(parts.types.id.type))
			parts.types = SetTypesOf(parts.types.item.type, InvalidOid, parts.types.collation);
	}
	initStringInfo(&values);
	WriteItems(&writer, &values, &supports);
	BeginRecords(&writer);
	if (partial)
		WritePieces(&writer);
	else
		WriteRows(&writer);
	records = RepeatedRecords(&writer);
	NamesOfTypes(&parts.types, parts.names);
	parts.nitems = rows->items->n;
	parts.nrecords = writer.nrecords;
	parts.values = values.data;
	parts.values_size = values.len;
	parts.supports = supports.bytes;
	parts.supports_size = supports.used;
	parts.records = records.bytes;
	parts.records_size = records.used;
	if (partial)
	{
		parts.ids = writer.ids.data;
		parts.ids_size = writer.ids.len;
	}
	MemoryContextSwitchTo(caller);
	set = MakeSet(&parts);
	LedgerDestroy(builder->ledger);
	return set;
}

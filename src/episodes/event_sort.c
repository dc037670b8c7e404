/*-------------------------------------------------------------------------
 *
 * event_sort.c
 *	  Putting the events of a stream in order.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "episodes/event_sort.h"
#include "executor/tuptable.h"
#include "figures.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/tuplesort.h"

#define INTERRUPT_EVENTS	65536	/* between two checks for interrupts or reports of progress */

/*
 * The memory that PostgreSQL's sort may use, in bytes.  With less than the lower limit it does
 * not work well.  More than the upper limit would not make it faster, because it merges some
 * hundreds of runs at once; but it would be interrupted later, because it writes out a run
 * without checking for interrupts, at about a millisecond for a megabyte.
 */
#define LEAST_SORT_BYTES	(UINT64CONST(64) * 1024)
#define MOST_SORT_BYTES		(UINT64CONST(64) * 1024 * 1024)

#define ST_SORT SortByInteger
#define ST_ELEMENT_TYPE Event
#define ST_COMPARE(a, b) \
	((a)->time.integer < (b)->time.integer ? -1 : (a)->time.integer > (b)->time.integer)
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

#define ST_SORT SortByReal
#define ST_ELEMENT_TYPE Event
#define ST_COMPARE(a, b) \
	((a)->time.real < (b)->time.real ? -1 : (a)->time.real > (b)->time.real)
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* Empty the stream, and begin to add its events again. */
static void
StartAgain(EventStream *stream, EventAdder *adder)
{
	Dictionary *types = stream->rows->items;

	for (uint32 id = 0; id < types->n; id++)
	{
		if (id % INTERRUPT_EVENTS == 0)
			CHECK_FOR_INTERRUPTS();
		types->entries[id].count = types->entries[id].stamp = 0;
	}
	stream->rows->transactions = 0;
	memset(stream->coarse, 0, sizeof(stream->coarse));
	stream->ncoarse = 0;
	EventAdderBegin(adder, stream);
}

/* Read the next event.  If partitions have ranks, the event's partition becomes its rank. */
static bool
NextToSort(EventReader *reader, Event *event)
{
	if (!EventReaderNext(reader, event))
		return false;
	if (reader->stream->rank != NULL)
		event->partition = reader->stream->rank[event->partition];
	return true;
}

/*
 * Find where the events of each partition lie in an array of all events, sorted by partition.
 * Sets next[p] to the index of partition p's first event; next[] must be zeroed.
 */
static void
FindPlaces(EventStream *stream, uint32 *next)
{
	EventReader reader;
	Event		event;
	uint32		sum = 0;

	EventReaderBegin(&reader, stream, false);
	while (NextToSort(&reader, &event))
		next[event.partition]++;
	EventReaderEnd(&reader);
	for (uint32 p = 0; p < stream->npartitions; p++)
	{
		uint32		n = next[p];

		next[p] = sum;
		sum += n;
	}
}

/* Move the stream's events to the array.  Leaves in next[p] the end of the events of partition p. */
static void
PlaceEvents(EventStream *stream, Event *events, uint32 *next)
{
	EventReader reader;
	Event		event;

	EventReaderBegin(&reader, stream, true);
	while (NextToSort(&reader, &event))
		events[next[event.partition]++] = event;
	EventReaderEnd(&reader);
}

static void
SortByTime(const EventStream *stream, Event *events, uint32 n)
{
	CHECK_FOR_INTERRUPTS();
	if (stream->times.real)
		SortByReal(events, n);
	else
		SortByInteger(events, n);
}

static void
SortInMemory(EventStream *stream)
{
	MemoryLedger *ledger = stream->rows->ledger;
	uint32		n = (uint32) stream->rows->transactions;
	Size		events_size = n * sizeof(Event);
	Size		next_size = stream->npartitions * sizeof(uint32);
	Event	   *events = LedgerAlloc(ledger, events_size, "the events");
	uint32	   *next = LedgerAllocZero(ledger, next_size, "distinct partitions");
	uint32		start = 0;
	EventAdder	adder;

	FindPlaces(stream, next);
	PlaceEvents(stream, events, next);
	for (uint32 p = 0; p < stream->npartitions; start = next[p++])
		SortByTime(stream, events + start, next[p] - start);
	LedgerFree(ledger, next, next_size);

	StartAgain(stream, &adder);
	for (uint32 i = 0; i < n; i++)
	{
		if (i % INTERRUPT_EVENTS == 0)
		{
			CHECK_FOR_INTERRUPTS();
			CurrentRun->done = i;
		}
		EventAdderAdd(&adder, &events[i]);
	}
	LedgerFree(ledger, events, events_size);
}

/* The columns of events in PostgreSQL's sort; it sorts by the first two. */
#define SORT_COLUMNS	3
#define SORT_KEYS		2

static TupleDesc
SortedColumns(const EventStream *stream)
{
	TupleDesc	desc = CreateTemplateTupleDesc(SORT_COLUMNS);

	TupleDescInitEntry(desc, 1, "partition", INT4OID, -1, 0);
	TupleDescInitEntry(desc, 2, "time", stream->times.real ? FLOAT8OID : INT8OID, -1, 0);
	TupleDescInitEntry(desc, 3, "type", INT4OID, -1, 0);
	TupleDescFinalize(desc);
	return desc;
}

/* PostgreSQL compares the first key fastest.  So if there is only one partition, the time is the only key. */
static Tuplesortstate *
BeginSort(const EventStream *stream, TupleDesc desc, uint64 bytes)
{
	int			skip = stream->npartitions == 1;
	AttrNumber	columns[SORT_KEYS] = {1, 2};
	Oid			operators[SORT_KEYS] = {Int4LessOperator, stream->times.real ? Float8LessOperator : Int8LessOperator};
	Oid			collations[SORT_KEYS] = {InvalidOid, InvalidOid};
	bool		nulls_first[SORT_KEYS] = {false, false};

	return tuplesort_begin_heap(desc, SORT_KEYS - skip, columns + skip, operators + skip,
								collations + skip, nulls_first + skip,
								(int) Min(bytes / 1024, MAX_KILOBYTES), NULL, false);
}

static void
PutEvents(EventStream *stream, Tuplesortstate *sort, TupleDesc desc)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	EventReader reader;
	Event		event;

	memset(slot->tts_isnull, false, SORT_COLUMNS * sizeof(bool));
	EventReaderBegin(&reader, stream, true);
	while (NextToSort(&reader, &event))
	{
		ExecClearTuple(slot);
		slot->tts_values[0] = Int32GetDatum((int32) event.partition);
		slot->tts_values[1] = stream->times.real ? Float8GetDatum(event.time.real) :
			Int64GetDatum(event.time.integer);
		slot->tts_values[2] = Int32GetDatum((int32) event.type);
		ExecStoreVirtualTuple(slot);
		tuplesort_puttupleslot(sort, slot);
		if (reader.done % INTERRUPT_EVENTS == 0)
			CHECK_FOR_INTERRUPTS();
	}
	EventReaderEnd(&reader);
	ExecDropSingleTupleTableSlot(slot);
}

static void
GetEvents(EventStream *stream, Tuplesortstate *sort, TupleDesc desc)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	uint64		done = 0;
	EventAdder	adder;
	Event		event;

	StartAgain(stream, &adder);
	while (tuplesort_gettupleslot(sort, true, false, slot, NULL))
	{
		slot_getallattrs(slot);
		event.partition = (uint32) DatumGetInt32(slot->tts_values[0]);
		if (stream->times.real)
			event.time.real = DatumGetFloat8(slot->tts_values[1]);
		else
			event.time.integer = DatumGetInt64(slot->tts_values[1]);
		event.type = (uint32) DatumGetInt32(slot->tts_values[2]);
		EventAdderAdd(&adder, &event);
		if (++done % INTERRUPT_EVENTS == 0)
		{
			CHECK_FOR_INTERRUPTS();
			CurrentRun->done = done;
		}
	}
	ExecDropSingleTupleTableSlot(slot);
}

/* Sort with PostgreSQL's own sort, in half of the memory that is left but within the limits above. */
static void
SortExternally(EventStream *stream)
{
	MemoryLedger *ledger = stream->rows->ledger;
	uint64		bytes = Max(Min(LedgerRoom(ledger) / 2, MOST_SORT_BYTES), LEAST_SORT_BYTES);
	TupleDesc	desc = SortedColumns(stream);
	Tuplesortstate *sort;

	LedgerMakeRoom(ledger, bytes, "the events");
	sort = BeginSort(stream, desc, bytes);
	PutEvents(stream, sort, desc);
	tuplesort_performsort(sort);
	GetEvents(stream, sort, desc);
	tuplesort_end(sort);
	LedgerGiveBack(ledger, bytes);
	FreeTupleDesc(desc);
}

void
SortEvents(EventStream *stream)
{
	MemoryLedger *ledger = stream->rows->ledger;
	uint64		bytes = (uint64) stream->rows->transactions * sizeof(Event) +
		(uint64) stream->npartitions * sizeof(uint32);

	CurrentRun->total = stream->rows->transactions;
	if (bytes > LedgerRoom(ledger) / 2)
		LedgerRelieve(ledger);
	if (bytes <= LedgerRoom(ledger) / 2)
		SortInMemory(stream);
	else
		SortExternally(stream);
}

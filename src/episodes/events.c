/*-------------------------------------------------------------------------
 *
 * events.c
 *	  The events of a source, in the order of their partitions and times.
 *
 * Rows are read as they come.  As long as they come in order, as those of a log often do, an
 * event that repeats an earlier one is recognized at once and left out.  Otherwise the events are
 * sorted when all have been read, and then added to the stream once more in order.
 *
 * A partition is represented by the number of its value in a dictionary.  Numbers are fast to
 * compare, and the type of partitions needs no more than equality.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "episodes/event_sort.h"
#include "episodes/events.h"
#include "figures.h"
#include "forecast.h"
#include "miscadmin.h"
#include "read/ingest.h"
#include "read/lists.h"
#include "read/row_detail.h"
#include "utils/builtins.h"
#include "value_order.h"
#include "work/engine_choice.h"

/* The columns of a source, in this order. */
#define TYPE_COLUMN			0
#define TIME_COLUMN			1
#define PARTITION_COLUMN	2
#define MAX_COLUMNS			3

/*
 * Bytes in the engine's data for an event (its type, its position among the events of its type,
 * and its time), and for the first event beyond an edge of a gap, of which each event has one for
 * each edge.
 */
#define EVENT_BYTES			(2 * sizeof(uint32) + sizeof(FimTime))
#define EDGE_BYTES			sizeof(uint32)

#define INTERRUPT_PARTITIONS	65536

typedef struct EventReceiver
{
	IngestReceiver base;		/* must be first */
	EventStream *stream;
	EventAdder	adder;
} EventReceiver;

static void
RaiseNotTime(const GpufimRows *rows, TupleTableSlot *slot, TimeFault fault)
{
	const SourceColumn *column = SourceColumnOf(rows->source, ROLE_TIME);
	char	   *text = ColumnText(slot, TIME_COLUMN);

	switch (fault)
	{
		case TIME_TOO_LONG:
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("times in column \"%s\", named by \"%s\", have more than %d digits",
							column->name, column->argument, TIME_DIGITS),
					 RowDetail(rows, slot),
					 errhint("Digits are counted down to the last one behind the point that any time has. "
							 "Round the times in a query.")));
			break;
		case TIME_TOO_LARGE:
			ereport(ERROR,
					(errcode(ERRCODE_INTERVAL_FIELD_OVERFLOW),
					 errmsg("interval \"%s\" in column \"%s\", named by \"%s\", is out of range",
							text, column->name, column->argument),
					 RowDetail(rows, slot)));
			break;
		default:
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("\"%s\" in column \"%s\", named by \"%s\", is not a time",
							text, column->name, column->argument),
					 RowDetail(rows, slot),
					 errhint("Times are finite. Leave other rows out in a query.")));
	}
}

/*
 * Take the time of a row.  If its digits make the scale grow, the times of all events before it
 * are fitted to the new scale.
 */
static FimTime
TakeTime(EventReceiver *receiver, TupleTableSlot *slot)
{
	EventStream *stream = receiver->stream;
	GpufimRows *rows = stream->rows;
	MemoryContext old = MemoryContextSwitchTo(rows->ledger->scratch);
	FimTime		time;
	TimeFault	fault = TimeOfValue(&stream->times, slot->tts_values[TIME_COLUMN], &time);

	MemoryContextSwitchTo(old);
	if (unlikely(fault != TIME_GOOD))
		RaiseNotTime(rows, slot, fault);
	if (unlikely(stream->times.grown > 0))
	{
		EventAdderRefine(&receiver->adder, stream->times.grown);
		stream->times.grown = 0;
	}
	return time;
}

static bool
ReceiveEvent(TupleTableSlot *slot, DestReceiver *self)
{
	EventReceiver *receiver = (EventReceiver *) self;
	EventStream *stream = receiver->stream;
	GpufimRows *rows = stream->rows;
	Event		event;

	CountRow(&receiver->base);
	slot_getallattrs(slot);
	if (slot->tts_isnull[TYPE_COLUMN] || slot->tts_isnull[TIME_COLUMN] ||
		(stream->partitions != NULL && slot->tts_isnull[PARTITION_COLUMN]))
		return true;
	event.time = TakeTime(receiver, slot);
	event.type = LookupItem(rows->items, slot->tts_values[TYPE_COLUMN]);
	event.partition = stream->partitions == NULL ? 0 :
		LookupItem(stream->partitions, slot->tts_values[PARTITION_COLUMN]);
	EventAdderAdd(&receiver->adder, &event);
	ForgetRow(rows);
	return true;
}

static GpufimSource *
OpenSource(const EventSource *from)
{
	SourceColumn columns[MAX_COLUMNS];
	SourceColumn *next = columns;

	next = SourceColumnSet(next, ROLE_ITEM, from->event_column, "event_column");
	next[-1].witness = from->event_witness;
	next[-1].value = "event type";
	next[-1].values = "event types";
	next[-1].witness_argument = "event_type";
	next = SourceColumnSet(next, ROLE_TIME, from->time_column, "time_column");
	next[-1].witness = from->time_witness;
	next[-1].value = "time";
	next[-1].values = "times";
	next[-1].witness_argument = "time_type";
	if (from->partition_column != NULL)
		next = SourceColumnSet(next, ROLE_TRANSACTION, from->partition_column, "partition_column");
	return SourceOpen(from->source, columns, next - columns);
}

static void
CheckTime(const SourceColumn *column)
{
	if (!IsTimeType(column->type))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\", named by \"%s\", is of type %s, which is not supported for times",
						column->name, column->argument, format_type_be(column->type)),
				 errhint("Times are numbers, dates, times without time zone, timestamps or intervals. "
						 "Cast the column to such a type in a query.")));
}

static double
EventsBytes(const RowLayout *layout, double rows, double entries, double nitems)
{
	return entries * layout->entry_bytes;
}

static EventStream *
CreateStream(const GpufimSource *source, const EventSource *from, MemoryLedger *ledger)
{
	const SourceColumn *type = SourceColumnOf(source, ROLE_ITEM);
	const SourceColumn *time = SourceColumnOf(source, ROLE_TIME);
	const SourceColumn *partition = SourceColumnOf(source, ROLE_TRANSACTION);
	RowLayout	layout = {.minsup = from->minsup,.foresee = ForecastMemory,.data_bytes = EventsBytes,
	.entry_bytes = EVENT_BYTES + (2 * from->ngaps + 1) * EDGE_BYTES};
	EventStream *stream = MemoryContextAllocZero(ledger->context, sizeof(EventStream));
	Dictionary *types = DictionaryCreate(ledger, type->type, type->collation, true,
										 "distinct event types");

	TimesInit(&stream->times, time->type, time->typmod);
	if (partition != NULL)
		stream->partitions = DictionaryCreate(ledger, partition->type, partition->collation,
											  from->sort_partitions, "distinct partitions");
	stream->rows = RowsCreate(ledger, source, &layout, types);
	stream->rows->growth.transactions = stream->partitions;
	return stream;
}

/*
 * Set stream->rank, so that events will be sorted by the order of their partitions' values, and
 * stream->names if the values are kept.  Returns false if that is the order of first appearance.
 */
static bool
RankPartitions(EventStream *stream, bool keep)
{
	MemoryLedger *ledger = stream->rows->ledger;
	uint32		n = stream->npartitions;
	Size		size = (Size) n * sizeof(SortedValue);
	SortedValue *sorted = LedgerAlloc(ledger, size, "distinct partitions");
	uint32	   *rank = LedgerAlloc(ledger, (Size) n * sizeof(uint32), "distinct partitions");
	bool		differ = false;

	for (uint32 id = 0; id < n; id++)
	{
		if (id % INTERRUPT_PARTITIONS == 0)
			CHECK_FOR_INTERRUPTS();
		sorted[id].value = stream->partitions->entries[id].value;
		sorted[id].id = id;
	}
	SortValues(ledger, stream->partitions, sorted, n);
	if (keep)
		stream->names = LedgerAlloc(ledger, (Size) n * sizeof(uint32), "distinct partitions");
	for (uint32 i = 0; i < n; i++)
	{
		if (i % INTERRUPT_PARTITIONS == 0)
			CHECK_FOR_INTERRUPTS();
		rank[sorted[i].id] = i;
		if (keep)
			stream->names[i] = sorted[i].id;
		differ |= sorted[i].id != i;
	}
	stream->rank = rank;
	LedgerFree(ledger, sorted, size);
	return differ;
}

EventStream *
ReadEvents(const EventSource *from, MemoryLedger *ledger)
{
	EventReceiver receiver = {{{0}}};
	GpufimSource *source;
	EventStream *stream;

	SourceConnect();
	source = OpenSource(from);
	CheckTime(SourceColumnOf(source, ROLE_TIME));

	/* A call for an engine or strategy that is not available should fail before the source is scanned. */
	CheckEngineChoice(&FimEpisodesFamily);
	stream = CreateStream(source, from, ledger);
	receiver.base.rows = stream->rows;
	receiver.stream = stream;
	EventAdderBegin(&receiver.adder, stream);
	IngestInto(source, &receiver.base, ReceiveEvent);
	ReportRows(&receiver.base);
	NoteLists(source, SourceColumnOf(source, ROLE_ITEM), stream->rows->items, "event type", false);
	SourceDisconnect();
	stream->npartitions = stream->partitions ? stream->partitions->n : 1;
	stream->rows->growth.transactions = NULL;
	RunEnterPhase(GPUFIM_ENCODING);
	if (from->sort_partitions && stream->partitions != NULL &&
		RankPartitions(stream, from->keep_partitions))
		receiver.adder.in_order = false;
	if (!from->keep_partitions && stream->partitions != NULL)
	{
		DictionaryFree(stream->partitions);
		stream->partitions = NULL;
	}
	if (!receiver.adder.in_order)
		SortEvents(stream);
	CurrentRun->transactions = stream->rows->transactions;
	return stream;
}

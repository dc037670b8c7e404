/*-------------------------------------------------------------------------
 *
 * events.c
 *	  The events of a source, in the order of their partitions and times.
 *
 * Rows are read as they come, by one or several processes.  Where several read, each sorts what it has
 * read, and the leader merges.
 *
 * A partition is represented by the number of its value in a dictionary.  Numbers are fast to
 * compare, and the type of partitions needs no more than equality.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "episodes/episodes.h"
#include "gpufim.h"
#include "items.h"
#include "miscadmin.h"
#include "optimizer/cost.h"
#include "read/read.h"
#include "read/rows.h"
#include "utils/builtins.h"
#include "work/work.h"

/* The columns of a source, in this order. */
#define TYPE_COLUMN			0
#define TIME_COLUMN			1
#define PARTITION_COLUMN	2
#define MAX_COLUMNS			3

#define INTERRUPT_PARTITIONS	65536

/* What a process that has read events tells another one beside these. */
typedef struct EventFigures
{
	uint64		repeated;
	bool		in_order;
} EventFigures;

typedef struct EventReceiver
{
	Receiver	base;			/* must be first */
	bool		sorts_partitions;	/* the input: the values of partitions are needed */
	EventFigures figures;		/* for ContentsOfEvents() */
	EventStream *stream;
	EventAdder	adder;
} EventReceiver;

static void
RaiseNotTime(const GpufimRows *rows, const SourceRow *row, TimeFault fault)
{
	const SourceColumn *column = SourceColumnOf(rows->source, ROLE_TIME);
	char	   *text = ColumnText(row, TIME_COLUMN);

	switch (fault)
	{
		case TIME_TOO_LONG:
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("times in column \"%s\", named by \"%s\", have more than %d digits",
							column->name, column->argument, TIME_DIGITS),
					 RowDetail(rows, row),
					 errhint("Digits are counted down to the last one behind the point that any time has. "
							 "Round the times in a query.")));
			break;
		case TIME_TOO_LARGE:
			ereport(ERROR,
					(errcode(ERRCODE_INTERVAL_FIELD_OVERFLOW),
					 errmsg("interval \"%s\" in column \"%s\", named by \"%s\", is out of range",
							text, column->name, column->argument),
					 RowDetail(rows, row)));
			break;
		default:
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("\"%s\" in column \"%s\", named by \"%s\", is not a time",
							text, column->name, column->argument),
					 RowDetail(rows, row),
					 errhint("Times are finite. Leave other rows out in a query.")));
	}
}

/*
 * Take the time of a row.  If its digits make the scale grow, the times of all events before it
 * are fitted to the new scale.
 */
static FimTime
TakeTime(EventReceiver *receiver, const SourceRow *row)
{
	EventStream *stream = receiver->stream;
	GpufimRows *rows = stream->rows;
	MemoryContext old = MemoryContextSwitchTo(rows->ledger->scratch);
	FimTime		time;
	TimeFault	fault = TimeOfValue(&stream->times, RowValue(row, TIME_COLUMN), &time);

	MemoryContextSwitchTo(old);
	if (unlikely(fault != TIME_GOOD))
		RaiseNotTime(rows, row, fault);
	if (unlikely(stream->times.grown > 0))
	{
		EventAdderRefine(&receiver->adder, stream->times.grown);
		stream->times.grown = 0;
	}
	return time;
}

static void
ReceiveEvent(Receiver *base, const SourceRow *row)
{
	EventReceiver *receiver = (EventReceiver *) base;
	EventStream *stream = receiver->stream;
	GpufimRows *rows = stream->rows;
	Event		event;

	if (RowIsNull(row, TYPE_COLUMN) || RowIsNull(row, TIME_COLUMN) ||
		(stream->partitions != NULL && RowIsNull(row, PARTITION_COLUMN)))
		return;
	event.time = TakeTime(receiver, row);
	event.type = LookupItem(rows->items, RowValue(row, TYPE_COLUMN));
	event.partition = stream->partitions == NULL ? 0 :
		LookupItem(stream->partitions, RowValue(row, PARTITION_COLUMN));
	EventAdderAdd(&receiver->adder, &event);
	LedgerForget(rows->ledger);
}

static GpufimSource *
OpenSource(const EventSource *from)
{
	SourceColumn columns[MAX_COLUMNS];
	SourceColumn *next = columns;

	next = SourceColumnSet(next, ROLE_ITEM, from->event_column, "event_column");
	next[-1].type_sample = from->event_sample;
	next[-1].value = "event type";
	next[-1].values = "event types";
	next[-1].sample_argument = "event_type";
	next = SourceColumnSet(next, ROLE_TIME, from->time_column, "time_column");
	next[-1].type_sample = from->time_sample;
	next[-1].value = "time";
	next[-1].values = "times";
	next[-1].sample_argument = "time_type";
	if (from->partition_column != NULL)
		next = SourceColumnSet(next, ROLE_TRANSACTION, from->partition_column, "partition_column");
	return SourceOpen(from->source, columns, next - columns);
}

/* Can the scale of the times grow while they are read? */
static bool
TimesMayGrow(const SourceColumn *column)
{
	return column->type == NUMERICOID;
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

static EventStream *
CreateStream(const GpufimSource *source, bool keep_partitions, MemoryLedger *ledger)
{
	const SourceColumn *type = SourceColumnOf(source, ROLE_ITEM);
	const SourceColumn *time = SourceColumnOf(source, ROLE_TIME);
	const SourceColumn *partition = SourceColumnOf(source, ROLE_TRANSACTION);
	RowLayout	layout = {0};
	EventStream *stream = MemoryContextAllocZero(ledger->context, sizeof(EventStream));
	Dictionary *types = DictionaryCreate(ledger, type->type, type->collation, true,
										 "distinct event types");

	TimesInit(&stream->times, time->type, time->typmod);
	if (partition != NULL)
		stream->partitions = DictionaryCreate(ledger, partition->type, partition->collation,
											  keep_partitions, "distinct partitions");
	stream->rows = RowsCreate(ledger, source, &layout, types, NULL);
	return stream;
}

static void
BeginEvents(Receiver *base)
{
	EventReceiver *receiver = (EventReceiver *) base;

	/* another process asks for the values */
	receiver->stream = CreateStream(base->source, receiver->sorts_partitions || base->helps, base->ledger);
	base->rows = receiver->stream->rows;
	base->receive = ReceiveEvent;
	EventAdderBegin(&receiver->adder, receiver->stream);
}

static void
CountPartitions(EventStream *stream)
{
	stream->npartitions = stream->partitions ? stream->partitions->n : 1;
}

/*
 * Where several processes read, each puts the events in order that it has read, unless all of them together
 * would need too much memory for that.
 */
static void
SortOwnEvents(Receiver *base)
{
	EventReceiver *receiver = (EventReceiver *) base;
	EventStream *stream = receiver->stream;

	if (base->shared == NULL || receiver->adder.in_order)
		return;
	CountPartitions(stream);
	if (BytesToSortEvents(stream) <= LedgerRoom(base->ledger) / 2 / (max_parallel_workers_per_gather + 1))
		SortEventsInMemory(stream, &receiver->adder);
}

static void
ContentsOfEvents(Receiver *base, ReceiverContents *contents)
{
	EventReceiver *receiver = (EventReceiver *) base;
	EventStream *stream = receiver->stream;

	contents->nrows = contents->ndictionaries = 1;
	contents->rows[0] = stream->rows;
	contents->dictionaries[0] = stream->rows->items;
	contents->numbers[0][0] = 0;
	contents->numbers[0][1] = NO_DICTIONARY;
	if (stream->partitions != NULL)
	{
		contents->numbers[0][1] = contents->ndictionaries;
		contents->dictionaries[contents->ndictionaries++] = stream->partitions;
	}
	receiver->figures = (EventFigures) {stream->repeated, receiver->adder.in_order};
	contents->figures = &receiver->figures;
	contents->figures_size = sizeof(receiver->figures);
}

/*
 * Events of several processes are not in order, even if those of each process are, by its own numbers of
 * partitions.
 */
static void
AddEventFigures(Receiver *base, const void *figures)
{
	EventReceiver *receiver = (EventReceiver *) base;
	EventStream *stream = receiver->stream;
	EventFigures added;

	memcpy(&added, figures, sizeof(added));
	stream->repeated += added.repeated;
	stream->in_stretches = added.in_order && (stream->in_stretches || receiver->adder.in_order);
	receiver->adder.in_order = false;
	if (stream->rows->transactions > FIM_MAX_EVENTS)
		RaiseTooManyEvents();
}

/* Other processes find it by its name. */
extern PGDLLEXPORT const ReceiverKind GpufimEventReceiver;

const ReceiverKind GpufimEventReceiver = {
	.symbol = "GpufimEventReceiver",
	.size = sizeof(EventReceiver),
	.input_size = sizeof(bool),
	.begin = BeginEvents,
	.pause = SortOwnEvents,
	.end = SortOwnEvents,
	.contents = ContentsOfEvents,
	.add = AddEventFigures
};

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

typedef struct EventReading
{
	GpufimSource *source;
	bool		sorts_partitions;
	MemoryLedger *ledger;
	EventReceiver receiver;
} EventReading;

static void
ReadOpenSource(void *arg)
{
	EventReading *reading = arg;

	memset(&reading->receiver, 0, sizeof(EventReceiver));
	reading->receiver.sorts_partitions = reading->sorts_partitions;
	SourceRead(reading->source, &GpufimEventReceiver, &reading->receiver.base, reading->ledger);
}

EventStream *
ReadEvents(const EventSource *from, MemoryLedger *ledger)
{
	EventReading reading = {.sorts_partitions = from->sort_partitions,.ledger = ledger};
	EventAdder *adder = &reading.receiver.adder;
	GpufimSource *source;
	EventStream *stream;

	SourceConnect();
	source = OpenSource(from);
	CheckTime(SourceColumnOf(source, ROLE_TIME));
	/* several processes would have to agree on the number of digits */
	if (TimesMayGrow(SourceColumnOf(source, ROLE_TIME)))
		SourceReadInOrder(source);

	/* A call for an engine or strategy that is not available should fail before the source is scanned. */
	CheckEngineChoice(&FimEpisodesFamily, false);
	reading.source = source;
	ReadWithinLimit(ledger, ReadOpenSource, &reading);
	stream = reading.receiver.stream;
	NoteLists(source, SourceColumnOf(source, ROLE_ITEM), stream->rows->items, "event type", false);
	SourceDisconnect();
	CountPartitions(stream);
	RunEnterPhase(GPUFIM_ENCODING);
	if (from->sort_partitions && stream->partitions != NULL &&
		RankPartitions(stream, from->keep_partitions))
		adder->in_order = false;
	if (!from->keep_partitions && stream->partitions != NULL)
	{
		DictionaryFree(stream->partitions);
		stream->partitions = NULL;
	}
	CurrentRun->total = stream->rows->transactions;
	if (!adder->in_order && !MergeEvents(stream))
		SortEvents(stream, adder);
	CurrentRun->transactions = stream->rows->transactions;
	return stream;
}

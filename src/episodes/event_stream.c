/*-------------------------------------------------------------------------
 *
 * event_stream.c
 *	  Streams of events: events are added as they come, brought into order, and read.
 *
 * As long as events come in order, as those of a log often do, one that repeats an earlier one is
 * recognized at once and left out.  Otherwise the events are sorted when all have been added, and then
 * added to the stream once more in order.  Where several processes have each sorted their own, these
 * streams are merged (merge.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "episodes/episodes.h"
#include "executor/tuptable.h"
#include "gpufim.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "read/rows.h"
#include "utils/guc.h"
#include "utils/tuplesort.h"

/*
 * Adding events to a stream, and reading them from it.
 */

void
EventAdderBegin(EventAdder *adder, EventStream *stream)
{
	memset(adder, 0, sizeof(EventAdder));
	adder->stream = stream;
	adder->in_order = true;
}

/*
 * Update adder->in_order for the next event, and adder->simultaneous if the event's partition or
 * time differs from the last one's.
 */
static void
CheckOrder(EventAdder *adder, const Event *event)
{
	const EventStream *stream = adder->stream;
	const Event *last = &adder->last;
	uint32		n = (uint32) stream->rows->transactions;

	if (event->partition != last->partition)
	{
		adder->in_order = event->partition > last->partition;
		adder->simultaneous = n;
	}
	else if (IsLater(&stream->times, event->time, last->time))
		adder->simultaneous = n;
	else
		adder->in_order = !IsLater(&stream->times, last->time, event->time);
}

void
RaiseTooManyEvents(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("too many events"),
			 errdetail("At most %u can be mined in one call.", FIM_MAX_EVENTS),
			 errhint("Select fewer rows.")));
}

/*
 * As long as events come in order, the stamp of a type is the number of its last event, counted
 * from 1. So an event is a repeated one if that stamp is above the number of events before its
 * time.
 */
void
EventAdderAdd(EventAdder *adder, const Event *event)
{
	EventStream *stream = adder->stream;
	GpufimRows *rows = stream->rows;
	DictionaryEntry *type = &rows->items->entries[event->type];

	if (adder->in_order)
	{
		if (rows->transactions > 0)
			CheckOrder(adder, event);
		if (adder->in_order && type->stamp > adder->simultaneous)
		{
			stream->repeated++;
			return;
		}
		adder->last = *event;
	}
	if (unlikely(rows->transactions >= FIM_MAX_EVENTS))
		RaiseTooManyEvents();
	memcpy(ChunkReserve(rows, &rows->records, EVENT_WORDS), event, sizeof(Event));
	ChunkAdvance(&rows->records, EVENT_WORDS);
	type->stamp = (uint32) ++rows->transactions;
	type->count++;
}

void
EventAdderRefine(EventAdder *adder, int power)
{
	EventStream *stream = adder->stream;
	uint64		events = stream->rows->transactions;
	int64		factor = PowerOfTen(power);

	adder->last.time.integer *= factor;
	for (int i = 0; i < stream->ncoarse; i++)
		stream->coarse[i].factor *= factor;
	if (events == 0 || (stream->ncoarse > 0 && stream->coarse[stream->ncoarse - 1].events == events))
		return;
	stream->coarse[stream->ncoarse].events = events;
	stream->coarse[stream->ncoarse++].factor = factor;
}

void
EventReaderBegin(EventReader *reader, EventStream *stream, bool consume)
{
	memset(reader, 0, sizeof(EventReader));
	reader->stream = stream;
	reader->chunks = stream->rows->records;
	ChunkWalkBegin(&reader->walk, stream->rows, &reader->chunks, consume);
	if (consume)
		memset(&stream->rows->records, 0, sizeof(ChunkList));
}

/* Go on to the next chunk.  Returns false if there is none. */
bool
EventReaderAdvance(EventReader *reader)
{
	uint32	   *words;
	uint32	   *end;

	if (!ChunkWalkNext(&reader->walk, &words, &end))
		return false;
	reader->at = (const Event *) words;
	reader->end = (const Event *) end;
	reader->part = reader->walk.chunk->part;
	return true;
}

void
EventReaderEnd(EventReader *reader)
{
	ChunkWalkEnd(&reader->walk);
}

/*
 * Putting the events of a stream in order.
 */

#define INTERRUPT_EVENTS	65536	/* between two checks for interrupts or reports of progress */

/*
 * The memory that PostgreSQL's sort may use, in bytes.  With less than the lower limit it does
 * not work well.  More than the upper limit would not make it faster, because it merges some
 * hundreds of runs at once; but it would be interrupted later, because it writes out a run
 * without checking for interrupts, at about a millisecond for a megabyte.
 */
#define LEAST_SORT_BYTES	(UINT64CONST(64) * 1024)
#define MOST_SORT_BYTES		(UINT64CONST(64) * 1024 * 1024)

/* Show the progress of a sort, unless it is one that belongs to reading. */
static void
ShowSorted(uint64 done)
{
	CHECK_FOR_INTERRUPTS();
	if (CurrentRun != NULL && CurrentRun->phase == GPUFIM_ENCODING)
		CurrentRun->done = done;
}

/* Empty the stream, and begin to add its events again. */
static void
StartAgain(EventStream *stream, EventAdder *adder)
{
	DictionaryForgetCounts(stream->rows->items);
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

/*
 * Sorting by time, which is a whole number.  Events are dealt to buckets of equally long spans of time, each of which is
 * then sorted in the same way.  So an event moves a few times, while sorting by comparisons would take as many steps as
 * the number of events has bits.  Events are dealt in place, since there may be no room for them twice.
 */

/* So few events are inserted one after the other. */
#define EVENTS_TO_INSERT	16

#define MOST_BUCKET_BITS	8
#define MOST_BUCKETS		(1 << MOST_BUCKET_BITS)

/* So many events further on, another cache line is fetched. */
#define EVENTS_AHEAD		4

static void
InsertEvents(Event *events, uint32 n)
{
	for (uint32 i = 1; i < n; i++)
	{
		Event		moved = events[i];
		uint32		at = i;

		for (; at > 0 && events[at - 1].time.integer > moved.time.integer; at--)
			events[at] = events[at - 1];
		events[at] = moved;
	}
}

static inline uint32
BucketOf(const Event *event, int64 low, int shift)
{
	return (uint32) (((uint64) event->time.integer - (uint64) low) >> shift);
}

/*
 * Deal events to buckets, of which next[] are the beginnings and end[] the ends.  Each event takes the place of another
 * one, which is dealt next, so places are fetched into the cache when the bucket gets the event before.
 */
static void
DealEvents(Event *events, uint32 nbuckets, uint32 *next, const uint32 *end, int64 low, int shift)
{
	for (uint32 bucket = 0; bucket < nbuckets; bucket++)
	{
		CHECK_FOR_INTERRUPTS();
		while (next[bucket] < end[bucket])
		{
			Event		moved = events[next[bucket]];
			uint32		to;

			while ((to = BucketOf(&moved, low, shift)) != bucket)
			{
				Event		displaced = events[next[to]];

#ifdef __GNUC__
				__builtin_prefetch(&events[next[to] + EVENTS_AHEAD], 1);
#endif
				events[next[to]++] = moved;
				moved = displaced;
			}
			events[next[bucket]++] = moved;
		}
	}
}

static void
SortByInteger(Event *events, uint32 n)
{
	uint32		next[MOST_BUCKETS];
	uint32		end[MOST_BUCKETS];
	int64		low;
	int64		high;
	bool		in_order = true;
	uint32		nbuckets;
	uint32		sum = 0;
	int			shift;

	if (n <= EVENTS_TO_INSERT)
	{
		InsertEvents(events, n);
		return;
	}
	low = high = events[0].time.integer;
	for (uint32 i = 1; i < n; i++)
	{
		in_order &= events[i - 1].time.integer <= events[i].time.integer;
		low = Min(low, events[i].time.integer);
		high = Max(high, events[i].time.integer);
	}
	if (in_order)
		return;
	/* a few events go to each bucket */
	shift = pg_leftmost_one_pos64((uint64) high - (uint64) low) + 1 - Min(pg_leftmost_one_pos32(n) - 1, MOST_BUCKET_BITS);
	shift = Max(shift, 0);
	nbuckets = (uint32) (((uint64) high - (uint64) low) >> shift) + 1;
	memset(end, 0, nbuckets * sizeof(uint32));
	for (uint32 i = 0; i < n; i++)
		end[BucketOf(&events[i], low, shift)]++;
	for (uint32 bucket = 0; bucket < nbuckets; bucket++)
	{
		next[bucket] = sum;
		sum = end[bucket] += sum;
	}
	DealEvents(events, nbuckets, next, end, low, shift);
	for (uint32 bucket = 0, start = 0; bucket < nbuckets; start = end[bucket++])
		SortByInteger(events + start, end[bucket] - start);
}

/* Turn real times into whole numbers of the same order, or back again. */
static void
TurnReals(Event *events, uint32 n)
{
	for (uint32 i = 0; i < n; i++)
		events[i].time.integer ^= events[i].time.integer < 0 ? PG_INT64_MAX : 0;
}

void
SortByTime(const EventStream *stream, Event *events, uint32 n)
{
	CHECK_FOR_INTERRUPTS();
	if (stream->times.real)
		TurnReals(events, n);
	SortByInteger(events, n);
	if (stream->times.real)
		TurnReals(events, n);
}

/* Returns the end of the ascending run that begins at "start". */
static uint32
EndOfRun(const EventTimes *times, const Event *events, uint32 start, uint32 n)
{
	uint32		i = start + 1;

	while (i < n && !IsLater(times, events[i - 1].time, events[i].time))
		i++;
	return Min(i, n);
}

/* Merge two runs, which end at "middle" and at "end". */
static void
MergeTwoRuns(const EventTimes *times, const Event *from, uint32 start, uint32 middle, uint32 end, Event *to)
{
	uint32		i = start;
	uint32		j = middle;

	for (uint32 k = start; k < end; k++)
	{
		if (k % INTERRUPT_EVENTS == 0)
			CHECK_FOR_INTERRUPTS();
		if (j == end || (i < middle && !IsLater(times, from[i].time, from[j].time)))
			to[k] = from[i++];
		else
			to[k] = from[j++];
	}
}

/* Sort events that are a few ascending runs.  There is room for as many in "spare". */
static void
MergeRuns(const EventTimes *times, Event *events, uint32 n, Event *spare)
{
	Event	   *from = events;
	Event	   *to = spare;

	while (EndOfRun(times, from, 0, n) < n)
	{
		Event	   *merged = to;

		CHECK_FOR_INTERRUPTS();
		for (uint32 start = 0, end; start < n; start = end)
		{
			uint32		middle = EndOfRun(times, from, start, n);

			end = EndOfRun(times, from, middle, n);
			MergeTwoRuns(times, from, start, middle, end, to);
		}
		to = from;
		from = merged;
	}
	if (from != events)
		memcpy(events, from, n * sizeof(Event));
}

/* Sort the events of each partition, of which next[p] is the end. */
static void
SortPartitions(EventStream *stream, Event *events, const uint32 *next)
{
	MemoryLedger *ledger = stream->rows->ledger;
	Event	   *spare = NULL;
	uint32		longest = 0;

	if (stream->in_stretches)
	{
		for (uint32 p = 0, start = 0; p < stream->npartitions; start = next[p++])
			longest = Max(longest, next[p] - start);
		spare = LedgerAlloc(ledger, longest * sizeof(Event), "the events");
	}
	for (uint32 p = 0, start = 0; p < stream->npartitions; start = next[p++])
	{
		if (stream->in_stretches)
			MergeRuns(&stream->times, events + start, next[p] - start, spare);
		else
			SortByTime(stream, events + start, next[p] - start);
	}
	LedgerFree(ledger, spare, longest * sizeof(Event));
}

void
SortEventsInMemory(EventStream *stream, EventAdder *adder)
{
	MemoryLedger *ledger = stream->rows->ledger;
	uint32		n = (uint32) stream->rows->transactions;
	Size		events_size = n * sizeof(Event);
	Size		next_size = stream->npartitions * sizeof(uint32);
	Event	   *events = LedgerAlloc(ledger, events_size, "the events");
	uint32	   *next = LedgerAllocZero(ledger, next_size, "distinct partitions");

	if (stream->npartitions > 1)
		FindPlaces(stream, next);
	PlaceEvents(stream, events, next);
	SortPartitions(stream, events, next);
	LedgerFree(ledger, next, next_size);

	StartAgain(stream, adder);
	for (uint32 i = 0; i < n; i++)
	{
		if (i % INTERRUPT_EVENTS == 0)
			ShowSorted(i);
		EventAdderAdd(adder, &events[i]);
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
GetEvents(EventStream *stream, EventAdder *adder, Tuplesortstate *sort, TupleDesc desc)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	uint64		done = 0;
	Event		event;

	StartAgain(stream, adder);
	while (tuplesort_gettupleslot(sort, true, false, slot, NULL))
	{
		slot_getallattrs(slot);
		event.partition = (uint32) DatumGetInt32(slot->tts_values[0]);
		if (stream->times.real)
			event.time.real = DatumGetFloat8(slot->tts_values[1]);
		else
			event.time.integer = DatumGetInt64(slot->tts_values[1]);
		event.type = (uint32) DatumGetInt32(slot->tts_values[2]);
		EventAdderAdd(adder, &event);
		if (++done % INTERRUPT_EVENTS == 0)
			ShowSorted(done);
	}
	ExecDropSingleTupleTableSlot(slot);
}

/* Sort with PostgreSQL's own sort, in half of the memory that is left but within the limits above. */
static void
SortExternally(EventStream *stream, EventAdder *adder)
{
	MemoryLedger *ledger = stream->rows->ledger;
	uint64		bytes = Max(Min(LedgerRoom(ledger) / 2, MOST_SORT_BYTES), LEAST_SORT_BYTES);
	TupleDesc	desc = SortedColumns(stream);
	Tuplesortstate *sort;

	LedgerMakeRoom(ledger, bytes, "the events");
	sort = BeginSort(stream, desc, bytes);
	PutEvents(stream, sort, desc);
	tuplesort_performsort(sort);
	GetEvents(stream, adder, sort, desc);
	tuplesort_end(sort);
	LedgerGiveBack(ledger, bytes);
	FreeTupleDesc(desc);
}

uint64
BytesToSortEvents(const EventStream *stream)
{
	return (uint64) stream->rows->transactions * sizeof(Event) +
		(uint64) stream->npartitions * sizeof(uint32);
}

void
SortEvents(EventStream *stream, EventAdder *adder)
{
	MemoryLedger *ledger = stream->rows->ledger;
	uint64		bytes = BytesToSortEvents(stream);

	if (bytes > LedgerRoom(ledger) / 2)
		LedgerRelieve(ledger);
	if (bytes <= LedgerRoom(ledger) / 2)
		SortEventsInMemory(stream, adder);
	else
		SortExternally(stream, adder);
}

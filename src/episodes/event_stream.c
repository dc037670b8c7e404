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
		/* events out of order are read once more by this process, which sorts them, and need no shared memory */
		rows->passing = !adder->in_order;
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
	stream->rows->passing = false;
	memset(stream->coarse, 0, sizeof(stream->coarse));
	stream->ncoarse = 0;
	EventAdderBegin(adder, stream);
}

/* Read the next event.  If partitions have ranks, the event's partition becomes its rank. */
static inline bool
NextToSort(EventReader *reader, Event *event)
{
	if (!EventReaderNext(reader, event))
		return false;
	if (reader->stream->rank != NULL)
		event->partition = reader->stream->rank[event->partition];
	return true;
}

/* The same, with a time that is a whole number, as sorting in memory has them. */
static inline bool
NextKeyed(EventReader *reader, Event *event)
{
	if (!NextToSort(reader, event))
		return false;
	event->time.integer = KeyOfTime(&reader->stream->times, event->time);
	return true;
}

/*
 * Sorting by keys.  Events are dealt to equally long spans, each of which is then sorted in the same way.  So an event moves
 * a few times, while sorting by comparisons would take as many steps as the number of events has bits.  Many events are dealt in
 * place, since there may be no room for them twice.  Few are dealt to other memory, which takes a third of the time.
 */

#define SPAN_BITS		11
#define MOST_SPANS		(1 << SPAN_BITS)

/* So few events are inserted one after the other. */
#define EVENTS_TO_INSERT	16

/* So many events further on, another cache line is fetched. */
#define EVENTS_AHEAD		4

static inline void
FetchAhead(const Event *event)
{
#ifdef __GNUC__
	__builtin_prefetch(event + EVENTS_AHEAD, 1);
#endif
}

/* The number of low bits that do not matter when the keys from low to high are divided into up to 2^bits spans. */
static int
SpanShift(int64 low, int64 high, int bits)
{
	return Max(pg_leftmost_one_pos64(((uint64) high - (uint64) low) | 1) + 1 - bits, 0);
}

static inline uint32
SpanOf(int64 key, int64 low, int shift)
{
	return (uint32) (((uint64) key - (uint64) low) >> shift);
}

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

/*
 * Deal events to spans, of which next[] are the beginnings and end[] the ends, in place.  Each event takes the place of another
 * one, which is dealt next, so places are fetched into the cache when the span gets the event before.
 */
static void
DealInPlace(Event *events, uint32 nspans, uint32 *next, const uint32 *end, int64 low, int shift)
{
	for (uint32 span = 0; span < nspans; span++)
	{
		CHECK_FOR_INTERRUPTS();
		while (next[span] < end[span])
		{
			Event		moved = events[next[span]];
			uint32		to;

			while ((to = SpanOf(moved.time.integer, low, shift)) != span)
			{
				Event		displaced = events[next[to]];

				FetchAhead(&events[next[to]]);
				events[next[to]++] = moved;
				moved = displaced;
			}
			events[next[span]++] = moved;
		}
	}
}

void
SortEventsByKey(Event *events, uint32 n, Event *spare)
{
	uint32		next[MOST_SPANS];
	uint32		end[MOST_SPANS];
	int64		low;
	int64		high;
	bool		in_order = true;
	uint32		nspans;
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
	/* one event goes to most of them, or none */
	shift = SpanShift(low, high, Min(pg_leftmost_one_pos32(n) + 1, SPAN_BITS));
	nspans = SpanOf(high, low, shift) + 1;
	memset(end, 0, nspans * sizeof(uint32));
	for (uint32 i = 0; i < n; i++)
		end[SpanOf(events[i].time.integer, low, shift)]++;
	for (uint32 span = 0; span < nspans; span++)
	{
		next[span] = sum;
		sum = end[span] += sum;
	}
	if (n <= MOST_SPARE_EVENTS)
	{
		for (uint32 i = 0; i < n; i++)
			spare[next[SpanOf(events[i].time.integer, low, shift)]++] = events[i];
		memcpy(events, spare, n * sizeof(Event));
	}
	else
		DealInPlace(events, nspans, next, end, low, shift);
	/* their keys have five bits less at least, so this does not go deep */
	for (uint32 span = 0, start = 0; span < nspans; start = end[span++])
	{
		if (end[span] - start > EVENTS_TO_INSERT)
			SortEventsByKey(events + start, end[span] - start, spare);
	}
	InsertEvents(events, n);
}

/*
 * Buckets to which the events are dealt when they move to an array, in which they are sorted then: their partitions or, if
 * there is only one, spans of time.  The events of a span are seldom too many for the cache.
 */
typedef struct Buckets
{
	uint32		n;
	bool		spans;
	int64		low;			/* of spans */
	int			shift;
	uint32	   *end;			/* [n] of each, in the array */
} Buckets;

static uint32
CountBuckets(const EventStream *stream)
{
	return stream->npartitions > 1 ? stream->npartitions : MOST_SPANS;
}

static inline uint32
BucketOf(const Buckets *buckets, const Event *event)
{
	return buckets->spans ? SpanOf(event->time.integer, buckets->low, buckets->shift) : event->partition;
}

/* Divide the time from the first event to the last one into spans. */
static void
DivideTime(EventStream *stream, Buckets *buckets)
{
	int64		low = PG_INT64_MAX;
	int64		high = PG_INT64_MIN;
	EventReader reader;
	Event		event;

	EventReaderBegin(&reader, stream, false);
	while (NextKeyed(&reader, &event))
	{
		low = Min(low, event.time.integer);
		high = Max(high, event.time.integer);
	}
	EventReaderEnd(&reader);
	buckets->low = low;
	buckets->shift = SpanShift(low, high, SPAN_BITS);
}

/* Deal the stream's events to buckets in an array.  Sets their ends, which must be zeroed. */
static void
PlaceEvents(EventStream *stream, Event *events, Buckets *buckets)
{
	uint32	   *next = buckets->end;	/* as long as not all have been placed */
	uint32		sum = 0;
	EventReader reader;
	Event		event;

	if (buckets->spans)
		DivideTime(stream, buckets);
	EventReaderBegin(&reader, stream, false);
	while (NextKeyed(&reader, &event))
		next[BucketOf(buckets, &event)]++;
	EventReaderEnd(&reader);
	for (uint32 bucket = 0; bucket < buckets->n; bucket++)
	{
		uint32		n = next[bucket];

		next[bucket] = sum;
		sum += n;
	}
	EventReaderBegin(&reader, stream, true);
	while (NextKeyed(&reader, &event))
	{
		Event	   *place = &events[next[BucketOf(buckets, &event)]++];

		FetchAhead(place);
		*place = event;
	}
	EventReaderEnd(&reader);
}

/* Returns the end of the ascending run that begins at "start". */
static uint32
EndOfRun(const Event *events, uint32 start, uint32 n)
{
	uint32		i = start + 1;

	while (i < n && events[i - 1].time.integer <= events[i].time.integer)
		i++;
	return Min(i, n);
}

/* Merge two runs, which end at "middle" and at "end".  A branch for which one is next could not be predicted. */
static void
MergeTwoRuns(const Event *from, uint32 start, uint32 middle, uint32 end, Event *to)
{
	uint32		i = start;
	uint32		j = middle;
	uint32		k = start;

	while (i < middle && j < end)
	{
		bool		later = from[i].time.integer > from[j].time.integer;

		if (k % INTERRUPT_EVENTS == 0)
			CHECK_FOR_INTERRUPTS();
		to[k++] = from[later ? j : i];
		i += !later;
		j += later;
	}
	memcpy(to + k, from + i, (middle - i) * sizeof(Event));
	memcpy(to + k + middle - i, from + j, (end - j) * sizeof(Event));
}

/* Sort events that are a few ascending runs.  There is room for as many in "spare". */
static void
MergeRuns(Event *events, uint32 n, Event *spare)
{
	Event	   *from = events;
	Event	   *to = spare;

	while (EndOfRun(from, 0, n) < n)
	{
		Event	   *merged = to;

		CHECK_FOR_INTERRUPTS();
		for (uint32 start = 0, end; start < n; start = end)
		{
			uint32		middle = EndOfRun(from, start, n);

			end = EndOfRun(from, middle, n);
			MergeTwoRuns(from, start, middle, end, to);
		}
		to = from;
		from = merged;
	}
	if (from != events)
		memcpy(events, from, n * sizeof(Event));
}

/* The number of events in the longest bucket. */
static uint32
LongestBucket(const Buckets *buckets)
{
	uint32		longest = 0;

	for (uint32 bucket = 0, start = 0; bucket < buckets->n; start = buckets->end[bucket++])
		longest = Max(longest, buckets->end[bucket] - start);
	return longest;
}

/* Sort the events of each bucket, and add them to the stream again while they are in the cache. */
static void
SortBuckets(EventStream *stream, EventAdder *adder, Event *events, const Buckets *buckets)
{
	MemoryLedger *ledger = stream->rows->ledger;
	uint32		nspare = LongestBucket(buckets);
	Event	   *spare;
	uint32		i = 0;

	if (!stream->in_stretches)
		nspare = Min(nspare, MOST_SPARE_EVENTS);
	spare = LedgerAlloc(ledger, nspare * sizeof(Event), "the events");
	StartAgain(stream, adder);
	for (uint32 bucket = 0; bucket < buckets->n; bucket++)
	{
		uint32		n = buckets->end[bucket] - i;

		CHECK_FOR_INTERRUPTS();
		if (stream->in_stretches)
			MergeRuns(events + i, n, spare);
		else
			SortEventsByKey(events + i, n, spare);
		for (; i < buckets->end[bucket]; i++)
		{
			if (i % INTERRUPT_EVENTS == 0)
				ShowSorted(i);
			events[i].time.integer = KeyOfTime(&stream->times, events[i].time);
			EventAdderAdd(adder, &events[i]);
		}
	}
	LedgerFree(ledger, spare, nspare * sizeof(Event));
}

void
SortEventsInMemory(EventStream *stream, EventAdder *adder)
{
	MemoryLedger *ledger = stream->rows->ledger;
	Buckets		buckets = {.n = CountBuckets(stream),.spans = stream->npartitions == 1};
	Size		events_size = stream->rows->transactions * sizeof(Event);
	Size		end_size = buckets.n * sizeof(uint32);
	Event	   *events = LedgerAlloc(ledger, events_size, "the events");

	buckets.end = LedgerAllocZero(ledger, end_size, "distinct partitions");
	PlaceEvents(stream, events, &buckets);
	SortBuckets(stream, adder, events, &buckets);
	LedgerFree(ledger, buckets.end, end_size);
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
		(uint64) CountBuckets(stream) * sizeof(uint32);
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

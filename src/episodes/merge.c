/*-------------------------------------------------------------------------
 *
 * merge.c
 *	  Merging the events that several processes have read.
 *
 * Each process has put the events in order that it has read itself, in a stretch of the stream's chunks.
 *
 * If the source was in order, then the events of a stretch come in long runs, between which there are those of
 * other processes.  The leader finds where runs begin and end, and leaves them where they are.
 *
 * Otherwise the stretches are merged by ranges of time, which are cut so that they have about the same
 * number of events.  Where there are many, workers help (read/helpers.c): each process takes one range after
 * the other.  Helpers leave the events of their ranges as a part, from which the leader only takes the chunks,
 * in the order of the ranges.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "episodes/episodes.h"
#include "gpufim.h"
#include "miscadmin.h"
#include "optimizer/paths.h"
#include "read/read.h"
#include "read/rows.h"

#define INTERRUPT_STEPS		65536

/* The ranges' events go to the rows' lists for pieces, of which events have no other use. */
#define RANGES				PIECE_PARTITIONS

/* A range of times: from *low on, and before *high.  NULL: from the first one on, up to the last one. */
typedef struct TimeRange
{
	const FimTime *low;
	const FimTime *high;
} TimeRange;

/* The events of a process, and the one that it is at. */
typedef struct EventStretch
{
	EventReader reader;
	Event		event;
} EventStretch;

/* A stretch has no event twice, but several may have the same one. */
typedef struct EventMerge
{
	EventStream *stream;
	TimeRange	range;
	bool		by_runs;		/* stretches have long runs */
	ChunkList  *to;
	EventStretch **stretches;	/* [n], by the times that they are at */
	int			n;
	bool		any_shared;		/* is a time so far in more than one stretch? */
	FimTime		shared;			/* the last such time */
	uint32	   *stamp;			/* of that time; the types that have occurred then have it */
} EventMerge;

static const Event *
EventsOf(const Chunk *chunk)
{
	return (const Event *) chunk->words;
}

/* Position the reader at its chunks' first event that is not before a time. */
static void
GoToTime(EventReader *reader, FimTime low)
{
	const EventTimes *times = &reader->stream->times;
	const ChunkList *chunks = &reader->chunks;
	uint32		first = 0;
	uint32		end = chunks->nchunks;

	/* it is in the last chunk that begins before that time, or the next chunk begins with it */
	while (first < end)
	{
		uint32		middle = (first + end) / 2;

		if (IsLater(times, low, EventsOf(&chunks->chunks[middle])->time))
			first = middle + 1;
		else
			end = middle;
	}
	if (first == 0)
		return;
	reader->walk.next_chunk = first - 1;
	(void) EventReaderAdvance(reader);
	while (reader->at < reader->end && IsLater(times, low, reader->at->time))
		reader->at++;
}

/* Go on to the next event of the range.  Returns false if there is none. */
static inline bool
NextOfStretch(const EventMerge *merge, EventStretch *stretch)
{
	const FimTime *high = merge->range.high;

	return EventReaderNext(&stretch->reader, &stretch->event) &&
		(high == NULL || IsLater(&merge->stream->times, *high, stretch->event.time));
}

/* Give stretch i its place among those behind it, which are in order. */
static void
PlaceStretch(EventMerge *merge, int i)
{
	EventStretch *stretch = merge->stretches[i];

	for (; i + 1 < merge->n; i++)
	{
		if (!IsLater(&merge->stream->times, stretch->event.time, merge->stretches[i + 1]->event.time))
			break;
		merge->stretches[i] = merge->stretches[i + 1];
	}
	merge->stretches[i] = stretch;
}

static void
EventMergeBegin(EventMerge *merge, const ChunkList *events)
{
	EventStream *stream = merge->stream;

	merge->stretches = palloc((events->nchunks + 1) * sizeof(EventStretch *));
	for (uint32 i = 0; i < events->nchunks;)
	{
		EventStretch *stretch = palloc0(sizeof(EventStretch));
		EventReader *reader = &stretch->reader;

		reader->stream = stream;
		reader->chunks = ChunkListStretch(events, &i);
		ChunkWalkBegin(&reader->walk, stream->rows, &reader->chunks, false);
		if (merge->range.low != NULL)
			GoToTime(reader, *merge->range.low);
		if (NextOfStretch(merge, stretch))
			merge->stretches[merge->n++] = stretch;
		else
			pfree(stretch);
	}
	for (int i = merge->n; i-- > 0;)
		PlaceStretch(merge, i);
}

/* Has another stretch an event at the time of this one, which is the earliest? */
static inline bool
IsShared(const EventMerge *merge, FimTime time, const FimTime *others)
{
	const EventTimes *times = &merge->stream->times;

	return (others != NULL && !IsLater(times, *others, time)) ||
		(merge->any_shared && !IsLater(times, time, merge->shared));
}

/* Returns whether an event at a shared time has been added from another stretch. */
static bool
RepeatsShared(EventMerge *merge, const Event *event)
{
	DictionaryEntry *type = &merge->stream->rows->items->entries[event->type];

	if (!merge->any_shared || IsLater(&merge->stream->times, event->time, merge->shared))
	{
		merge->any_shared = true;
		merge->shared = event->time;
		++*merge->stamp;
	}
	if (type->stamp == *merge->stamp)
		return true;
	type->stamp = *merge->stamp;
	return false;
}

/* A run of at least this many events is not copied event by event. */
#define LONG_RUN		64

/* The number of events from the one that the reader is at up to "end", or to the first that is not before a time. */
static uint32
EventsBefore(const EventTimes *times, const Event *at, const Event *end, const FimTime *time)
{
	uint32		first = 0;
	uint32		n = end - at;

	while (time != NULL && first < n)
	{
		uint32		middle = (first + n) / 2;

		if (IsLater(times, *time, at[middle].time))
			first = middle + 1;
		else
			n = middle;
	}
	return n;
}

/*
 * Adds a run of events that lie side by side, all of which come before another stretch's.  It becomes a chunk of its own,
 * in which its events stay where they are, in a segment.  Returns false if the run is short, or if its events may be in
 * another stretch, too.
 */
static bool
AddRun(EventMerge *merge, EventStretch *stretch, const FimTime *others)
{
	EventReader *reader = &stretch->reader;
	const Event *first = reader->at - 1;
	const Chunk *from = reader->walk.chunk;
	uint32		n = EventsBefore(&merge->stream->times, first, reader->end, others);
	Chunk	   *chunk;

	if (n < LONG_RUN || IsShared(merge, stretch->event.time, NULL))
		return false;
	chunk = ChunkListAppend(merge->stream->rows, merge->to);
	*chunk = *from;
	chunk->words = (uint32 *) unconstify(Event *, first);
	chunk->used = chunk->size = n * EVENT_WORDS;
	chunk->segment->users++;
	reader->at += n - 1;
	return true;
}

/*
 * Adds the events of the first stretch as long as none of another one comes before them.  They have been
 * counted.  Returns false at the stretch's end.
 */
static bool
AddEarliest(EventMerge *merge)
{
	EventStream *stream = merge->stream;
	GpufimRows *rows = stream->rows;
	EventStretch *first = merge->stretches[0];
	const FimTime *others = merge->n > 1 ? &merge->stretches[1]->event.time : NULL;

	do
	{
		if (merge->by_runs && AddRun(merge, first, others))
			/* all of it */ ;
		else if (IsShared(merge, first->event.time, others) && RepeatsShared(merge, &first->event))
		{
			stream->repeated++;
			rows->transactions--;
			rows->items->entries[first->event.type].count--;
		}
		else
		{
			memcpy(ChunkReserve(rows, merge->to, EVENT_WORDS), &first->event, sizeof(Event));
			ChunkAdvance(merge->to, EVENT_WORDS);
		}
		if (!NextOfStretch(merge, first))
			return false;
	} while (others == NULL || !IsLater(&stream->times, first->event.time, *others));
	return true;
}

/* Merge the events of a range, and append them to a list.  No type has a stamp above *stamp, which grows. */
static void
MergeRange(EventStream *stream, const ChunkList *events, TimeRange range, bool by_runs, ChunkList *to, uint32 *stamp)
{
	EventMerge	merge = {.stream = stream,.range = range,.by_runs = by_runs,.to = to,.stamp = stamp};
	uint64		step = 0;

	EventMergeBegin(&merge, events);
	while (merge.n > 0)
	{
		if (step++ % INTERRUPT_STEPS == 0)
			CHECK_FOR_INTERRUPTS();
		if (AddEarliest(&merge))
			PlaceStretch(&merge, 0);
		else
		{
			ChunkWalkEnd(&merge.stretches[0]->reader.walk);
			pfree(merge.stretches[0]);
			memmove(merge.stretches, merge.stretches + 1, --merge.n * sizeof(EventStretch *));
		}
	}
	pfree(merge.stretches);
}

/*
 * With helpers.
 */

/* What all processes must know beside the chunks. */
typedef struct MergeTask
{
	SharedUnits units;			/* must be first */
	bool		real;			/* times are */
	uint32		ntypes;
	FimTime		cuts[RANGES - 1];	/* where ranges end and the next ones begin */
} MergeTask;

/* Cut the time into ranges.  The first event of each chunk is a sample of all events. */
static void
CutTime(const EventStream *stream, const ChunkList *events, FimTime *cuts)
{
	Event	   *sample = palloc(2 * events->nchunks * sizeof(Event));

	for (uint32 i = 0; i < events->nchunks; i++)
		sample[i].time.integer = KeyOfTime(&stream->times, EventsOf(&events->chunks[i])->time);
	SortEventsByKey(sample, events->nchunks, sample + events->nchunks);
	for (uint32 r = 1; r < RANGES; r++)
		cuts[r - 1].integer = KeyOfTime(&stream->times, sample[(uint64) r * events->nchunks / RANGES].time);
	pfree(sample);
}

/* Merge range after range, each into its own list. */
static void
MergeRanges(EventStream *stream, const ChunkList *events, MergeTask *task)
{
	uint32		stamp = 0;
	uint32		r;

	DictionaryForgetStamps(stream->rows->items);
	while ((r = pg_atomic_fetch_add_u32(&task->units.next, 1)) < RANGES)
	{
		TimeRange	range = {r > 0 ? &task->cuts[r - 1] : NULL, r + 1 < RANGES ? &task->cuts[r] : NULL};

		MergeRange(stream, events, range, false, &stream->rows->pieces[r], &stamp);
	}
}

/* Append the lists of all ranges to the records, in their order. */
static void
JoinRanges(GpufimRows *rows)
{
	for (uint32 r = 0; r < RANGES; r++)
	{
		ChunkList	list = rows->pieces[r];

		/* it must not move to a file meanwhile */
		memset(&rows->pieces[r], 0, sizeof(ChunkList));
		for (uint32 i = 0; i < list.nchunks; i++)
			*ChunkListAppend(rows, &rows->records) = list.chunks[i];
		LedgerFree(rows->ledger, list.chunks, list.max_chunks * sizeof(Chunk));
	}
	rows->npartitions = 1;
}

/* Returns false, and does nothing, if one process can do it as quickly, or has to. */
static bool
MergeInParallel(EventStream *stream, ChunkList *events)
{
	GpufimRows *rows = stream->rows;
	HelperFigures figures = {{0}};
	RowsOfHelpers receiver = RowsOfHelpersInit(rows, &figures);
	MergeTask	task = {.real = stream->times.real,.ntypes = rows->items->n};
	uint64		words;
	Helpers    *helpers;

	if (!ChunksInMemory(events, 1, &words) ||
		words * sizeof(uint32) < (uint64) min_parallel_table_scan_size * BLCKSZ ||
		words * sizeof(uint32) > LedgerRoom(rows->ledger) / 2)
		return false;
	CutTime(stream, events, task.cuts);
	helpers = CallHelpers(rows, events, 1, "GpufimMergeMain", &task.units, sizeof(task));
	if (helpers == NULL)
		return false;
	rows->npartitions = RANGES;
	LeaveToHelpers(helpers, RANGES);
	MergeRanges(stream, events, TaskOfHelpers(helpers));
	DismissHelpers(helpers, &receiver.base);
	stream->repeated += figures.repeated;
	JoinRanges(rows);
	return true;
}

/* Pairs of neighbours that are looked at, and how many of them at most may have another process's event between them. */
#define SAMPLED_PAIRS	64
#define PARTED_PAIRS	4

/* Is there an event in the chunks from one time on up to another? */
static bool
AnyBetween(EventStream *stream, const ChunkList *chunks, FimTime low, FimTime high)
{
	EventReader reader = {.stream = stream,.chunks = *chunks};
	Event		event;

	ChunkWalkBegin(&reader.walk, stream->rows, &reader.chunks, false);
	GoToTime(&reader, low);
	return EventReaderNext(&reader, &event) && !IsLater(&stream->times, event.time, high);
}

/* Do the events of a stretch come in long runs?  Then there is seldom another one's between two neighbours. */
static bool
HaveRuns(EventStream *stream, const ChunkList *events)
{
	uint32		parted = 0;

	for (int i = 0; i < SAMPLED_PAIRS && parted <= PARTED_PAIRS; i++)
	{
		const Chunk *chunk = &events->chunks[(uint64) i * events->nchunks / SAMPLED_PAIRS];
		const Event *pair = EventsOf(chunk) + chunk->used / EVENT_WORDS / 2 - 1;
		bool		between = false;

		if (chunk->used < 2 * EVENT_WORDS)
			continue;
		for (uint32 next = 0; next < events->nchunks && !between;)
		{
			ChunkList	stretch = ChunkListStretch(events, &next);

			between = stretch.chunks->part != chunk->part && AnyBetween(stream, &stretch, pair[0].time, pair[1].time);
		}
		parted += between;
	}
	return parted <= PARTED_PAIRS;
}

/* The leader merges alone.  It copies few events, and should not take much memory for them. */
static void
MergeAlone(EventStream *stream, const ChunkList *events, bool by_runs)
{
	GpufimRows *rows = stream->rows;
	uint32		max_chunk_blocks = rows->max_chunk_blocks;
	uint32		stamp = 0;

	if (by_runs)
		rows->max_chunk_blocks = 1;
	DictionaryForgetStamps(rows->items);
	MergeRange(stream, events, (TimeRange) {NULL, NULL}, by_runs, &rows->records, &stamp);
	rows->max_chunk_blocks = max_chunk_blocks;
}

bool
MergeEvents(EventStream *stream)
{
	ChunkList	events = stream->rows->records;
	uint64		words;
	bool		by_runs;

	/* there may be no event at all */
	if (events.nchunks == 0)
		return true;
	if (!stream->in_stretches || stream->npartitions > 1 ||
		BytesToSortEvents(stream) > LedgerRoom(stream->rows->ledger) / 2)
		return false;

	/* they must not move to a file meanwhile */
	memset(&stream->rows->records, 0, sizeof(ChunkList));
	by_runs = ChunksInMemory(&events, 1, &words) && HaveRuns(stream, &events) &&
		ChunksShare(stream->rows, &events, 1, stream->rows->parts->files);
	if (by_runs || !MergeInParallel(stream, &events))
		MergeAlone(stream, &events, by_runs);
	ChunkListFree(stream->rows, &events);
	return true;
}

extern PGDLLEXPORT void GpufimMergeMain(dsm_segment *segment, shm_toc *toc);

void
GpufimMergeMain(dsm_segment *segment, shm_toc *toc)
{
	Helper *helper = HelperJoin(segment, toc);
	MergeTask  *task = HelperTask(helper);
	MemoryLedger *ledger = HelperLedger(helper);
	Dictionary *types = DictionaryCreate(ledger, INT4OID, InvalidOid, true, "distinct event types");
	EventStream stream = {.rows = HelperRows(helper, types, NULL),.npartitions = 1,.times.real = task->real};
	RowsOfHelpers receiver;
	ChunkList	events = {0};

	DictionaryCountOnly(types, task->ntypes);
	receiver = RowsOfHelpersInit(stream.rows, HelperFiguresCreate(stream.rows));
	stream.rows->npartitions = RANGES;
	HelperFindChunks(helper, stream.rows, &events);
	MergeRanges(&stream, &events, task);
	receiver.figures->repeated = stream.repeated;
	HelperLeave(helper, stream.rows, &events, 1, &receiver.base);
}

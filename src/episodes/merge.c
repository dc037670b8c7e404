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
#include "port/pg_bitutils.h"
#include "read/read.h"
#include "read/rows.h"

#define INTERRUPT_STEPS		65536

/* So many events further on in a stretch, another cache line is fetched. */
#define EVENTS_AHEAD		16

/* The ranges' events go to the rows' lists for pieces, of which events have no other use. */
#define RANGES				PIECE_PARTITIONS

/* A range of times: from *low on, and before *high.  NULL: from the first one on, up to the last one. */
typedef struct TimeRange
{
	const FimTime *low;
	const FimTime *high;
} TimeRange;

/*
 * A stretch has no event twice, but several may have the same one.
 *
 * The earliest event of all stretches is found by a tournament: in each game of two, the stretch whose event is later stays
 * behind, as the game's loser, and the other one goes on.  When the winner of all has gone on to its next event, only the games
 * on its way have to be played again.  There are as many places as a complete tree has: the last ones may have no stretch.
 */
typedef struct EventMerge
{
	EventStream *stream;
	TimeRange	range;
	ChunkList  *to;
	EventReader **stretches;	/* [n], each of which is at its next event */
	uint32		n;
	uint32		places;			/* a power of two, n or more */
	int64	   *key;			/* [places], of the times that the stretches are at */
	uint32	   *loser;			/* [places], by game; games 2g and 2g + 1 come before game g, the last one is 1 */
	bool		any;			/* has an event been added? */
	Event		last;			/* the last one */
	bool		shared;			/* several have its time: then *stamp is that of their types */
	uint32	   *stamp;
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

/* Is there another event of the range? */
static inline bool
HasNext(const EventMerge *merge, EventReader *stretch)
{
	const FimTime *high = merge->range.high;

	return (stretch->at < stretch->end || EventReaderAdvance(stretch)) &&
		(high == NULL || IsLater(&merge->stream->times, *high, stretch->at->time));
}

/* Play a game and all that come before it.  Returns the winner. */
static uint32
PlayGames(EventMerge *merge, uint32 game)
{
	uint32		a;
	uint32		b;
	bool		loses;

	if (game >= merge->places)
		return game - merge->places;
	a = PlayGames(merge, 2 * game);
	b = PlayGames(merge, 2 * game + 1);
	loses = merge->key[a] > merge->key[b];
	merge->loser[game] = loses ? a : b;
	return loses ? b : a;
}

static inline void
SetKey(EventMerge *merge, uint32 place)
{
	merge->key[place] = KeyOfTime(&merge->stream->times, merge->stretches[place]->at->time);
}

/*
 * Play the games of the winner again, which is at another event now.  Nobody can predict who wins.  So winner and loser change
 * places by a mask, since compilers would make a branch of a condition.
 */
static inline uint32
PlayAgain(EventMerge *merge, uint32 winner)
{
	int64		key;

	SetKey(merge, winner);
#ifdef __GNUC__
	__builtin_prefetch(merge->stretches[winner]->at + EVENTS_AHEAD);
#endif
	key = merge->key[winner];
	for (uint32 game = (merge->places + winner) / 2; game > 0; game /= 2)
	{
		uint32		loser = merge->loser[game];
		int64		loser_key = merge->key[loser];
		uint32		differ = (winner ^ loser) & -(uint32) (key > loser_key);

		winner ^= differ;
		merge->loser[game] = loser ^ differ;
		key = Min(key, loser_key);
	}
	return winner;
}

/* Prepare the games between the stretches that are left.  Returns the winner. */
static uint32
StartGames(EventMerge *merge)
{
	while (merge->places / 2 >= merge->n)
		merge->places /= 2;
	for (uint32 place = 0; place < merge->n; place++)
		SetKey(merge, place);
	/* the others always lose: of equal keys, the first one wins */
	for (uint32 place = merge->n; place < merge->places; place++)
		merge->key[place] = PG_INT64_MAX;
	return PlayGames(merge, 1);
}

static void
EventMergeBegin(EventMerge *merge, const ChunkList *events)
{
	EventStream *stream = merge->stream;

	merge->stretches = palloc((events->nchunks + 1) * sizeof(EventReader *));
	for (uint32 i = 0; i < events->nchunks;)
	{
		EventReader *stretch = palloc0(sizeof(EventReader));

		stretch->stream = stream;
		stretch->chunks = ChunkListStretch(events, &i);
		ChunkWalkBegin(&stretch->walk, stream->rows, &stretch->chunks, false);
		if (merge->range.low != NULL)
			GoToTime(stretch, *merge->range.low);
		if (HasNext(merge, stretch))
			merge->stretches[merge->n++] = stretch;
		else
			pfree(stretch);
	}
	merge->places = pg_nextpower2_32(Max(merge->n, 1));
	merge->key = palloc(merge->places * sizeof(int64));
	merge->loser = palloc(merge->places * sizeof(uint32));
}

/* Add the next event of a stretch, unless another stretch has had it.  It has been counted. */
static inline void
AddNext(EventMerge *merge, EventReader *stretch)
{
	EventStream *stream = merge->stream;
	GpufimRows *rows = stream->rows;
	DictionaryEntry *types = rows->items->entries;
	Event		event;

	EventReaderTake(stretch, &event);
	if (!merge->any || IsLater(&stream->times, event.time, merge->last.time))
		merge->shared = false;
	else
	{
		if (!merge->shared)
			types[merge->last.type].stamp = ++*merge->stamp;
		merge->shared = true;
		if (types[event.type].stamp == *merge->stamp)
		{
			stream->repeated++;
			rows->transactions--;
			types[event.type].count--;
			return;
		}
		types[event.type].stamp = *merge->stamp;
	}
	merge->any = true;
	merge->last = event;
	memcpy(ChunkReserve(rows, merge->to, EVENT_WORDS), &event, sizeof(Event));
	ChunkAdvance(merge->to, EVENT_WORDS);
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

/* The time of the earliest event of the stretches but one, which is the winner; NULL if there is no other. */
static const FimTime *
TimeOfOthers(const EventMerge *merge, uint32 winner)
{
	uint32		second = winner;

	/* it has lost against the winner */
	for (uint32 game = (merge->places + winner) / 2; game > 0; game /= 2)
	{
		uint32		loser = merge->loser[game];

		if (second == winner || merge->key[loser] <= merge->key[second])
			second = loser;
	}
	return second == winner ? NULL : &merge->stretches[second]->at->time;
}

/*
 * Adds a run of events that lie side by side, all of which come before another stretch's.  It becomes a chunk of its own,
 * in which its events stay where they are, in a segment.  Returns false if the run is short, or if its events may be in
 * another stretch, too.
 */
static bool
AddRun(EventMerge *merge, uint32 winner)
{
	const EventTimes *times = &merge->stream->times;
	EventReader *stretch = merge->stretches[winner];
	const Event *first = stretch->at;
	uint32		n = EventsBefore(times, first, stretch->end, TimeOfOthers(merge, winner));
	Chunk	   *chunk;

	if (n < LONG_RUN || (merge->any && !IsLater(times, first->time, merge->last.time)))
		return false;
	chunk = ChunkListAppend(merge->stream->rows, merge->to);
	*chunk = *stretch->walk.chunk;
	chunk->words = (uint32 *) unconstify(Event *, first);
	chunk->used = chunk->size = n * EVENT_WORDS;
	chunk->segment->users++;
	stretch->at += n - 1;
	EventReaderTake(stretch, &merge->last);
	merge->any = true;
	merge->shared = false;
	return true;
}

/* Merge the events of a range, and append them to a list.  No type has a stamp above *stamp, which grows. */
static void
MergeRange(EventStream *stream, const ChunkList *events, TimeRange range, bool by_runs, ChunkList *to, uint32 *stamp)
{
	EventMerge	merge = {.stream = stream,.range = range,.to = to,.stamp = stamp};
	uint64		step = 0;

	EventMergeBegin(&merge, events);
	while (merge.n > 0)
	{
		uint32		first = StartGames(&merge);
		EventReader *stretch = merge.stretches[first];

		for (;;)
		{
			if (step++ % INTERRUPT_STEPS == 0)
				CHECK_FOR_INTERRUPTS();
			if (!by_runs || !AddRun(&merge, first))
				AddNext(&merge, stretch);
			if (!HasNext(&merge, stretch))
				break;
			first = PlayAgain(&merge, first);
			stretch = merge.stretches[first];
		}
		ChunkWalkEnd(&stretch->walk);
		pfree(stretch);
		memmove(merge.stretches + first, merge.stretches + first + 1, (--merge.n - first) * sizeof(EventReader *));
	}
	pfree(merge.stretches);
	pfree(merge.key);
	pfree(merge.loser);
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
		ChunksShare(stream->rows, &events, 1);
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

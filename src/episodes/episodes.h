/*-------------------------------------------------------------------------
 *
 * episodes.h
 *	  Episodes: what a call asks for, times and gaps, the events of a source, what the engine mines of
 *	  them, and the rows that its results become.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_EPISODES_H
#define GPUFIM_EPISODES_H

#include "postgres.h"

#include "engine/engine.h"
#include "engine/episodes/episodes.h"
#include "fmgr.h"
#include "gpufim.h"
#include "items.h"
#include "read/rows.h"
#include "scan/scan.h"
#include "utils/array.h"
#include "utils/rangetypes.h"
#include "work/work.h"

/*
 * times.c: The times of events: from a column's values to those of the engine, and back.
 *
 * To the engine, times are whole numbers if they are integers, dates or of a type that counts
 * microseconds.  Numerics become whole numbers, too: they are multiplied by a power of ten that
 * is large enough for the finest digits among them.  Only float4 and float8 stay what they are.
 */

/* The most digits of a numeric time, counted down to the finest digit that any of the times has. */
#define TIME_DIGITS		18

typedef struct EventTimes
{
	Oid			type;			/* of the column, domains resolved */
	int32		typmod;
	bool		real;			/* float8 to the engine, otherwise whole numbers */
	int			scale;			/* a unit of gaps is 10^scale of the engine's units */

	/* only for numerics */
	int			grown;			/* growth of the scale since the caller last set this to 0 */
	int64		largest;		/* the largest absolute value so far */
} EventTimes;

/* What is wrong with a value. */
typedef enum TimeFault
{
	TIME_GOOD,
	TIME_NOT_FINITE,			/* NaN or infinity */
	TIME_TOO_LONG,				/* a numeric of more than TIME_DIGITS digits */
	TIME_TOO_LARGE				/* an interval whose microseconds do not fit int64 */
} TimeFault;

/* Can a column of this type hold times? */
extern bool IsTimeType(Oid type);

extern void TimesInit(EventTimes *times, Oid type, int32 typmod);

/*
 * Convert a value of the column to a time.  If a numeric has finer digits than all before it,
 * this adds the number of these digits to times->grown: the caller must multiply all times that
 * it has read by that power of ten, which they have room for, and set "grown" to 0.  May leave
 * garbage in the current memory context.
 */
extern TimeFault TimeOfValue(EventTimes *times, Datum value, FimTime *time);

/* What gaps are in: "days" or "seconds"; NULL if times are plain numbers. */
extern const char *UnitOfGaps(const EventTimes *times);

/* 10^n for n up to TIME_DIGITS. */
extern int64 PowerOfTen(int n);

/* Convert a time back to a value of the column's type. */
extern Datum ValueOfTime(const EventTimes *times, FimTime time);

/* A time that is a whole number as a decimal number of units of gaps, without zeros at its end, palloc'd. */
extern char *TextOfTime(const EventTimes *times, int64 time);

static inline bool
IsLater(const EventTimes *times, FimTime a, FimTime b)
{
	return times->real ? a.real > b.real : a.integer > b.integer;
}

/* A time's key is a whole number.  Keys have the order of times, and the key of a key is the time again. */
static inline int64
KeyOfTime(const EventTimes *times, FimTime time)
{
	return time.integer ^ (times->real && time.integer < 0 ? PG_INT64_MAX : 0);
}

/*
 * The gaps of a call: ranges of numeric, and their form in the engine.
 */

/* The different gaps of an argument, in the order of their first appearance. */
typedef struct Gaps
{
	uint32		n;
	RangeType **range;			/* [n] */
	uint32		given;			/* number of the argument's elements */
	uint32	   *number;			/* [given], the index in range[] of each element's gap */
} Gaps;

/*
 * The argument "gaps", a numrange[] that must not be null.  Raises an error if a gap is
 * null or empty or admits 0 or less.
 */
extern void TakeGaps(Arguments *args, Gaps *gaps);

/*
 * Returns the gaps as the engine has them, in the units of these times; palloc'd.  All times must
 * have been read before, because numerics can still change the unit.
 */
extern FimGap *GapsInTimes(const Gaps *gaps, const EventTimes *times);

/* Returns the argument "dither", which must be above 0 and finite, in the units of these times. */
extern FimTime DitherInTimes(Datum dither, const EventTimes *times);

/*
 * request.c: What a call of a function about episodes asks for.
 */

/* The source and the columns that a call reads, and what reading must know of the steps that follow. */
typedef struct EventSource
{
	char	   *source;			/* table name or parenthesized query */
	char	   *event_column;
	char	   *time_column;
	char	   *partition_column; /* NULL: all events are in one partition */
	Oid			event_sample;	/* wanted type of events, or InvalidOid: text */
	Oid			time_sample;	/* wanted type of times, or InvalidOid */
	bool		sort_partitions;	/* partitions come in the order of their values, not in that of
									 * their first rows */
	bool		keep_partitions; /* the result needs the values of partitions, which are sorted */
} EventSource;

/*
 * The arguments of a call that mines, checked as far as is possible before the source is read.
 * Pointers live as long as the call's memory context.
 */
typedef struct EpisodesRequest
{
	bool		count_only;
	bool		leaves_out_partitions; /* those that can hold no episode of the result need not be mined */
	EventSource from;
	double		minsup;			/* a fraction below 1, a count from 1 up */
	Gaps		gaps;
	uint32		min_length;
	uint32		max_length;		/* FIM_NO_LIMIT for none */
	ArrayType  *including;		/* text[] or NULL */
	ArrayType  *excluding;		/* text[] or NULL */
	FimKind		kind;
	FimPart		part;			/* of the results */
	ArrayType  *including_any;	/* text[] or NULL */
} EpisodesRequest;

/* The most surrogates that a call may ask for. */
#define MAX_SURROGATES	1000000

/* The arguments of a call of episode_significance(). */
typedef struct SignificanceRequest
{
	EpisodesRequest mining;		/* must be first */
	uint32		surrogates;		/* from 1 up */
	Datum		dither;			/* numeric, above 0 and finite */
	bool		has_seed;
	int64		seed;
	FimSurrogateMethod method;
} SignificanceRequest;

/* The arguments of a call about a single episode. */
typedef struct EpisodeRequest
{
	EventSource from;
	ArrayType  *events;			/* text[], the episode's types */
	uint32		length;			/* number of types in "events", from 1 up */
	Gaps		gaps;			/* gaps.given is length - 1 */
} EpisodeRequest;

/*
 * Read and check the arguments of a call.  "request" is one of the structs above.  Each function is a CallStep.
 */
extern void ReadEpisodesRequest(FunctionCallInfo fcinfo, void *request);
extern void ReadSignificanceRequest(FunctionCallInfo fcinfo, void *request);
extern void ReadEpisodeRequest(FunctionCallInfo fcinfo, void *request);

/*
 * event_stream.c: Streams of events: adding events, bringing them into order, and reading them.
 */

/* An event as a stream holds it. */
typedef struct Event
{
	FimTime		time;
	uint32		type;			/* its number in the dictionary of types */
	uint32		partition;		/* by first appearance or, after sorting by rank, its rank; 0 if there are
								 * no partitions */
} Event;

/*
 * The stream's first "events" events were added before the scale of times grew: their times must
 * be multiplied by "factor", a power of ten.
 */
typedef struct CoarseTimes
{
	uint64		events;
	int64		factor;
} CoarseTimes;

/*
 * Events lie in the chunks of rows->records.  rows->items is the dictionary of types, with the
 * number of events of each type, and rows->transactions is the number of all events.
 */
typedef struct EventStream
{
	GpufimRows *rows;
	Dictionary *partitions;		/* NULL if there are none, or if their values have been freed */
	uint32		npartitions;	/* 1 if there are none */
	uint32	   *names;			/* [npartitions], by rank: the partition's number in "partitions"; NULL if
								 * that is */
	const uint32 *rank;			/* [npartitions], of each partition: its place in the order by which
								 * events are sorted; NULL: sort by first appearance */
	uint64		repeated;		/* events that repeat an earlier one and were left out */
	bool		in_stretches;	/* several processes have read them, and those of each are in order */
	EventTimes	times;
	CoarseTimes coarse[TIME_DIGITS + 1]; /* [ncoarse], with ascending numbers of events */
	int			ncoarse;
} EventStream;

/*
 * Adds events to a stream.  As long as they come in the order of their partitions and times,
 * repeated events are left out.
 */
typedef struct EventAdder
{
	EventStream *stream;
	bool		in_order;		/* the events so far came in order */
	Event		last;
	uint32		simultaneous;	/* the number of the first event that has the last one's partition and
								 * time, counted from 0 */
} EventAdder;

extern void EventAdderBegin(EventAdder *adder, EventStream *stream);
extern void EventAdderAdd(EventAdder *adder, const Event *event);

/* Multiply the times added so far by 10^power. */
extern void EventAdderRefine(EventAdder *adder, int power);

pg_noreturn extern void RaiseTooManyEvents(void);

/*
 * Reads the events in the order in which they were added.  With "consume", the reader takes them
 * from the stream and gives their memory back on the way.
 */
typedef struct EventReader
{
	EventStream *stream;
	ChunkList	chunks;
	ChunkWalk	walk;
	const Event *at;
	const Event *end;
	const RowPart *part;		/* whose numbers they have; NULL: the stream's */
	uint64		done;
	int			coarse;			/* index in the stream's coarse[] for the next event */
} EventReader;

extern void EventReaderBegin(EventReader *reader, EventStream *stream, bool consume);
extern bool EventReaderAdvance(EventReader *reader);
extern void EventReaderEnd(EventReader *reader);

/* Reads the next event of the chunk, which has one. */
static inline void
EventReaderTake(EventReader *reader, Event *event)
{
	const EventStream *stream = reader->stream;

	*event = *reader->at++;
	if (reader->part != NULL)
	{
		event->type = reader->part->maps[0][event->type];
		if (reader->part->maps[1] != NULL)
			event->partition = reader->part->maps[1][event->partition];
	}
	if (reader->coarse < stream->ncoarse)
		event->time.integer *= stream->coarse[reader->coarse].factor;
	if (++reader->done == stream->coarse[reader->coarse].events)
		reader->coarse++;
}

/* Reads the next event; returns false if there is none. */
static inline bool
EventReaderNext(EventReader *reader, Event *event)
{
	if (reader->at == reader->end && !EventReaderAdvance(reader))
		return false;
	EventReaderTake(reader, event);
	return true;
}

#define EVENT_WORDS		((uint32) (sizeof(Event) / sizeof(uint32)))

/* Sort n events by their times, which are keys.  There is room for as many in "spare", but never for more than this. */
#define MOST_SPARE_EVENTS	32768
extern void SortEventsByKey(Event *events, uint32 n, Event *spare);

/* The memory that sorting the stream's events takes, beside them. */
extern uint64 BytesToSortEvents(const EventStream *stream);

/*
 * Sort the events by partition and time, and leave out repeated ones.  The first function needs the memory
 * above; the second one uses PostgreSQL's own sort, with its temporary files, where memory is short.
 */
extern void SortEventsInMemory(EventStream *stream, EventAdder *adder);
extern void SortEvents(EventStream *stream, EventAdder *adder);

/*
 * merge.c: Merging the events that several processes have read.
 */

/*
 * Put the events of a stream in order, whose stretches are in order.  Returns false, and does nothing, if
 * they are not, if there are partitions, or if there is too little memory.
 */
extern bool MergeEvents(EventStream *stream);

/*
 * events.c: Reading the events of a source.
 */

/*
 * Read a source into a stream that has each event once, in the order of partitions and times. All
 * memory is allocated from the ledger.  The call's phase is "encoding" from sorting on.
 */
extern EventStream *ReadEvents(const EventSource *from, MemoryLedger *ledger);

/*
 * mining_input.c: What a call has to mine: the events of the frequent types, and the threshold.
 */

/* The event types and partitions that the engine mines, and their numbers in its data. */
typedef struct KeptTypes
{
	const uint32 *number;		/* by a type's number in the dictionary: its number in the data; n or
								 * more: not kept */
	uint32		n;
	uint32		ntypes;			/* in the dictionary */
	uint64		events;			/* number of events of all kept types */
	const bool *useless;		/* [npartitions] partitions that are not kept; NULL: all are */
} KeptTypes;

/* The least time that each engine takes to mine this number of events. */
extern EngineCost EpisodesCost(uint64 events, const Gaps *gaps);

/*
 * The least time that each engine takes for a job that counts episodes on surrogates; counts[]
 * has the number of events of each type.
 */
extern EngineCost SurrogatesCost(const FimEpisodesSpec *spec, const uint32 *counts, uint32 ntypes);

/*
 * Build the job's data of a stream's events.  Consumes the events, and closes the stream's rows;
 * their ledger may be destroyed then.  The data belong to the job.  If "ranks" is not NULL, the
 * function sets ranks[i] to the partition that the data's partition i has in the stream's events.
 * The caller provides room for stream->npartitions of them.
 */
extern FimEpisodesData *BuildEpisodesData(struct Job *job, EventStream *stream,
										  const KeptTypes *types, const Gaps *gaps,
										  uint32 *ranks);

typedef struct MiningInput
{
	EventStream *stream;
	uint64		events;			/* of all types that are not excluded */
	uint32		minsup;			/* in occurrences */
	uint32		max_length;		/* of episodes; FIM_NO_LIMIT: none */
	GpufimItems *types;			/* the frequent types in sort order, with their numbers of events; NULL if
								 * there can be no episode */
	KeptTypes	kept;			/* the same types, by their numbers in the dictionary */
	uint32		nrequired;
	uint32		nany;
	uint32	   *required;		/* [nrequired + nany], the types that every episode must have, and those of which
								 * it must have one, each once, as indexes in types->items */
} MiningInput;

/*
 * Read the source of a request, and find the threshold and the frequent types.  If there can be
 * no episode, this destroys the ledger and sets input->types to NULL.  Otherwise the caller goes
 * on with BuildEpisodesData().
 */
extern void ReadMiningInput(const EpisodesRequest *request, MemoryLedger *ledger,
							MiningInput *input);

/*
 * Make gpufim_last_run() show the input's numbers, and raise a notice if no event follows another
 * one within a gap.  To be called when the data have been built.
 */
extern void ShowMiningInput(const MiningInput *input, const FimEpisodesData *data);

/* Returns the engine's spec for a request and its input; palloc'd. */
extern FimEpisodesSpec *EpisodesSpecOf(const EpisodesRequest *request, const MiningInput *input);

/*
 * result_rows.c: Turning episodes and counts into rows of the SQL function's result.
 */

/*
 * Create a sink for batches of episodes, whose memory counts as scan.h says.  The "support" of each of
 * the types is the number of its events.
 */
extern RowSink *EpisodeRowsCreate(FunctionCallInfo fcinfo, MemoryLedger *ledger,
								  const GpufimItems *types, const Gaps *gaps);

/* What episode_significance() says of an episode. */
typedef struct EpisodeTest
{
	bool		tested;			/* if false, there are no p-values */
	double		expected;		/* the mean of its supports in surrogates */
	double		p_value;
	double		adjusted_p_value;
} EpisodeTest;

/*
 * Put an episode of episode_significance() into the function's tuplestore; "record" is the
 * engine's record of it.  The caller writes no batches to the sink, but begins and ends them with
 * ResultsBegin() and ResultsEnd().
 */
extern void PutTestedEpisode(RowSink *sink, const uint32_t *record, const EpisodeTest *test);

/* Put out one row for every length at which there are episodes; counts[] begins with length 0. */
extern void PutEpisodeCounts(FunctionCallInfo fcinfo, const uint64 *counts, uint32 lengths);

/* Add these numbers up, for a scan that refers to no column. */
extern int64 SumEpisodeCounts(const uint64 *counts, uint32 lengths);

/*
 * episode_significance.c: The SQL function episode_significance().
 */

extern Datum gpufim_episode_significance(PG_FUNCTION_ARGS);

#endif							/* GPUFIM_EPISODES_H */

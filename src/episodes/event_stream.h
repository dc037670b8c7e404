/*-------------------------------------------------------------------------
 *
 * event_stream.h
 *	  Encoded events: adding them to a stream, and reading them from it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_EPISODES_EVENT_STREAM_H
#define GPUFIM_EPISODES_EVENT_STREAM_H

#include "episodes/times.h"
#include "read/rows.h"

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
	EventTimes	times;
	CoarseTimes coarse[TIME_DIGITS + 1];	/* [ncoarse], with ascending numbers of events */
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
	uint64		done;
	int			coarse;			/* index in the stream's coarse[] for the next event */
} EventReader;

extern void EventReaderBegin(EventReader *reader, EventStream *stream, bool consume);
extern bool EventReaderAdvance(EventReader *reader);
extern void EventReaderEnd(EventReader *reader);

/* Reads the next event; returns false if there is none. */
static inline bool
EventReaderNext(EventReader *reader, Event *event)
{
	const EventStream *stream = reader->stream;

	if (reader->at == reader->end && !EventReaderAdvance(reader))
		return false;
	*event = *reader->at++;
	if (reader->coarse < stream->ncoarse)
		event->time.integer *= stream->coarse[reader->coarse].factor;
	if (++reader->done == stream->coarse[reader->coarse].events)
		reader->coarse++;
	return true;
}

#endif							/* GPUFIM_EPISODES_EVENT_STREAM_H */

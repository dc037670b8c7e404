/*-------------------------------------------------------------------------
 *
 * event_stream.h
 *	  Encoded events: adding them to a stream, and reading them from it.
 *
 * Included by the files of src/episodes.
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
	uint32		partition;		/* by first appearance or, once sorted by it, its rank; 0
								 * if there are none */
} Event;

/* In so many events at the beginning, times lack a power of ten. */
typedef struct CoarseTimes
{
	uint64		events;
	int64		factor;
} CoarseTimes;

/*
 * Events in the chunks of rows->records.  rows->items is the dictionary of types, which
 * counts the events of each, and rows->transactions is the number of all.
 */
typedef struct EventStream
{
	GpufimRows *rows;
	Dictionary *partitions;		/* NULL if there are none, or they have been forgotten */
	uint32		npartitions;	/* 1 if there are none */
	uint32	   *names;			/* [npartitions], of partitions by rank; NULL like rank */
	const uint32 *rank;			/* of each partition, by which events are to be sorted; NULL:
								 * by first appearance */
	uint64		repeated;		/* events that were there before, and were left out */
	EventTimes	times;
	CoarseTimes coarse[TIME_DIGITS + 1];	/* by ascending numbers of events */
	int			ncoarse;
} EventStream;

/*
 * Adds events.  As long as they come in the order of their partitions and times, what is
 * there twice is left out.
 */
typedef struct EventAdder
{
	EventStream *stream;
	bool		in_order;		/* until now */
	Event		last;
	uint32		simultaneous;	/* the first event of the last one's time, in its partition */
} EventAdder;

extern void EventAdderBegin(EventAdder *adder, EventStream *stream);
extern void EventAdderAdd(EventAdder *adder, const Event *event);

/* The times added so far are to be multiplied by a power of ten. */
extern void EventAdderRefine(EventAdder *adder, int power);

/*
 * Reads the events, in the order in which they were added.  With "consume", they are gone
 * after this, and their memory is given back meanwhile.
 */
typedef struct EventReader
{
	EventStream *stream;
	ChunkList	chunks;
	ChunkWalk	walk;
	const Event *at;
	const Event *end;
	uint64		done;
	int			coarse;			/* which of the stream's is next */
} EventReader;

extern void EventReaderBegin(EventReader *reader, EventStream *stream, bool consume);
extern bool EventReaderAdvance(EventReader *reader);
extern void EventReaderEnd(EventReader *reader);

/* False if there is no event any more. */
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

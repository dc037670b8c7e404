/*
 * streams.h
 *	  Streams of events to measure with: read from a file, or made.
 */
#ifndef BENCH_STREAMS_H
#define BENCH_STREAMS_H

#include <stddef.h>
#include <stdint.h>

typedef struct Event
{
	int64_t		time;
	uint32_t	type;
	uint32_t	session;
} Event;

/* Ends the program with a message. */
extern void Die(const char *what) __attribute__((noreturn));

/* All return the number of events, which come by session and time; the caller frees them. */
extern size_t ReadEvents(const char *name, Event **events);

/* "TYPES,HERTZ,EVENTS": neurons, with two chains embedded. */
extern size_t MakeSpikes(const char *model, Event **events);

/* "TYPES,SESSIONS,EVENTS": clicks of visitors. */
extern size_t MakeClicks(const char *model, Event **events);

/* Leave out what is infrequent; the others are numbered anew.  Returns how many are left. */
extern size_t KeepFrequent(Event *events, size_t n, uint64_t minsup, uint32_t *ntypes);

/* To the standard output, as COPY takes them: time, type, session. */
extern void WriteEvents(const Event *events, size_t n);

#endif							/* BENCH_STREAMS_H */

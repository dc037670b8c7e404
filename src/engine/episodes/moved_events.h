/*-------------------------------------------------------------------------
 *
 * moved_events.h
 *	  Events in their new places, and putting them in order.
 *
 * Moved events are nearly in order, since each is moved by little of the stream's length.  So
 * one pass puts them into buckets of time, about one event in each, which moves them not
 * far in memory either; within a bucket they are sorted by insertion.  Buckets of bursts,
 * which hold many events, are sorted by the digits in which their times differ.
 *
 * Included by surrogate.h and by moved_events.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_MOVED_EVENTS_H
#define FIM_MOVED_EVENTS_H

#include "worker.h"

/* Times are keys in the order of unsigned numbers. */
typedef struct MovedEvent
{
	uint64_t	key;
	uint32_t	type;
} MovedEvent;

#define FIM_TIME_SIGN	(UINT64_C(1) << 63)

static inline uint64_t
KeyOfTime(bool real, FimTime time)
{
	uint64_t	bits = (uint64_t) time.integer;

	return real && (bits & FIM_TIME_SIGN) != 0 ? ~bits : bits ^ FIM_TIME_SIGN;
}

static inline FimTime
TimeOfKey(bool real, uint64_t key)
{
	return (FimTime) {.integer = (int64_t) (real && (key & FIM_TIME_SIGN) == 0 ? ~key : key ^ FIM_TIME_SIGN)};
}

/* As FimTimeKey(). */
static inline uint64_t
LengthBetween(bool real, uint64_t later, uint64_t earlier)
{
	return real ? FimTimeKey(true, TimeOfKey(true, later), TimeOfKey(true, earlier)) : later - earlier;
}

/* Room for sorting; buckets for so many events are SortBuckets() numbers. */
typedef struct SortRoom
{
	MovedEvent *spare;			/* as many as are sorted */
	uint32_t   *bucket;
} SortRoom;

extern uint32_t SortBuckets(uint32_t n);

/* Polls. */
extern void SortMovedEvents(Worker *w, SortRoom *room, MovedEvent *event, uint32_t n);

#endif							/* FIM_MOVED_EVENTS_H */

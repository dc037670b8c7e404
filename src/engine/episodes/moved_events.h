/*-------------------------------------------------------------------------
 *
 * moved_events.h
 *	  Events in their new places, and putting them in order.
 *
 * Moved events are nearly in order, since each moves by a small part of the stream's length.
 * So one pass puts them into buckets of time, with about one event in each, and does not move
 * them far in memory either.  Within a bucket they are sorted by insertion.  Buckets of
 * bursts, which hold many events, are sorted by the digits in which their times differ.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_MOVED_EVENTS_H
#define FIM_MOVED_EVENTS_H

#include "worker.h"

/* The key stands for the event's time: as unsigned numbers, keys have the order of times. */
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

/* FimTimeKey() of the times that two keys stand for. */
static inline uint64_t
LengthBetween(bool real, uint64_t later, uint64_t earlier)
{
	return real ? FimTimeKey(true, TimeOfKey(true, later), TimeOfKey(true, earlier)) : later - earlier;
}

/* Room for sorting n events. */
typedef struct SortRoom
{
	MovedEvent *spare;			/* [n] */
	uint32_t   *bucket;			/* [SortBuckets(n)] */
} SortRoom;

extern uint32_t SortBuckets(uint32_t n);

/* Sort n events by their keys; polls. */
extern void SortMovedEvents(Worker *w, SortRoom *room, MovedEvent *event, uint32_t n);

#endif							/* FIM_MOVED_EVENTS_H */

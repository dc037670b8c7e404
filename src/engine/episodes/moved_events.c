/*-------------------------------------------------------------------------
 *
 * moved_events.c
 *	  Putting moved events in order.
 *
 *-------------------------------------------------------------------------
 */
#include "moved_events.h"

#include <string.h>

/* Loops call WorkerWorked() once for this many events. */
#define STEP_EVENTS		(1 << 14)

/* Up to this many events are sorted by insertion. */
#define FEW_EVENTS		32

#define DIGIT_BITS		8
#define DIGITS			(1 << DIGIT_BITS)

static inline void
Insert(MovedEvent *event, uint32_t at, MovedEvent moved)
{
	for (; at > 0 && event[at - 1].key > moved.key; at--)
		event[at] = event[at - 1];
	event[at] = moved;
}

static inline void
AfterStep(Worker *w, uint32_t i)
{
	if (i % STEP_EVENTS == STEP_EVENTS - 1)
		WorkerWorked(w, 2 * STEP_EVENTS);
}

/* Sort events from one array into the other by one digit, keeping the order of equal ones. */
static void
SortByDigit(Worker *w, const MovedEvent *from, MovedEvent *to, uint32_t n, int shift)
{
	uint32_t	at[DIGITS] = {0};
	uint32_t	sum = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		at[from[i].key >> shift & (DIGITS - 1)]++;
		AfterStep(w, i);
	}
	for (uint32_t digit = 0; digit < DIGITS; digit++)
	{
		uint32_t	count = at[digit];

		at[digit] = sum;
		sum += count;
	}
	for (uint32_t i = 0; i < n; i++)
	{
		to[at[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
		AfterStep(w, i);
	}
}

/* Sort by the digits that are not the same in all keys; "other" is room for n events. */
static void
SortByDigits(Worker *w, MovedEvent *event, MovedEvent *other, uint32_t n)
{
	MovedEvent *sorted = event;
	uint64_t	differ = 0;

	for (uint32_t i = 1; i < n; i++)
	{
		differ |= event[i].key ^ event[0].key;
		AfterStep(w, i);
	}
	for (int shift = 0; shift < 64; shift += DIGIT_BITS)
		if ((differ >> shift & (DIGITS - 1)) != 0)
		{
			MovedEvent *to = sorted == event ? other : event;

			SortByDigit(w, sorted, to, n, shift);
			sorted = to;
		}
	if (sorted != event)
		memcpy(event, sorted, sizeof(MovedEvent) * n);
}

/* One more than a power of two that is at least n. */
uint32_t
SortBuckets(uint32_t n)
{
	uint32_t	buckets = 1;

	while (buckets < n && buckets < UINT32_C(1) << 31)
		buckets *= 2;
	return buckets + 1;
}

/* How many low bits of the difference between a key and the least key do not matter for its bucket. */
static int
BucketShift(uint64_t range, uint32_t buckets)
{
	int			shift = 0;

	while (range >> shift >= buckets)
		shift++;
	return shift;
}

/* Distribute the events to buckets, in room->spare; sets room->bucket[] to the ends of the buckets. */
static uint32_t
FillBuckets(Worker *w, SortRoom *room, const MovedEvent *event, uint32_t n)
{
	uint32_t	buckets = SortBuckets(n) - 1;
	uint32_t   *at = room->bucket;
	uint64_t	least = UINT64_MAX;
	uint64_t	most = 0;
	uint32_t	sum = 0;
	int			shift;

	for (uint32_t i = 0; i < n; i++)
	{
		least = event[i].key < least ? event[i].key : least;
		most = event[i].key > most ? event[i].key : most;
		AfterStep(w, i);
	}
	shift = BucketShift(most - least, buckets);
	memset(at, 0, sizeof(uint32_t) * buckets);
	for (uint32_t i = 0; i < n; i++)
	{
		at[(event[i].key - least) >> shift]++;
		AfterStep(w, i);
	}
	for (uint32_t bucket = 0; bucket < buckets; bucket++)
	{
		uint32_t	count = at[bucket];

		at[bucket] = sum;
		sum += count;
		AfterStep(w, bucket);
	}
	for (uint32_t i = 0; i < n; i++)
	{
		room->spare[at[(event[i].key - least) >> shift]++] = event[i];
		AfterStep(w, i);
	}
	return buckets;
}

void
SortMovedEvents(Worker *w, SortRoom *room, MovedEvent *event, uint32_t n)
{
	uint32_t	buckets;
	uint32_t	begin = 0;

	if (n <= FEW_EVENTS)
	{
		for (uint32_t i = 1; i < n; i++)
			Insert(event, i, event[i]);
		WorkerWorked(w, 8 * (uint64_t) n);
		return;
	}
	buckets = FillBuckets(w, room, event, n);
	for (uint32_t bucket = 0; bucket < buckets; bucket++)
	{
		uint32_t	end = room->bucket[bucket];

		if (end - begin > FEW_EVENTS)
			SortByDigits(w, room->spare + begin, event + begin, end - begin);
		begin = end;
	}
	for (uint32_t i = 0; i < n; i++)
	{
		Insert(event, i, room->spare[i]);
		AfterStep(w, i);
	}
}

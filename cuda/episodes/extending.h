/*-------------------------------------------------------------------------
 *
 * extending.h
 *	  Extending a list by a warp, 32 events or entries at a time; see lists.h.
 *
 * All lanes of the warp call a function together, with the same arguments.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_EXTENDING_H
#define FIM_EXTENDING_H

#include "ascending.h"
#include "episodes/lists.h"
#include "lanes.h"

/* Threads of a block. */
#define EXTENDING_THREADS	128

/*
 * The events of a type, or those of them that come into question, under a gap.  An event can follow entries
 * whose ends are less than its high - high_less and not less than its low - low_less.
 */
typedef struct Events
{
	/* of all events of the type, by place */
	const uint32_t *moment;
	const uint32_t *high;
	const uint32_t *low;
	uint32_t	high_less;
	uint32_t	low_less;

	const uint32_t *place;		/* [n] places of those that come into question; NULL: all */
	uint32_t	n;
} Events;

static __device__ __forceinline__ Events
AllEventsUnder(const DeviceStream &stream, const Extension &extension)
{
	FimGapEdges edges = stream.gap[extension.gap];
	uint32_t	first = stream.start[extension.type];
	Events		events;

	events.moment = stream.back + first;
	events.place = nullptr;
	events.n = stream.start[extension.type + 1] - first;
	if (stream.reach != nullptr)
	{
		events.high = events.low = events.moment;
		events.high_less = stream.reach[edges.low];
		events.low_less = stream.reach[edges.high];
		return events;
	}
	events.high = stream.back + (uint64_t) edges.low * stream.events + first;
	events.low = stream.back + (uint64_t) edges.high * stream.events + first;
	events.high_less = events.low_less = 0;
	return events;
}

/* The same, but only the events that come into question. */
static __device__ __forceinline__ Events
EventsUnder(const DeviceStream &stream, const Extension &extension)
{
	Events		events = AllEventsUnder(stream, extension);

	if (extension.place != nullptr)
	{
		events.place = extension.place;
		events.n = extension.nplaces;
	}
	return events;
}

/* The place of an event, among those of its type, by its number among those that come into question. */
static __device__ __forceinline__ uint32_t
PlaceOf(const Events &events, uint32_t number)
{
	return events.place != nullptr ? events.place[number] : number;
}

/* How many of 32 ascending numbers, one in each lane, are less than "than". */
static __device__ __forceinline__ uint32_t
CountLessOfLanes(uint32_t number, uint32_t than)
{
	uint32_t	less = 0;

	for (uint32_t step = 16; step > 0; step /= 2)
		less += __shfl_sync(ALL_LANES, number, less + step - 1) < than ? step : 0;
	return less + (__shfl_sync(ALL_LANES, number, less) < than);
}

/* The number at a place, or GPU_NONE behind the last one. */
static __device__ __forceinline__ uint32_t
NumberAt(const uint32_t *number, uint32_t n, uint32_t place)
{
	return place < n ? number[place] : GPU_NONE;
}

/*
 * How many of n ascending numbers are less than "than", which ascends with the lanes and is "greatest" in the
 * last one.  Of the first 1,024 numbers, the lanes read the last one of every 32 together.  Then each lane
 * searches the 32 numbers that it needs, or, if 1,024 are not enough, as many more as it takes.
 */
static __device__ __forceinline__ uint32_t
CountLessFar(const uint32_t *number, uint32_t n, uint32_t than, uint32_t greatest)
{
	uint32_t	last = NumberAt(number, n, threadIdx.x % 32 * 32 + 31);
	uint32_t	low = 32 * CountLessOfLanes(last, than);
	uint32_t	width = 32 * 32;

	if (__shfl_sync(ALL_LANES, last, 31) >= greatest)
		return FirstNotBelow(number, low, min(low + 31, n), than);
	while (width < n && number[width - 1] < greatest)
		width = width < 1u << 30 ? 2 * width : n;
	return FirstNotBelow(number, low, min(width, n), than);
}

/* How many of n ascending numbers are less than "than", which is the same in all lanes. */
static __device__ __forceinline__ uint32_t
CountLessByWarp(const uint32_t *number, uint32_t n, uint32_t than)
{
	uint32_t	lane = threadIdx.x % 32;
	uint32_t	less = 0;		/* numbers known to be less; the n behind them may be */

	while (n > 0)
	{
		/* each lane has one of up to 32 parts, and looks at the part's last number */
		uint32_t	part = (n - 1) / 32 + 1;
		bool		whole = lane < n / part && number[less + lane * part + part - 1] < than;
		uint32_t	parts = __popc(__ballot_sync(ALL_LANES, whole));

		less += parts * part;
		n = min(part - 1, n - parts * part);
	}
	return less;
}

/* The entry that a lane's event makes, or would make if it extended the list. */
typedef struct Lane
{
	uint32_t	end;
	uint32_t	start;
	uint32_t	place;			/* of the event; set only where events are gone through */
	bool		extends;
} Lane;

/*
 * Take occurrences greedily: each time the first one that begins at the pause's "free" or later.  Starts do
 * not decrease with the lanes, and once an occurrence is taken, no lane up to its own begins late enough.
 */
template <ExtensionMode mode>
static __device__ __forceinline__ void
TakeOccurrences(const Lane &lane, const DeviceList &made, Pause *pause)
{
	for (;;)
	{
		uint32_t	can = __ballot_sync(ALL_LANES, lane.extends && lane.start >= pause->free);
		uint32_t	end;

		if (can == 0)
			return;
		end = __shfl_sync(ALL_LANES, lane.end, __ffs(can) - 1);
		if (mode == TAKE_EXTENSIONS && threadIdx.x % 32 == 0)
			made.end[pause->support] = end;
		pause->support++;
		pause->free = end + 1;
	}
}

/* Write the entries of the lanes that "extend" has a bit for, behind the n entries of the longer list. */
static __device__ __forceinline__ void
WriteEntries(const Lane &lane, uint32_t extend, const DeviceList &made, uint32_t n)
{
	uint32_t	to = n + __popc(extend & ((1u << threadIdx.x % 32) - 1));

	if (!lane.extends)
		return;
	made.end[to] = lane.end;
	made.start[to] = lane.start;
	/* as PlacesOf() has it */
	if (made.placed)
		made.start[made.start - made.end + to] = lane.place;
}

/* A lane's event, with the moments between which it can follow entries. */
typedef struct Next
{
	uint32_t	place;
	uint32_t	moment;
	uint32_t	high;
	uint32_t	low;
} Next;

/* Give each lane an event, from number j on.  Lanes behind the last event get that one, too. */
static __device__ __forceinline__ Next
NextEvents(const Events &events, uint32_t j)
{
	uint32_t	place = PlaceOf(events, min(j + threadIdx.x % 32, events.n - 1));
	Next		next;

	next.place = place;
	next.moment = events.moment[place];
	next.high = events.high[place] - events.high_less;
	next.low = events.low[place] - events.low_less;
	return next;
}

/* The last entry of a list whose end is less than the moment that a lane looks for. */
typedef struct Entry
{
	uint32_t	end;
	uint32_t	start;
	uint32_t	before;			/* number of entries up to this one; 0 if there is none */
} Entry;

/* Find it among the entries from number "at" on, or the one before; "greatest" is "than" of the last lane. */
static __device__ __forceinline__ Entry
FindFar(const DeviceList &list, uint32_t at, uint32_t than, uint32_t greatest)
{
	Entry		entry = {0, 0, at + CountLessFar(list.end + at, list.n - at, than, greatest)};

	if (entry.before > 0)
	{
		entry.end = list.end[entry.before - 1];
		entry.start = list.start[entry.before - 1];
	}
	return entry;
}

/*
 * The same where the entry is likely to be near: all lanes read the same 64 entries, from one on whose end is
 * less than what any lane looks for.  Where 64 are not enough, this is FindFar().
 */
static __device__ __forceinline__ Entry
FindNear(const DeviceList &list, uint32_t at, uint32_t than, uint32_t greatest)
{
	uint32_t	base = at > 0 ? at - 1 : 0;
	uint32_t	place = base + threadIdx.x % 32;
	uint32_t	first = NumberAt(list.end, list.n, place);
	uint32_t	second = NumberAt(list.end, list.n, place + 32);
	uint32_t	first_start = NumberAt(list.start, list.n, place);
	uint32_t	second_start = NumberAt(list.start, list.n, place + 32);
	uint32_t	less;
	Entry		entry;

	if (__shfl_sync(ALL_LANES, second, 31) < greatest)
		return FindFar(list, at, than, greatest);
	less = CountLessOfLanes(first, than);
	entry.end = __shfl_sync(ALL_LANES, first, less - 1);
	entry.start = __shfl_sync(ALL_LANES, first_start, less - 1);
	if (__any_sync(ALL_LANES, less == 32))
	{
		uint32_t	more = CountLessOfLanes(second, than);
		uint32_t	end = __shfl_sync(ALL_LANES, second, more - 1);
		uint32_t	start = __shfl_sync(ALL_LANES, second_start, more - 1);

		if (more > 0)
		{
			entry.end = end;
			entry.start = start;
		}
		less += more;
	}
	entry.before = base + less;
	return entry;
}

/* Extend the list by the events of the first n lanes. */
static __device__ __forceinline__ Lane
ExtendByEvents(const DeviceList &list, const Events &events, const Next &next, uint32_t n, Pause *pause)
{
	uint32_t	latest = __shfl_sync(ALL_LANES, next.high, 31);
	Entry		entry = list.n / 2 > events.n ? FindFar(list, pause->at, next.high, latest) :
		FindNear(list, pause->at, next.high, latest);
	Lane		lane;

	lane.extends = threadIdx.x % 32 < n && entry.before > 0 && entry.end >= next.low;
	lane.end = next.moment;
	lane.start = lane.extends ? entry.start : 0;
	lane.place = next.place;
	pause->at = __shfl_sync(ALL_LANES, entry.before, 31);
	return lane;
}

/* The same, and do what the mode says.  Returns false if no event after these can extend the list. */
template <ExtensionMode mode>
static __device__ __forceinline__ bool
ExtendBy32(const DeviceList &list, const Events &events, const Next &next, uint32_t n, const DeviceList &made,
		   Pause *pause)
{
	bool		was_at_end = pause->at == list.n;
	Lane		lane = ExtendByEvents(list, events, next, n, pause);
	uint32_t	extend = __ballot_sync(ALL_LANES, lane.extends);

	if (mode == WRITE_EXTENSIONS || mode == COUNT_AND_WRITE_EXTENSIONS)
		WriteEntries(lane, extend, made, pause->n);
	if (mode != WRITE_EXTENSIONS)
		TakeOccurrences<mode>(lane, made, pause);
	pause->n += __popc(extend);
	return extend != 0 || !was_at_end;
}

/*
 * Whether a candidate can still reach the support "least".  Each occurrence that is to come takes an event
 * and an entry of the list to itself; the last entry gone by may be one of these.
 */
static __device__ __forceinline__ bool
CanReach(uint64_t least, const Pause &pause, uint32_t events_left, uint32_t list_n)
{
	uint64_t	entries_left = (uint64_t) list_n - pause.at + 1;

	return pause.support + (entries_left < events_left ? entries_left : events_left) >= least;
}

/*
 * Extend a list by n events, from number "begin" on.  The pause's "at" becomes GPU_NONE if nothing is left to
 * do: no later event extends the list, or, when only counting, the support cannot reach "least" any more.
 */
template <ExtensionMode mode>
static __device__ void
Extend(uint64_t least, const DeviceList &list, const Events &events, const DeviceList &made, uint32_t begin,
	   uint32_t n, Pause *pause)
{
	uint32_t	end = events.n - begin > n ? begin + n : events.n;
	Next		next;

	if (begin < end)
		next = NextEvents(events, begin);
	for (uint32_t j = begin; j < end; j += 32)
	{
		Next		here = next;

		/* read ahead, so that the memory's latency is hidden */
		next = NextEvents(events, j + 32);
		if (mode == COUNT_EXTENSIONS && !CanReach(least, *pause, events.n - j, list.n))
		{
			pause->at = GPU_NONE;
			return;
		}
		if (!ExtendBy32<mode>(list, events, here, events.n - j, made, pause))
		{
			pause->at = GPU_NONE;
			return;
		}
	}
}

/* The pause from which an extension goes on in a launch that begins with event, or entry, number "begin". */
static __device__ __forceinline__ Pause
PauseAt(const Extending &extending, uint32_t to, uint32_t begin)
{
	Pause		pause = {0, 0, 0, 0, 0};

	if (begin > 0)
		pause = extending.pauses[to];
	else if (extending.resumes)
		pause.free = extending.counted[to].free;
	return pause;
}

/* Store what an extension has come to at the end of a launch. */
template <ExtensionMode mode>
static __device__ __forceinline__ void
StorePause(const Extending &extending, uint32_t to, const Pause &pause)
{
	/* all lanes must have read what this overwrites */
	__syncwarp();
	if (threadIdx.x % 32 != 0)
		return;
	extending.pauses[to] = pause;
	if (mode == COUNT_EXTENSIONS || mode == COUNT_AND_WRITE_EXTENSIONS)
		extending.counted[to] = {pause.n, pause.support, pause.free};
	if (mode != COUNT_EXTENSIONS)
		extending.made[to].n = mode == TAKE_EXTENSIONS ? pause.support : pause.n;
}

#endif							/* FIM_EXTENDING_H */

/*-------------------------------------------------------------------------
 *
 * extending.h
 *	  Extending a list by a warp, 32 events or entries at a time; see lists.h.
 *
 * All lanes of the warp call a function together, with the same arguments.
 *
 * Included by lists_kernels.cu and chunks_kernels.cu.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_EXTENDING_H
#define FIM_EXTENDING_H

#include "ascending.h"
#include "episodes/lists.h"
#include "lanes.h"

/* The events of a type, by place. */
typedef struct Events
{
	const uint32_t *moment;
	const uint32_t *high;		/* entries before this moment are far enough back ... */
	const uint32_t *low;		/* ... and those from this one on are not too far */
	uint32_t	n;
} Events;

static __device__ __forceinline__ Events
EventsUnder(const DeviceStream &stream, uint32_t type, uint32_t gap)
{
	FimGapEdges edges = stream.gap[gap];
	uint32_t	first = stream.start[type];
	Events		events;

	events.moment = stream.back + first;
	events.high = stream.back + (uint64_t) edges.low * stream.events + first;
	events.low = stream.back + (uint64_t) edges.high * stream.events + first;
	events.n = stream.start[type + 1] - first;
	return events;
}

/* How many of 32 ascending numbers, each of them in a lane, are less than another one. */
static __device__ __forceinline__ uint32_t
CountLessOfLanes(uint32_t number, uint32_t than)
{
	uint32_t	less = 0;

	for (uint32_t step = 16; step > 0; step /= 2)
		less += __shfl_sync(ALL_LANES, number, less + step - 1) < than ? step : 0;
	return less + (__shfl_sync(ALL_LANES, number, less) < than);
}

static __device__ __forceinline__ uint32_t
NumberAt(const uint32_t *number, uint32_t n, uint32_t place)
{
	return place < n ? number[place] : GPU_NONE;
}

/*
 * How many of n ascending numbers are less than another one, which ascends with the
 * lanes and is "greatest" in the last one.  Each lane looks at the last of 32 numbers, and
 * goes on with those that it needs.
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

/* The same where few numbers are less than that of a lane and not less than that of the one before it. */
static __device__ __forceinline__ uint32_t
CountLessNear(const uint32_t *number, uint32_t n, uint32_t than, uint32_t greatest)
{
	uint32_t	first = NumberAt(number, n, threadIdx.x % 32);
	uint32_t	second = NumberAt(number, n, threadIdx.x % 32 + 32);
	uint32_t	less;

	if (__shfl_sync(ALL_LANES, second, 31) < greatest)
		return CountLessFar(number, n, than, greatest);
	less = CountLessOfLanes(first, than);
	return __any_sync(ALL_LANES, less == 32) ? less + CountLessOfLanes(second, than) : less;
}

/* How many of n ascending numbers are less than another one, which is the same for all lanes. */
static __device__ __forceinline__ uint32_t
CountLessByWarp(const uint32_t *number, uint32_t n, uint32_t than)
{
	uint32_t	lane = threadIdx.x % 32;
	uint32_t	less = 0;		/* are known to be, and n others may be */

	while (n > 0)
	{
		/* each lane has a part, and looks at its last number */
		uint32_t	part = (n - 1) / 32 + 1;
		bool		whole = lane < n / part && number[less + lane * part + part - 1] < than;
		uint32_t	parts = __popc(__ballot_sync(ALL_LANES, whole));

		less += parts * part;
		n = min(part - 1, n - parts * part);
	}
	return less;
}

/* An event of each lane that extends a list, or does not. */
typedef struct Lane
{
	uint32_t	end;
	uint32_t	start;
	bool		extends;
} Lane;

/*
 * Take occurrences greedily: what begins at "free" or later, the first of it.  Starts
 * ascend with the lanes, and no lane up to the one that was taken begins late enough.
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

static __device__ __forceinline__ void
WriteEntries(const Lane &lane, uint32_t extend, const DeviceList &made, uint32_t n)
{
	uint32_t	to = n + __popc(extend & ((1u << threadIdx.x % 32) - 1));

	if (!lane.extends)
		return;
	made.end[to] = lane.end;
	made.start[to] = lane.start;
}

/* What the events from j on, at most 32 of them, extend the list to. */
static __device__ __forceinline__ Lane
ExtendByEvents(const DeviceList &list, const Events &events, uint32_t j, Pause *pause)
{
	uint32_t	last = min(31u, events.n - j - 1);
	uint32_t	place = j + min(threadIdx.x % 32, last);
	uint32_t	high = events.high[place];
	uint32_t	low = events.low[place];
	uint32_t	latest = __shfl_sync(ALL_LANES, high, 31);
	const uint32_t *end = list.end + pause->at;
	uint32_t	left = list.n - pause->at;
	uint32_t	before = pause->at + (list.n / 2 > events.n ? CountLessFar(end, left, high, latest) :
									  CountLessNear(end, left, high, latest));
	Lane		lane;

	lane.extends = threadIdx.x % 32 <= last && before > 0 && list.end[before - 1] >= low;
	lane.end = events.moment[place];
	lane.start = lane.extends ? list.start[before - 1] : 0;
	pause->at = __shfl_sync(ALL_LANES, before, 31);
	return lane;
}

/*
 * The events from j on, at most 32 of them.  Returns false if no event after them can
 * extend the list.
 */
template <ExtensionMode mode>
static __device__ __forceinline__ bool
ExtendBy32(const DeviceList &list, const Events &events, uint32_t j, const DeviceList &made, Pause *pause)
{
	bool		was_at_end = pause->at == list.n;
	Lane		lane = ExtendByEvents(list, events, j, pause);
	uint32_t	extend = __ballot_sync(ALL_LANES, lane.extends);

	if (mode == WRITE_EXTENSIONS || mode == COUNT_AND_WRITE_EXTENSIONS)
		WriteEntries(lane, extend, made, pause->n);
	if (mode != WRITE_EXTENSIONS)
		TakeOccurrences<mode>(lane, made, pause);
	pause->n += __popc(extend);
	return extend != 0 || !was_at_end;
}

/*
 * Whether a candidate can still have so many occurrences.  Each that is to come has an
 * event and an entry of the list to itself; the last entry gone by may be one of these.
 */
static __device__ __forceinline__ bool
CanReach(uint64_t least, const Pause &pause, uint32_t events_left, uint32_t list_n)
{
	uint64_t	entries_left = (uint64_t) list_n - pause.at + 1;

	return pause.support + (entries_left < events_left ? entries_left : events_left) >= least;
}

template <ExtensionMode mode>
static __device__ void
Extend(uint64_t least, const DeviceList &list, const Events &events, const DeviceList &made, uint32_t begin,
	   uint32_t n, Pause *pause)
{
	uint32_t	end = events.n - begin > n ? begin + n : events.n;

	for (uint32_t j = begin; j < end; j += 32)
	{
		if (mode == COUNT_EXTENSIONS && !CanReach(least, *pause, events.n - j, list.n))
		{
			pause->at = GPU_NONE;
			return;
		}
		if (!ExtendBy32<mode>(list, events, j, made, pause))
		{
			pause->at = GPU_NONE;
			return;
		}
	}
}

/* ---- counting by entries ---- */

/*
 * Count the events that the entries of the lanes are extended by, which are those from "first"
 * on that are not too far from what comes right "after" an entry.  Events that several
 * entries can be extended by count once.
 */
static __device__ __forceinline__ void
CountExtending(const Events &events, uint32_t first, uint32_t after, uint32_t latest, Pause *pause)
{
	uint32_t	reached = pause->reached;
	uint32_t	end = reached + CountLessFar(events.low + reached, events.n - reached, after, latest);
	uint32_t	taken = __shfl_up_sync(ALL_LANES, end, 1);

	taken = max(threadIdx.x % 32 == 0 ? reached : taken, first);
	pause->n += SumOverLanes(end > taken ? end - taken : 0);
	pause->reached = __shfl_sync(ALL_LANES, end, 31);
}

/*
 * Where the list is much shorter than the type's events, its entries are gone through
 * instead, at most 32 from k on.  An entry is followed by the events from "first" to
 * end - 1, and what it is extended by first ends earliest.
 */
static __device__ __forceinline__ Lane
ExtendEntries(const DeviceList &list, const Events &events, uint32_t k, bool counts_entries, Pause *pause)
{
	uint32_t	last = min(31u, list.n - k - 1);
	uint32_t	entry = k + min(threadIdx.x % 32, last);
	uint32_t	after = list.end[entry] + 1;
	uint32_t	latest = __shfl_sync(ALL_LANES, after, 31);
	uint32_t	first = pause->at + CountLessFar(events.high + pause->at, events.n - pause->at, after, latest);
	Lane		lane;

	lane.extends = threadIdx.x % 32 <= last && first < events.n && events.low[first] < after;
	lane.start = list.start[entry];
	lane.end = lane.extends ? events.moment[first] : 0;
	pause->at = __shfl_sync(ALL_LANES, first, 31);
	if (counts_entries)
		CountExtending(events, first, after, latest, pause);
	return lane;
}

/* The same, and takes occurrences.  Returns false if no entry after these can be extended. */
static __device__ __forceinline__ bool
CountBy32Entries(const DeviceList &list, const Events &events, uint32_t k, bool counts_entries, Pause *pause)
{
	Lane		lane = ExtendEntries(list, events, k, counts_entries, pause);

	TakeOccurrences<COUNT_EXTENSIONS>(lane, DeviceList(), pause);
	return pause->at < events.n;
}

static __device__ __forceinline__ bool
IsCountedByEntries(const DeviceList &list, const Events &events)
{
	return list.n < events.n / 3;
}

/* As CanReach(), from an entry on. */
static __device__ __forceinline__ bool
CanReachByEntries(uint64_t least, const Pause &pause, uint32_t entries_left, uint32_t events_n)
{
	return pause.support + (uint64_t) min(entries_left, events_n - pause.at) >= least;
}

static __device__ void
CountByEntries(const Extending &extending, const DeviceList &list, const Events &events, uint32_t begin, uint32_t n,
			   Pause *pause)
{
	uint32_t	end = min(list.n, begin + n);

	for (uint32_t k = begin; k < end; k += 32)
	{
		if (!CanReachByEntries(extending.least, *pause, list.n - k, events.n) ||
			!CountBy32Entries(list, events, k, extending.counts_entries, pause))
		{
			pause->at = GPU_NONE;
			return;
		}
	}
}

/* Where an extension is at the beginning of a launch that begins with so many events gone by. */
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

/* What an extension has come to at the end of a launch. */
template <ExtensionMode mode>
static __device__ __forceinline__ void
PutDown(const Extending &extending, uint32_t to, const Pause &pause)
{
	/* all lanes have read what this takes the place of */
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

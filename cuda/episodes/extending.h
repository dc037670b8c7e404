/*-------------------------------------------------------------------------
 *
 * extending.h
 *	  Extending a list by a warp, 32 events or entries at a time; see lists.h.  Going through the events
 *	  comes first, then going through the entries.
 *
 * All lanes of the warp call a function together, with the same arguments.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPU_EPISODES_EXTENDING_H
#define GPU_EPISODES_EXTENDING_H

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
	const uint32_t *instant;
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

	events.instant = stream.back + first;
	events.place = nullptr;
	events.n = stream.start[extension.type + 1] - first;
	if (stream.reach != nullptr)
	{
		events.high = events.low = events.instant;
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

/* A lane's event, with the instants between which it can follow entries. */
typedef struct Next
{
	uint32_t	place;
	uint32_t	instant;
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
	next.instant = events.instant[place];
	next.high = events.high[place] - events.high_less;
	next.low = events.low[place] - events.low_less;
	return next;
}

/* The last entry of a list whose end is less than the instant that a lane looks for. */
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
	lane.end = next.instant;
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

/*
 * Going through the entries.
 */

/*
 * The events that can follow an entry are those from some event on, up to the first one that is
 * too far.  Both ascend with the entries, so for 32 entries they are looked for close together.
 */

/*
 * Add the number of events that extend the lanes' entries to pause->n.  An entry is extended by the events
 * from number "first" on that are not too far; "after" is the instant after its end, and "latest" that of the
 * last lane.  An event that can follow several entries counts once.
 */
static __device__ __forceinline__ void
CountExtending(const Events &events, uint32_t first, uint32_t after, uint32_t latest, Pause *pause)
{
	uint32_t	reached = pause->reached;
	uint32_t	end = reached + CountLessFar(events.low + reached, events.n - reached, after + events.low_less,
												  latest + events.low_less);
	uint32_t	taken = __shfl_up_sync(ALL_LANES, end, 1);

	taken = max(threadIdx.x % 32 == 0 ? reached : taken, first);
	pause->n += SumOverLanes(end > taken ? end - taken : 0);
	pause->reached = __shfl_sync(ALL_LANES, end, 31);
}

/* An entry of each lane, and the first event that it can be followed by. */
typedef struct Followed
{
	uint32_t	start;
	uint32_t	after;			/* the instant after its end */
	uint32_t	first;			/* number of the event; events.n if there is none */
	uint32_t	high;			/* of this event */
} Followed;

/* The most events that CountLessByTile() keeps in shared memory, and how many rows of 32 are read together. */
#define TILE		512
#define TILE_ROWS	4

static __device__ __forceinline__ uint32_t *
TileOfWarp(void)
{
	__shared__ uint32_t tiles[EXTENDING_THREADS / 32][TILE];

	return tiles[threadIdx.x / 32];
}

/*
 * As CountLessFar(), for use where few numbers come into question.  All lanes read these together, and each
 * looks for its own in shared memory.  *not_less becomes the first number that is not less; GPU_NONE if there
 * is none.
 */
static __device__ __forceinline__ uint32_t
CountLessByTile(const uint32_t *number, uint32_t n, uint32_t than, uint32_t greatest, uint32_t *not_less)
{
	uint32_t   *tile = TileOfWarp();
	uint32_t	lane = threadIdx.x % 32;
	uint32_t	size = 0;
	uint32_t	less = 0;
	uint32_t	last;

	/* all lanes must have finished with what the tile had before */
	__syncwarp();
	do
	{
		uint32_t	row[TILE_ROWS];

#pragma unroll
		for (int i = 0; i < TILE_ROWS; i++)
			row[i] = NumberAt(number, n, size + 32 * i + lane);
#pragma unroll
		for (int i = 0; i < TILE_ROWS; i++)
			tile[size + 32 * i + lane] = row[i];
		size += 32 * TILE_ROWS;
		last = __shfl_sync(ALL_LANES, row[TILE_ROWS - 1], 31);
	} while (last < greatest && size < TILE);
	__syncwarp();
	if (last < greatest)
	{
		less = CountLessFar(number, n, than, greatest);
		*not_less = NumberAt(number, n, less);
		return less;
	}
	if (size == 32 * TILE_ROWS)
	{
#pragma unroll
		for (uint32_t step = 16 * TILE_ROWS; step > 0; step /= 2)
			less += tile[less + step - 1] < than ? step : 0;
	}
	else
	{
#pragma unroll
		for (uint32_t step = TILE / 2; step > 0; step /= 2)
			less += less + step <= size && tile[less + step - 1] < than ? step : 0;
	}
	*not_less = tile[less];
	return less;
}

/*
 * Give each lane an entry of the list, from number k on, and find the first event that can follow it.  Lanes
 * behind lane "last" get the same entry as that one.
 */
static __device__ __forceinline__ Followed
FollowEntries(const DeviceList &list, const Events &events, uint32_t k, uint32_t last, Pause *pause)
{
	uint32_t	entry = k + min(threadIdx.x % 32, last);
	const uint32_t *high = events.high + pause->at;
	uint32_t	left = events.n - pause->at;
	uint32_t	than;
	uint32_t	greatest;
	Followed	followed;

	followed.start = list.start[entry];
	followed.after = list.end[entry] + 1;
	than = followed.after + events.high_less;
	greatest = __shfl_sync(ALL_LANES, than, 31);
	if (events.n / list.n > TILE / 32)
	{
		followed.first = CountLessFar(high, left, than, greatest);
		followed.high = NumberAt(high, left, followed.first);
	}
	else
		followed.first = CountLessByTile(high, left, than, greatest, &followed.high);
	followed.first += pause->at;
	pause->at = __shfl_sync(ALL_LANES, followed.first, 31);
	return followed;
}

/* Extend the entries of the first n lanes, each by the first event that can follow it, as this ends earliest. */
static __device__ __forceinline__ Lane
ExtendEntries(const Events &events, const Followed &followed, uint32_t n)
{
	uint32_t	low = followed.high;
	Lane		lane;

	lane.start = followed.start;
	lane.end = followed.high;
	if (events.low != events.instant)
	{
		low = NumberAt(events.low, events.n, followed.first);
		lane.end = NumberAt(events.instant, events.n, followed.first);
	}
	lane.extends = threadIdx.x % 32 < n && low < followed.after + events.low_less;
	return lane;
}

/*
 * Extend at most 32 entries, from number k on.  This is what is done where the list is shorter than the
 * type's events.
 */
static __device__ __forceinline__ Lane
ExtendBy32Entries(const DeviceList &list, const Events &events, uint32_t k, bool counts_entries, Pause *pause)
{
	uint32_t	last = min(31u, list.n - k - 1);
	Followed	followed = FollowEntries(list, events, k, last, pause);

	if (counts_entries)
		CountExtending(events, followed.first, followed.after, __shfl_sync(ALL_LANES, followed.after, 31), pause);
	return ExtendEntries(events, followed, last + 1);
}

/* Do the same, and take occurrences.  Returns false if no later entry can be extended. */
static __device__ __forceinline__ bool
CountBy32Entries(const DeviceList &list, const Events &events, uint32_t k, bool counts_entries, Pause *pause)
{
	Lane		lane = ExtendBy32Entries(list, events, k, counts_entries, pause);

	TakeOccurrences<COUNT_EXTENSIONS>(lane, DeviceList(), pause);
	return pause->at < events.n;
}

/*
 * Whether to go through the entries and not through the events.  An entry takes about as long as an event
 * does, and longer where entries of the longer list are counted, too.  The entries must be fewer than the
 * events, because launches end after as many steps as there are events.
 */
static __device__ __forceinline__ bool
IsDoneByEntries(const DeviceList &list, const Events &events, bool counts_entries)
{
	return list.n < (counts_entries ? events.n / 3 : events.n / 3 * 2);
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

/* Write the entries of the longer list: in each lane, n events extend the lane's entry. */
static __device__ __forceinline__ void
WriteExtended(const Events &events, const Followed &followed, uint32_t n, const DeviceList &made, Pause *pause)
{
	uint32_t	up_to = SumUpTo(n);
	uint32_t	all = __shfl_sync(ALL_LANES, up_to, 31);

	for (uint32_t begin = 0; begin < all; begin += 32)
	{
		uint32_t	number = begin + threadIdx.x % 32;
		uint32_t	owner = CountLessOfLanes(up_to, number + 1);
		uint32_t	event = __shfl_sync(ALL_LANES, followed.first + n - up_to, owner) + number;
		uint32_t	start = __shfl_sync(ALL_LANES, followed.start, owner);

		if (number < all)
		{
			made.end[pause->n + number] = events.instant[event];
			made.start[pause->n + number] = start;
		}
	}
	pause->n += all;
}

/*
 * How many events belong to an entry, if those from "next" on can follow a later entry, too.  The first event
 * that follows the entry is known not to be too far.
 */
static __device__ __forceinline__ uint32_t
CountOfEntry(const Events &events, const Followed &followed, uint32_t next)
{
	uint32_t	too_far = followed.after + events.low_less;
	uint32_t	at = followed.first + 1;
	uint32_t	step = 1;

	while (at < next && events.low[at + min(step, next - at) - 1] < too_far)
	{
		at += min(step, next - at);
		step *= 2;
	}
	return FirstNotBelow(events.low, at, at + min(step, next - at), too_far) - followed.first;
}

/*
 * As CountBy32Entries(), and write the longer list.  An event belongs to the last entry that it can follow,
 * so each lane has to know the first event of the next entry.  The last lane has an entry for that reason
 * only, so 31 are done at a time.
 */
static __device__ __forceinline__ bool
WriteBy31Entries(const DeviceList &list, const Events &events, uint32_t k, uint32_t n, const DeviceList &made,
				 Pause *pause)
{
	uint32_t	last = min(n, list.n - k - 1);
	Followed	followed = FollowEntries(list, events, k, last, pause);
	Lane		lane = ExtendEntries(events, followed, n);
	uint32_t	next = __shfl_down_sync(ALL_LANES, followed.first, 1);

	if (threadIdx.x % 32 >= last && last < n)
		next = events.n;
	TakeOccurrences<COUNT_EXTENSIONS>(lane, DeviceList(), pause);
	WriteExtended(events, followed, lane.extends && followed.first < next ? CountOfEntry(events, followed, next) : 0,
				  made, pause);
	return pause->at < events.n;
}

static __device__ void
WriteByEntries(const DeviceList &list, const Events &events, const DeviceList &made, uint32_t begin, uint32_t n,
			   Pause *pause)
{
	uint32_t	end = min(list.n, begin + n);

	for (uint32_t k = begin; k < end; k += 31)
	{
		if (!WriteBy31Entries(list, events, k, min(31u, end - k), made, pause))
		{
			pause->at = GPU_NONE;
			return;
		}
	}
}

#endif							/* GPU_EPISODES_EXTENDING_H */

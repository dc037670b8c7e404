/*-------------------------------------------------------------------------
 *
 * by_entries.h
 *	  Extending a list by a warp that goes through its entries, see lists.h.
 *
 * The events that can follow an entry are those from some event on, up to the first one that is
 * too far.  Both ascend with the entries, so for 32 entries they are looked for close together.
 *
 * All lanes of the warp call a function together, with the same arguments.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_BY_ENTRIES_H
#define FIM_BY_ENTRIES_H

#include "episodes/extending.h"

/*
 * Add the number of events that extend the lanes' entries to pause->n.  An entry is extended by the events
 * from number "first" on that are not too far; "after" is the moment after its end, and "latest" that of the
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
	uint32_t	after;			/* the moment after its end */
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
	if (events.low != events.moment)
	{
		low = NumberAt(events.low, events.n, followed.first);
		lane.end = NumberAt(events.moment, events.n, followed.first);
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
			made.end[pause->n + number] = events.moment[event];
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

#endif							/* FIM_BY_ENTRIES_H */

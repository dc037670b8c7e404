/*-------------------------------------------------------------------------
 *
 * lists_legs_kernels.cu
 *	  Extending a list by several warps, each with a leg of the events; see lists.h.
 *
 * Which entry an event extends does not depend on other events.  Which occurrences are taken
 * does, since each has to begin after the one before ended.  But occurrences that are taken
 * greedily from two different instants on are soon the same ones.  So a warp begins some events
 * before its leg, as if nothing had been taken before these, and puts down from which instant
 * on it took occurrences of its leg.  Then a warp for each extension goes from leg to leg
 * with the true instant, 32 legs at a time.  Where the true instant is not the one that the leg's
 * warp put down, it takes occurrences from both instants on until they are the same.  From there on,
 * the leg's warp has found the right ones.
 *
 * If entries or ends are to be written, each leg is then told what was found before it, and
 * a warp for each leg goes through it once more.
 *
 *-------------------------------------------------------------------------
 */
#include "episodes/extending.h"

#define THREADS		EXTENDING_THREADS
#define WARPS		(THREADS / 32)

/* How many events or entries before its leg a warp begins to take occurrences, a multiple of 32. */
#define LEAD		64

/* How the extensions of a launch, from "first" to end - 1, are cut into legs. */
typedef struct Cut
{
	uint32_t	first;
	uint32_t	end;
	uint32_t	begin;			/* events or entries that each extension has gone through before */
	uint32_t	n;				/* the most that it goes through in this launch */
	uint32_t	least;			/* the least events or entries of a leg, a multiple of 32 */
	uint32_t	most;			/* the most legs of an extension */
} Cut;

/* An extension, as a warp sees it. */
typedef struct Work
{
	uint32_t	to;
	DeviceList	list;
	Events		events;
	bool		by_entries;
	bool		counts_entries;
	Pause		pause;			/* at the beginning of the launch */
	uint32_t	n;				/* events or entries to go through in this launch */
	uint32_t	size;			/* events or entries of a leg */
} Work;

/* The leg's events or entries, from "from" to end - 1. */
typedef struct Range
{
	uint32_t	from;
	uint32_t	end;
} Range;

static __device__ __forceinline__ uint32_t
WarpNumber(const Cut &cut)
{
	return cut.first + blockIdx.x * WARPS + threadIdx.x / 32;
}

static __device__ __forceinline__ bool
IsGivenUp(uint64_t least, const Work &work, uint32_t begin)
{
	if (work.by_entries)
		return !CanReachByEntries(least, work.pause, work.list.n - begin, work.events.n);
	return !CanReach(least, work.pause, work.events.n - begin, work.list.n);
}

/* Returns false if the extension has nothing to do in this launch. */
template <ExtensionMode mode>
static __device__ __forceinline__ bool
BeginWork(const Extending &extending, const Cut &cut, Work *work)
{
	Extension	extension;
	uint32_t	length;

	if (WarpNumber(cut) >= cut.end)
		return false;
	extension = extending.extensions[WarpNumber(cut)];
	work->to = extension.to;
	work->events = EventsUnder(extending.stream, extension);
	work->list = extending.lists[extension.list];
	work->by_entries = mode == COUNT_EXTENSIONS && IsDoneByEntries(work->list, work->events, extending.counts_entries);
	if (work->by_entries)
		work->events = AllEventsUnder(extending.stream, extension);
	work->counts_entries = extending.counts_entries;
	length = work->by_entries ? work->list.n : work->events.n;
	if (cut.begin > 0 && cut.begin >= length)
		return false;
	work->pause = PauseAt(extending, extension.to, cut.begin);
	work->n = min(cut.n, length - cut.begin);
	work->size = max(cut.least, ((work->n + cut.most - 1) / cut.most + 31) / 32 * 32);
	return work->pause.at != GPU_NONE;
}

static __device__ __forceinline__ uint32_t
LegsOf(const Work &work)
{
	return (work.n + work.size - 1) / work.size;
}

static __device__ __forceinline__ Range
RangeOf(const Work &work, const Cut &cut, uint32_t c)
{
	uint32_t	from = c * work.size;

	return {cut.begin + from, cut.begin + min(work.n, from + work.size)};
}

static __device__ __forceinline__ Leg *
LegsAt(const Extending &extending, const Cut &cut)
{
	return extending.legs + (uint64_t) (WarpNumber(cut) - cut.first) * cut.most;
}

/* The same for a warp that has a leg: the number of the leg is the block's in y. */
template <ExtensionMode mode>
static __device__ __forceinline__ bool
BeginLeg(const Extending &extending, const Cut &cut, Work *work, Range *range, Leg **leg)
{
	if (!BeginWork<mode>(extending, cut, work) || blockIdx.y >= LegsOf(*work))
		return false;
	*range = RangeOf(*work, cut, blockIdx.y);
	*leg = LegsAt(extending, cut) + blockIdx.y;
	return true;
}

/* ---- what a leg's warp finds ---- */

/* Go through 32 events or entries, from "at" on. */
static __device__ __forceinline__ Lane
FindExtensions(const Work &work, uint32_t at, Pause *pause)
{
	Lane		lane;

	if (work.by_entries)
		return ExtendBy32Entries(work.list, work.events, at, work.counts_entries, pause);
	lane = ExtendByEvents(work.list, work.events, NextEvents(work.events, at), work.events.n - at, pause);
	pause->n += __popc(__ballot_sync(ALL_LANES, lane.extends));
	return lane;
}

/* Whether all entries are far enough back, or no event is left that could follow an entry. */
static __device__ __forceinline__ bool
IsAtEnd(const Work &work, const Pause &pause)
{
	return pause.at == (work.by_entries ? work.events.n : work.list.n);
}

/* The pause before an event or entry, as if no occurrence had been taken before it. */
static __device__ __forceinline__ Pause
FindPause(const Work &work, uint32_t place)
{
	Pause		pause = {0, 0, 0, 0, 0};
	uint32_t	after;

	if (!work.by_entries)
	{
		pause.at = CountLessByWarp(work.list.end, work.list.n, work.events.high[PlaceOf(work.events, place)] - work.events.high_less);
		return pause;
	}
	after = work.list.end[place] + 1;
	pause.at = CountLessByWarp(work.events.high, work.events.n, after + work.events.high_less);
	if (work.counts_entries)
		pause.reached = CountLessByWarp(work.events.low, work.events.n, after + work.events.low_less);
	return pause;
}

/* Go through a leg, and before that through the events or entries from "lead" to the leg's begin. */
template <ExtensionMode mode>
static __device__ __forceinline__ void
CountLeg(const Work &work, uint32_t lead, const Range &range, Leg *leg)
{
	Pause	   *pause = &leg->pause;

	for (uint32_t at = lead; at < range.end; at += 32)
	{
		bool		was_at_end = IsAtEnd(work, *pause);
		Lane		lane;
		uint32_t	extend;

		if (at == range.from)
		{
			leg->free = pause->free;
			pause->n = pause->support = 0;
		}
		lane = FindExtensions(work, at, pause);
		extend = __ballot_sync(ALL_LANES, lane.extends);
		if (at >= range.from && extend != 0 && leg->first == GPU_NONE)
		{
			leg->first = __shfl_sync(ALL_LANES, lane.start, __ffs(extend) - 1);
			leg->skip = at;
		}
		if (mode != WRITE_EXTENSIONS)
			TakeOccurrences<COUNT_EXTENSIONS>(lane, DeviceList(), pause);
		if (at >= range.from && extend == 0 && was_at_end)
			return;
	}
}

/* A warp for each leg: in x extensions, in y their legs. */
template <ExtensionMode mode>
static __global__ void __launch_bounds__(THREADS)
CountLegsKernel(Extending extending, Cut cut)
{
	Work		work;
	Range		range;
	Leg		leg;
	Leg	   *to;
	uint32_t	lead;

	if (!BeginLeg<mode>(extending, cut, &work, &range, &to))
		return;
	if (mode == COUNT_EXTENSIONS && IsGivenUp(extending.least, work, cut.begin))
		return;
	lead = range.from;
	leg.first = leg.skip = GPU_NONE;
	leg.pause = work.pause;
	if (range.from > cut.begin)
	{
		lead -= mode != WRITE_EXTENSIONS ? LEAD : 0;
		leg.pause = FindPause(work, lead);
	}
	CountLeg<mode>(work, lead, range, &leg);
	if (threadIdx.x % 32 == 0)
		*to = leg;
}

/* ---- from leg to leg ---- */

/*
 * Whether the occurrences of a leg have to be taken again if they may begin at "free".  Starts do not
 * decrease.  So if the leg's first start is before neither that instant nor the one of the leg's warp, the
 * same occurrences are taken from both.
 */
static __device__ __forceinline__ bool
IsTakenAgain(const Leg &leg, uint32_t free)
{
	return free != leg.free && max(leg.free, free) > leg.first;
}

/* Give a lane's leg to all lanes, with the fields that TakeAgain() reads. */
static __device__ __forceinline__ Leg
LegOfLane(const Leg &leg, uint32_t lane)
{
	Leg		of = {0, 0, 0, {0, 0, 0, 0, 0}};

	of.free = __shfl_sync(ALL_LANES, leg.free, lane);
	of.skip = __shfl_sync(ALL_LANES, leg.skip, lane);
	of.pause.free = __shfl_sync(ALL_LANES, leg.pause.free, lane);
	of.pause.support = __shfl_sync(ALL_LANES, leg.pause.support, lane);
	return of;
}

/*
 * Take the occurrences of a leg from the pause's instant on, and side by side those that the leg's warp
 * took, until both are the same.  Adds the number of the former in the whole leg to the pause, and sets its
 * "free" to the instant at which the next occurrence after the leg may begin.
 */
static __device__ __forceinline__ void
TakeAgain(const Work &work, const Leg &leg, uint32_t end, Pause *pause)
{
	Pause		here = {pause->at, pause->reached, pause->free, 0, 0};
	Pause		there = {0, 0, leg.free, 0, 0};

	for (uint32_t place = leg.skip; place < end && here.free != there.free; place += 32)
	{
		Lane		lane = FindExtensions(work, place, &here);

		TakeOccurrences<COUNT_EXTENSIONS>(lane, DeviceList(), &here);
		TakeOccurrences<COUNT_EXTENSIONS>(lane, DeviceList(), &there);
	}
	pause->free = here.free == there.free ? leg.pause.free : here.free;
	pause->support += leg.pause.support + here.support - there.support;
}

/*
 * The instant from which on occurrences may begin after the leg of each lane: "takers" are the lanes in
 * whose legs occurrences were taken, and before them it is "free".
 */
static __device__ __forceinline__ uint32_t
FreeAfter(const Leg &leg, uint32_t takers, uint32_t free)
{
	uint32_t	up_to_here = takers & ~0u >> (31 - threadIdx.x % 32);
	uint32_t	last = __shfl_sync(ALL_LANES, leg.pause.free, 31 - __clz(up_to_here | 1));

	return up_to_here != 0 ? last : free;
}

/* The value of the lane before; the first lane gets of_first. */
static __device__ __forceinline__ uint32_t
OfLaneBefore(uint32_t value, uint32_t of_first)
{
	uint32_t	before = __shfl_up_sync(ALL_LANES, value, 1);

	return threadIdx.x % 32 == 0 ? of_first : before;
}

/*
 * Go through the n legs from number c on, of which each of the first n lanes has one.  *pause is the pause
 * before them, and becomes that after them.  Returns to each lane the pause before its leg.
 */
static __device__ __forceinline__ Pause
AddLegs(const Work &work, const Cut &cut, uint32_t c, const Leg &leg, uint32_t n, Pause *pause)
{
	uint32_t	lane = threadIdx.x % 32;
	uint32_t	entries = SumUpTo(lane < n ? leg.pause.n : 0);
	uint32_t	takers = __ballot_sync(ALL_LANES, lane < n && leg.pause.support > 0);
	Pause		before;

	before.at = OfLaneBefore(leg.pause.at, pause->at);
	before.reached = OfLaneBefore(leg.pause.reached, pause->reached);
	before.n = pause->n + OfLaneBefore(entries, 0);
	for (uint32_t begin = 0; begin < n;)
	{
		/*
		 * add up as if no leg from "begin" on had to be taken again, which holds up to the first that has
		 * to be
		 */
		bool		adds = lane >= begin && lane < n;
		uint32_t	support = SumUpTo(adds ? leg.pause.support : 0);
		uint32_t	free = FreeAfter(leg, takers & ~0u << begin, pause->free);
		uint32_t	free_before = OfLaneBefore(free, pause->free);
		uint32_t	again = __ballot_sync(ALL_LANES, adds && IsTakenAgain(leg, free_before));
		uint32_t	end = again != 0 ? __ffs(again) - 1 : n;

		if (adds && lane <= end)
		{
			before.free = free_before;
			before.support = pause->support + support - leg.pause.support;
		}
		if (end > begin)
		{
			pause->free = __shfl_sync(ALL_LANES, free, end - 1);
			pause->support += __shfl_sync(ALL_LANES, support, end - 1);
		}
		begin = end;
		if (end < n)
		{
			pause->at = __shfl_sync(ALL_LANES, before.at, end);
			pause->reached = __shfl_sync(ALL_LANES, before.reached, end);
			TakeAgain(work, LegOfLane(leg, end), RangeOf(work, cut, c + end).end, pause);
			begin++;
		}
	}
	pause->at = __shfl_sync(ALL_LANES, leg.pause.at, n - 1);
	pause->reached = __shfl_sync(ALL_LANES, leg.pause.reached, n - 1);
	pause->n += __shfl_sync(ALL_LANES, entries, 31);
	return before;
}

/* A warp for each extension: adds up what the warps of its legs have found. */
template <ExtensionMode mode>
static __global__ void __launch_bounds__(THREADS)
AddLegsKernel(Extending extending, Cut cut)
{
	Leg	   *legs = LegsAt(extending, cut);
	Work		work;
	Pause		pause;

	if (!BeginWork<mode>(extending, cut, &work))
		return;
	pause = work.pause;
	if (mode == COUNT_EXTENSIONS && IsGivenUp(extending.least, work, cut.begin))
		pause.at = GPU_NONE;
	for (uint32_t c = 0; c < LegsOf(work) && pause.at != GPU_NONE; c += 32)
	{
		uint32_t	n = min(32u, LegsOf(work) - c);
		uint32_t	own = c + min(threadIdx.x % 32, n - 1);
		Leg		leg = legs[own];
		Pause		before = AddLegs(work, cut, c, leg, n, &pause);

		if (mode != COUNT_EXTENSIONS && threadIdx.x % 32 < n)
			legs[own].pause = before;
	}
	StorePause<mode>(extending, work.to, pause);
}

/* ---- writing ---- */

/* A warp for each leg: writes, going on from the pause that AddLegsKernel() has put into the leg. */
template <ExtensionMode mode>
static __global__ void __launch_bounds__(THREADS)
WriteLegsKernel(Extending extending, Cut cut)
{
	Work		work;
	Range		range;
	Leg	   *leg;
	Pause		pause;

	if (!BeginLeg<mode>(extending, cut, &work, &range, &leg))
		return;
	pause = leg->pause;
	Extend<mode>(0, work.list, work.events, extending.made[work.to], range.from, range.end - range.from, &pause);
}

template <ExtensionMode mode>
static void
Launch(const Extending *extending, const Cut &cut, cudaStream_t stream)
{
	uint32_t	blocks = GpuBlocks(cut.end - cut.first, WARPS);
	dim3		legs(blocks, cut.most);

	CountLegsKernel<mode><<<legs, THREADS, 0, stream>>>(*extending, cut);
	AddLegsKernel<mode><<<blocks, THREADS, 0, stream>>>(*extending, cut);
	if (mode != COUNT_EXTENSIONS)
		WriteLegsKernel<mode><<<legs, THREADS, 0, stream>>>(*extending, cut);
}

cudaError_t
LaunchLegs(GpuDevice *device, const Extending *extending, uint32_t first, uint32_t end, uint32_t begin,
			 uint32_t events, uint32_t least, uint32_t most)
{
	Cut			cut = {first, end, begin, events, least, most};
	cudaStream_t stream = device->streams[GPU_COUNT];

	if (extending->mode == COUNT_EXTENSIONS)
		Launch<COUNT_EXTENSIONS>(extending, cut, stream);
	else if (extending->mode == WRITE_EXTENSIONS)
		Launch<WRITE_EXTENSIONS>(extending, cut, stream);
	else if (extending->mode == COUNT_AND_WRITE_EXTENSIONS)
		Launch<COUNT_AND_WRITE_EXTENSIONS>(extending, cut, stream);
	else
		Launch<TAKE_EXTENSIONS>(extending, cut, stream);
	return GpuLaunched(device, "extending lists");
}

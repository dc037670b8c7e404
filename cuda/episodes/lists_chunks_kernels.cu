/*-------------------------------------------------------------------------
 *
 * lists_chunks_kernels.cu
 *	  Extending a list by several warps, each with a chunk of the events; see lists.h.
 *
 * Which entry an event extends does not depend on other events.  Which occurrences are taken
 * does, since each has to begin after the one before ended.  But occurrences that are taken
 * greedily from two different moments on are soon the same ones.  So a warp begins some events
 * before its chunk, as if nothing had been taken before these, and puts down from which moment
 * on it took occurrences of its chunk.  Then a warp for each extension goes from chunk to chunk
 * with the true moment, 32 chunks at a time.  Where the true moment is not the one that the chunk's
 * warp put down, it takes occurrences from both moments on until they are the same.  From there on,
 * the chunk's warp has found the right ones.
 *
 * If entries or ends are to be written, each chunk is then told what was found before it, and
 * a warp for each chunk goes through it once more.
 *
 *-------------------------------------------------------------------------
 */
#include "episodes/extending.h"

#define THREADS		EXTENDING_THREADS
#define WARPS		(THREADS / 32)

/* How many events or entries before its chunk a warp begins to take occurrences, a multiple of 32. */
#define LEAD		64

/* How the extensions of a launch, from "first" to end - 1, are cut into chunks. */
typedef struct Cut
{
	uint32_t	first;
	uint32_t	end;
	uint32_t	begin;			/* events or entries that each extension has gone through before */
	uint32_t	n;				/* the most that it goes through in this launch */
	uint32_t	least;			/* the least events or entries of a chunk, a multiple of 32 */
	uint32_t	most;			/* the most chunks of an extension */
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
	uint32_t	size;			/* events or entries of a chunk */
} Work;

/* The chunk's events or entries, from "from" to end - 1. */
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
ChunksOf(const Work &work)
{
	return (work.n + work.size - 1) / work.size;
}

static __device__ __forceinline__ Range
RangeOf(const Work &work, const Cut &cut, uint32_t c)
{
	uint32_t	from = c * work.size;

	return {cut.begin + from, cut.begin + min(work.n, from + work.size)};
}

static __device__ __forceinline__ Chunk *
ChunksAt(const Extending &extending, const Cut &cut)
{
	return extending.chunks + (uint64_t) (WarpNumber(cut) - cut.first) * cut.most;
}

/* The same for a warp that has a chunk: the number of the chunk is the block's in y. */
template <ExtensionMode mode>
static __device__ __forceinline__ bool
BeginChunk(const Extending &extending, const Cut &cut, Work *work, Range *range, Chunk **chunk)
{
	if (!BeginWork<mode>(extending, cut, work) || blockIdx.y >= ChunksOf(*work))
		return false;
	*range = RangeOf(*work, cut, blockIdx.y);
	*chunk = ChunksAt(extending, cut) + blockIdx.y;
	return true;
}

/* ---- what a chunk's warp finds ---- */

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

/* Go through a chunk, and before that through the events or entries from "lead" to the chunk's begin. */
template <ExtensionMode mode>
static __device__ __forceinline__ void
CountChunk(const Work &work, uint32_t lead, const Range &range, Chunk *chunk)
{
	Pause	   *pause = &chunk->pause;

	for (uint32_t at = lead; at < range.end; at += 32)
	{
		bool		was_at_end = IsAtEnd(work, *pause);
		Lane		lane;
		uint32_t	extend;

		if (at == range.from)
		{
			chunk->free = pause->free;
			pause->n = pause->support = 0;
		}
		lane = FindExtensions(work, at, pause);
		extend = __ballot_sync(ALL_LANES, lane.extends);
		if (at >= range.from && extend != 0 && chunk->first == GPU_NONE)
		{
			chunk->first = __shfl_sync(ALL_LANES, lane.start, __ffs(extend) - 1);
			chunk->skip = at;
		}
		if (mode != WRITE_EXTENSIONS)
			TakeOccurrences<COUNT_EXTENSIONS>(lane, DeviceList(), pause);
		if (at >= range.from && extend == 0 && was_at_end)
			return;
	}
}

/* A warp for each chunk: in x extensions, in y their chunks. */
template <ExtensionMode mode>
static __global__ void __launch_bounds__(THREADS)
CountChunksKernel(Extending extending, Cut cut)
{
	Work		work;
	Range		range;
	Chunk		chunk;
	Chunk	   *to;
	uint32_t	lead;

	if (!BeginChunk<mode>(extending, cut, &work, &range, &to))
		return;
	if (mode == COUNT_EXTENSIONS && IsGivenUp(extending.least, work, cut.begin))
		return;
	lead = range.from;
	chunk.first = chunk.skip = GPU_NONE;
	chunk.pause = work.pause;
	if (range.from > cut.begin)
	{
		lead -= mode != WRITE_EXTENSIONS ? LEAD : 0;
		chunk.pause = FindPause(work, lead);
	}
	CountChunk<mode>(work, lead, range, &chunk);
	if (threadIdx.x % 32 == 0)
		*to = chunk;
}

/* ---- from chunk to chunk ---- */

/*
 * Whether the occurrences of a chunk have to be taken again if they may begin at "free".  Starts do not
 * decrease.  So if the chunk's first start is before neither that moment nor the one of the chunk's warp, the
 * same occurrences are taken from both.
 */
static __device__ __forceinline__ bool
IsTakenAgain(const Chunk &chunk, uint32_t free)
{
	return free != chunk.free && max(chunk.free, free) > chunk.first;
}

/* Give a lane's chunk to all lanes, with the fields that TakeAgain() reads. */
static __device__ __forceinline__ Chunk
ChunkOfLane(const Chunk &chunk, uint32_t lane)
{
	Chunk		of = {0, 0, 0, {0, 0, 0, 0, 0}};

	of.free = __shfl_sync(ALL_LANES, chunk.free, lane);
	of.skip = __shfl_sync(ALL_LANES, chunk.skip, lane);
	of.pause.free = __shfl_sync(ALL_LANES, chunk.pause.free, lane);
	of.pause.support = __shfl_sync(ALL_LANES, chunk.pause.support, lane);
	return of;
}

/*
 * Take the occurrences of a chunk from the pause's moment on, and side by side those that the chunk's warp
 * took, until both are the same.  Adds the number of the former in the whole chunk to the pause, and sets its
 * "free" to the moment at which the next occurrence after the chunk may begin.
 */
static __device__ __forceinline__ void
TakeAgain(const Work &work, const Chunk &chunk, uint32_t end, Pause *pause)
{
	Pause		here = {pause->at, pause->reached, pause->free, 0, 0};
	Pause		there = {0, 0, chunk.free, 0, 0};

	for (uint32_t place = chunk.skip; place < end && here.free != there.free; place += 32)
	{
		Lane		lane = FindExtensions(work, place, &here);

		TakeOccurrences<COUNT_EXTENSIONS>(lane, DeviceList(), &here);
		TakeOccurrences<COUNT_EXTENSIONS>(lane, DeviceList(), &there);
	}
	pause->free = here.free == there.free ? chunk.pause.free : here.free;
	pause->support += chunk.pause.support + here.support - there.support;
}

/*
 * The moment from which on occurrences may begin after the chunk of each lane: "takers" are the lanes in
 * whose chunks occurrences were taken, and before them it is "free".
 */
static __device__ __forceinline__ uint32_t
FreeAfter(const Chunk &chunk, uint32_t takers, uint32_t free)
{
	uint32_t	up_to_here = takers & ~0u >> (31 - threadIdx.x % 32);
	uint32_t	last = __shfl_sync(ALL_LANES, chunk.pause.free, 31 - __clz(up_to_here | 1));

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
 * Go through the n chunks from number c on, of which each of the first n lanes has one.  *pause is the pause
 * before them, and becomes that after them.  Returns to each lane the pause before its chunk.
 */
static __device__ __forceinline__ Pause
AddChunks(const Work &work, const Cut &cut, uint32_t c, const Chunk &chunk, uint32_t n, Pause *pause)
{
	uint32_t	lane = threadIdx.x % 32;
	uint32_t	entries = SumUpTo(lane < n ? chunk.pause.n : 0);
	uint32_t	takers = __ballot_sync(ALL_LANES, lane < n && chunk.pause.support > 0);
	Pause		before;

	before.at = OfLaneBefore(chunk.pause.at, pause->at);
	before.reached = OfLaneBefore(chunk.pause.reached, pause->reached);
	before.n = pause->n + OfLaneBefore(entries, 0);
	for (uint32_t begin = 0; begin < n;)
	{
		/*
		 * add up as if no chunk from "begin" on had to be taken again, which holds up to the first that has
		 * to be
		 */
		bool		adds = lane >= begin && lane < n;
		uint32_t	support = SumUpTo(adds ? chunk.pause.support : 0);
		uint32_t	free = FreeAfter(chunk, takers & ~0u << begin, pause->free);
		uint32_t	free_before = OfLaneBefore(free, pause->free);
		uint32_t	again = __ballot_sync(ALL_LANES, adds && IsTakenAgain(chunk, free_before));
		uint32_t	end = again != 0 ? __ffs(again) - 1 : n;

		if (adds && lane <= end)
		{
			before.free = free_before;
			before.support = pause->support + support - chunk.pause.support;
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
			TakeAgain(work, ChunkOfLane(chunk, end), RangeOf(work, cut, c + end).end, pause);
			begin++;
		}
	}
	pause->at = __shfl_sync(ALL_LANES, chunk.pause.at, n - 1);
	pause->reached = __shfl_sync(ALL_LANES, chunk.pause.reached, n - 1);
	pause->n += __shfl_sync(ALL_LANES, entries, 31);
	return before;
}

/* A warp for each extension: adds up what the warps of its chunks have found. */
template <ExtensionMode mode>
static __global__ void __launch_bounds__(THREADS)
AddChunksKernel(Extending extending, Cut cut)
{
	Chunk	   *chunks = ChunksAt(extending, cut);
	Work		work;
	Pause		pause;

	if (!BeginWork<mode>(extending, cut, &work))
		return;
	pause = work.pause;
	if (mode == COUNT_EXTENSIONS && IsGivenUp(extending.least, work, cut.begin))
		pause.at = GPU_NONE;
	for (uint32_t c = 0; c < ChunksOf(work) && pause.at != GPU_NONE; c += 32)
	{
		uint32_t	n = min(32u, ChunksOf(work) - c);
		uint32_t	own = c + min(threadIdx.x % 32, n - 1);
		Chunk		chunk = chunks[own];
		Pause		before = AddChunks(work, cut, c, chunk, n, &pause);

		if (mode != COUNT_EXTENSIONS && threadIdx.x % 32 < n)
			chunks[own].pause = before;
	}
	StorePause<mode>(extending, work.to, pause);
}

/* ---- writing ---- */

/* A warp for each chunk: writes, going on from the pause that AddChunksKernel() has put into the chunk. */
template <ExtensionMode mode>
static __global__ void __launch_bounds__(THREADS)
WriteChunksKernel(Extending extending, Cut cut)
{
	Work		work;
	Range		range;
	Chunk	   *chunk;
	Pause		pause;

	if (!BeginChunk<mode>(extending, cut, &work, &range, &chunk))
		return;
	pause = chunk->pause;
	Extend<mode>(0, work.list, work.events, extending.made[work.to], range.from, range.end - range.from, &pause);
}

template <ExtensionMode mode>
static void
Launch(const Extending *extending, const Cut &cut, cudaStream_t stream)
{
	uint32_t	blocks = GpuBlocks(cut.end - cut.first, WARPS);
	dim3		chunks(blocks, cut.most);

	CountChunksKernel<mode><<<chunks, THREADS, 0, stream>>>(*extending, cut);
	AddChunksKernel<mode><<<blocks, THREADS, 0, stream>>>(*extending, cut);
	if (mode != COUNT_EXTENSIONS)
		WriteChunksKernel<mode><<<chunks, THREADS, 0, stream>>>(*extending, cut);
}

cudaError_t
LaunchChunks(GpuDevice *device, const Extending *extending, uint32_t first, uint32_t end, uint32_t begin,
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

/*-------------------------------------------------------------------------
 *
 * chunks_kernels.cu
 *	  Extending a list by several warps, each with a chunk of the events; see lists.h.
 *
 * Which entry an event extends does not depend on other events.  Which occurrences are taken
 * does, since each has to begin after the one before ended.  But occurrences that are taken
 * greedily from two different moments on are soon the same ones.  So a warp begins some events
 * before its chunk, as if nothing had been taken before these, and puts down from which moment
 * on it took occurrences of its chunk.  Then a warp for each extension goes from chunk to chunk
 * with the true moment.  Where it is another one, it takes occurrences from both moments on
 * until they are the same: from there on, what the chunk's warp found is right.
 *
 * To write lists, chunks first count their entries, so that each knows where it writes.
 *
 *-------------------------------------------------------------------------
 */
#include "episodes/extending.h"

#define THREADS		128
#define WARPS		(THREADS / 32)

/* So many events or entries before its chunk a warp begins to take occurrences, a multiple of 32. */
#define LEAD		64

/* How the extensions of a launch are cut into chunks. */
typedef struct Cut
{
	uint32_t	first;			/* extensions, from first to end - 1 */
	uint32_t	end;
	uint32_t	begin;			/* events or entries that each has gone by */
	uint32_t	n;				/* and goes on by at most */
	uint32_t	size;			/* of a chunk */
	uint32_t	most;			/* chunks of an extension */
} Cut;

/* An extension, as a warp sees it. */
typedef struct Work
{
	uint32_t	to;
	DeviceList	list;
	Events		events;
	bool		by_entries;
	Pause		pause;			/* at the beginning of the launch */
	uint32_t	n;				/* events or entries to go on by */
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
	work->events = EventsUnder(extending.stream, extension.type, extension.gap);
	work->list = extending.lists[extension.list];
	work->by_entries = mode == COUNT_EXTENSIONS && IsCountedByEntries(work->list, work->events);
	length = work->by_entries ? work->list.n : work->events.n;
	if (cut.begin > 0 && cut.begin >= length)
		return false;
	work->pause = PauseAt(extending, extension.to, cut.begin);
	work->n = min(cut.n, length - cut.begin);
	return work->pause.at != GPU_NONE;
}

static __device__ __forceinline__ uint32_t
ChunksOf(const Work &work, const Cut &cut)
{
	return (work.n + cut.size - 1) / cut.size;
}

static __device__ __forceinline__ Range
RangeOf(const Work &work, const Cut &cut, uint32_t c)
{
	uint32_t	from = c * cut.size;

	return {cut.begin + from, cut.begin + min(work.n, from + cut.size)};
}

static __device__ __forceinline__ Chunk *
ChunksAt(const Extending &extending, const Cut &cut)
{
	return extending.chunks + (uint64_t) (WarpNumber(cut) - cut.first) * cut.most;
}

/* 32 events or entries. */
static __device__ __forceinline__ Lane
FindExtensions(const Work &work, uint32_t at, Pause *pause)
{
	Lane		lane;

	if (work.by_entries)
		return ExtendEntries(work.list, work.events, at, pause);
	lane = ExtendByEvents(work.list, work.events, at, pause);
	pause->n += __popc(__ballot_sync(ALL_LANES, lane.extends));
	return lane;
}

/* Whether no event or entry has anything to extend or to be extended by any more. */
static __device__ __forceinline__ bool
IsAtEnd(const Work &work, const Pause &pause)
{
	return pause.at == (work.by_entries ? work.events.n : work.list.n);
}

/* Go through a chunk, and through what lies before it from "lead" on. */
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
		if (mode == COUNT_EXTENSIONS)
			TakeOccurrences<mode>(lane, DeviceList(), pause);
		if (at >= range.from && extend == 0 && was_at_end)
			return;
	}
}

/* A warp for each chunk: in x extensions, in y their chunks. */
template <ExtensionMode mode>
static __global__ void __launch_bounds__(THREADS)
CountChunksKernel(Extending extending, Cut cut)
{
	uint32_t	c = blockIdx.y;
	Work		work;
	Range		range;
	Chunk		chunk;
	uint32_t	lead;

	if (!BeginWork<mode>(extending, cut, &work) || c >= ChunksOf(work, cut))
		return;
	if (mode == COUNT_EXTENSIONS && IsGivenUp(extending.least, work, cut.begin))
		return;
	range = RangeOf(work, cut, c);
	chunk.first = chunk.skip = GPU_NONE;
	chunk.pause = work.pause;
	if (c > 0)
		chunk.pause.free = 0;
	lead = mode == COUNT_EXTENSIONS && c > 0 ? LEAD : 0;
	CountChunk<mode>(work, range.from - lead, range, &chunk);
	if (threadIdx.x % 32 == 0)
		ChunksAt(extending, cut)[c] = chunk;
}

/* ---- from chunk to chunk ---- */

static __device__ __forceinline__ Chunk
ChunkOfLane(const Chunk &chunk, uint32_t lane)
{
	Chunk		of;

	of.free = __shfl_sync(ALL_LANES, chunk.free, lane);
	of.first = __shfl_sync(ALL_LANES, chunk.first, lane);
	of.skip = __shfl_sync(ALL_LANES, chunk.skip, lane);
	of.pause.at = __shfl_sync(ALL_LANES, chunk.pause.at, lane);
	of.pause.reached = __shfl_sync(ALL_LANES, chunk.pause.reached, lane);
	of.pause.free = __shfl_sync(ALL_LANES, chunk.pause.free, lane);
	of.pause.n = __shfl_sync(ALL_LANES, chunk.pause.n, lane);
	of.pause.support = __shfl_sync(ALL_LANES, chunk.pause.support, lane);
	return of;
}

/*
 * Take the occurrences of a chunk that the pause before it allows, and those that its
 * warp took, until they are the same.  Sets *support to how many more the first are, and returns the
 * moment from which on the next one may begin after the chunk.
 */
static __device__ __forceinline__ uint32_t
TakeAgain(const Work &work, const Chunk &chunk, uint32_t end, const Pause &pause, uint32_t *support)
{
	Pause		here = {pause.at, pause.reached, pause.free, 0, 0};
	Pause		there = {0, 0, chunk.free, 0, 0};

	for (uint32_t place = chunk.skip; place < end && here.free != there.free; place += 32)
	{
		Lane		lane = FindExtensions(work, place, &here);

		TakeOccurrences<COUNT_EXTENSIONS>(lane, DeviceList(), &here);
		TakeOccurrences<COUNT_EXTENSIONS>(lane, DeviceList(), &there);
	}
	*support = here.support - there.support;
	return here.free == there.free ? chunk.pause.free : here.free;
}

/* Add what a chunk's warp found. */
static __device__ __forceinline__ void
AddChunk(const Work &work, const Chunk &chunk, uint32_t end, Pause *pause)
{
	uint32_t	more = 0;

	/* starts do not decrease: after both moments, the same occurrences are taken from either */
	if (max(chunk.free, pause->free) > chunk.first && chunk.free != pause->free)
		pause->free = TakeAgain(work, chunk, end, *pause, &more);
	else if (chunk.pause.support > 0)
		pause->free = chunk.pause.free;
	pause->at = chunk.pause.at;
	pause->reached = chunk.pause.reached;
	pause->n += chunk.pause.n;
	pause->support += chunk.pause.support + more;
}

/* A warp for each extension. */
static __global__ void __launch_bounds__(THREADS)
AddChunksKernel(Extending extending, Cut cut)
{
	const Chunk *chunks = ChunksAt(extending, cut);
	Work		work;
	Pause		pause;

	if (!BeginWork<COUNT_EXTENSIONS>(extending, cut, &work))
		return;
	pause = work.pause;
	if (IsGivenUp(extending.least, work, cut.begin))
		pause.at = GPU_NONE;
	for (uint32_t c = 0; c < ChunksOf(work, cut) && pause.at != GPU_NONE; c += 32)
	{
		uint32_t	n = min(32u, ChunksOf(work, cut) - c);
		Chunk		chunk = chunks[c + min(threadIdx.x % 32, n - 1)];

		for (uint32_t i = 0; i < n; i++)
			AddChunk(work, ChunkOfLane(chunk, i), RangeOf(work, cut, c + i).end, &pause);
	}
	__syncwarp();
	if (threadIdx.x % 32 != 0)
		return;
	extending.pauses[work.to] = pause;
	extending.counted[work.to] = {pause.n, pause.support, pause.free};
}

/* ---- writing ---- */

/* A warp for each extension: from each chunk's number of entries to that of the entries before it. */
static __global__ void __launch_bounds__(THREADS)
PlaceChunksKernel(Extending extending, Cut cut)
{
	Chunk	   *chunks = ChunksAt(extending, cut);
	Work		work;
	Pause		pause;

	if (!BeginWork<WRITE_EXTENSIONS>(extending, cut, &work))
		return;
	pause = work.pause;
	for (uint32_t c = 0; c < ChunksOf(work, cut); c += 32)
	{
		uint32_t	own = c + threadIdx.x % 32;
		Pause		of = own < ChunksOf(work, cut) ? chunks[own].pause : pause;
		uint32_t	n = own < ChunksOf(work, cut) ? of.n : 0;
		uint32_t	up_to = pause.n + SumUpTo(n);
		uint32_t	at = __shfl_up_sync(ALL_LANES, of.at, 1);

		if (threadIdx.x % 32 == 0)
			at = pause.at;
		if (own < ChunksOf(work, cut))
		{
			chunks[own].pause.n = up_to - n;
			chunks[own].pause.at = at;
		}
		pause.n = __shfl_sync(ALL_LANES, up_to, 31);
		pause.at = __shfl_sync(ALL_LANES, of.at, min(31u, ChunksOf(work, cut) - c - 1));
	}
	__syncwarp();
	if (threadIdx.x % 32 != 0)
		return;
	/* what the writing warps begin with is in their chunks */
	extending.pauses[work.to] = pause;
	extending.made[work.to].n = pause.n;
}

/* A warp for each chunk, as in CountChunksKernel(). */
static __global__ void __launch_bounds__(THREADS)
WriteChunksKernel(Extending extending, Cut cut)
{
	uint32_t	c = blockIdx.y;
	Work		work;
	Range		range;
	Pause		pause;

	if (!BeginWork<WRITE_EXTENSIONS>(extending, cut, &work) || c >= ChunksOf(work, cut))
		return;
	range = RangeOf(work, cut, c);
	pause = ChunksAt(extending, cut)[c].pause;
	Extend<WRITE_EXTENSIONS>(0, work.list, work.events, extending.made[work.to], range.from, range.end - range.from,
							 &pause);
}

cudaError_t
LaunchChunks(GpuDevice *device, const Extending *extending, uint32_t first, uint32_t end, uint32_t begin,
			 uint32_t events, uint32_t size)
{
	Cut			cut = {first, end, begin, events, size, (events + size - 1) / size};
	uint32_t	blocks = GpuBlocks(end - first, WARPS);
	dim3		chunks(blocks, cut.most);
	cudaStream_t stream = device->streams[GPU_COUNT];

	if (extending->mode == COUNT_EXTENSIONS)
	{
		CountChunksKernel<COUNT_EXTENSIONS><<<chunks, THREADS, 0, stream>>>(*extending, cut);
		AddChunksKernel<<<blocks, THREADS, 0, stream>>>(*extending, cut);
	}
	else
	{
		CountChunksKernel<WRITE_EXTENSIONS><<<chunks, THREADS, 0, stream>>>(*extending, cut);
		PlaceChunksKernel<<<blocks, THREADS, 0, stream>>>(*extending, cut);
		WriteChunksKernel<<<chunks, THREADS, 0, stream>>>(*extending, cut);
	}
	return GpuLaunched(device, "extending lists");
}

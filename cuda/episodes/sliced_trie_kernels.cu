/*-------------------------------------------------------------------------
 *
 * sliced_trie_kernels.cu
 *	  Counting the trie on slices of surrogates, see sliced_trie.h.
 *
 * A block has a slice.  Its threads take the nodes of a level, one each, and go through the
 * list of the prefix and the events as one merges two ascending arrays.  That takes far
 * fewer instructions than a warp needs to find out together which entries its events follow.
 * But threads of a warp read different arrays, which only shared memory is quick at.
 *
 *-------------------------------------------------------------------------
 */
#include "episodes/sliced_trie_device.h"
#include "lanes.h"

#define THREADS		256

/* So many entries of a list are kept until it is known how long it is.  If there are more, it is made all over again. */
#define KEPT		32

/* Where everything is in the shared memory of a block. */
typedef struct Shared
{
	MadeList   *made;			/* [lists] */
	uint32_t   *start;			/* [ntypes + 1] of the types' events among the words */
	uint32_t   *words;			/* events, then lists */
	uint32_t   *used;			/* words */
	uint32_t   *spilled;		/* words */
	uint32_t   *next;			/* step */
} Shared;

/* Ascending ends of entries, or moments of events. */
typedef struct Merged
{
	uint32_t	at;				/* the first word, as in MadeList */
	uint32_t	n;
	uint32_t	starts;			/* so many words after an entry's end is its start */
} Merged;

static __device__ __forceinline__ Shared
SharedOfBlock(const SlicedTrie &trie)
{
	extern __shared__ MadeList room[];
	__shared__ uint32_t numbers[3];
	uint32_t   *start = (uint32_t *) (room + trie.lists);

	return {room, start, start + trie.ntypes + 1, &numbers[0], &numbers[1], &numbers[2]};
}

static __device__ __forceinline__ Merged
ListMade(const Shared &shared, uint32_t number)
{
	MadeList	list = shared.made[number];

	return {list.at, list.n, list.n};
}

/* The events of a type; that is their list, too. */
static __device__ __forceinline__ Merged
ListOfEvents(const Shared &shared, uint32_t type)
{
	uint32_t	first = shared.start[type];

	return {first, shared.start[type + 1] - first, 0};
}

/* Words are where MadeList says; only if "spilled" does one of these lie outside of shared memory. */
template <bool spilled>
static __device__ __forceinline__ uint32_t &
WordAt(const SlicedTrie &trie, const Shared &shared, uint32_t at)
{
	if (!spilled || at < trie.words)
		return shared.words[at];
	return trie.spill[blockIdx.x * trie.spill_words + (at - trie.words)];
}

/* Room for n entries of a list.  One that does not fit should leave the room to shorter ones. */
static __device__ __forceinline__ uint32_t
TakeRoom(const SlicedTrie &trie, const Shared &shared, uint32_t n)
{
	if (atomicAdd(shared.used, 0) + 2 * n <= trie.words)
	{
		uint32_t	at = atomicAdd(shared.used, 2 * n);

		if (at + 2 * n <= trie.words)
			return at;
	}
	return trie.words + atomicAdd(shared.spilled, 2 * n);
}

/* What came of a list that was extended by events. */
typedef struct Extended
{
	uint32_t	n;				/* entries; not counted if none are wanted */
	uint32_t	support;
} Extended;

/* The first entries of a list, until it is known how much room it needs. */
typedef struct Kept
{
	uint32_t	end[KEPT];
	uint32_t	start[KEPT];
} Kept;

typedef enum MergeMode
{
	COUNT_MERGED,				/* only the support is wanted */
	KEEP_MERGED,				/* the first entries, too */
	WRITE_MERGED				/* all entries: there is room for them */
} MergeMode;

template <MergeMode mode, bool spilled>
static __device__ __forceinline__ void
TakeEntry(const SlicedTrie &trie, const Shared &shared, uint32_t moment, uint32_t start, const Merged &made, Kept *kept,
		  Extended *extended)
{
	if (mode == KEEP_MERGED && extended->n < KEPT)
	{
		kept->end[extended->n] = moment;
		kept->start[extended->n] = start;
	}
	if (mode == WRITE_MERGED)
	{
		WordAt<spilled>(trie, shared, made.at + extended->n) = moment;
		WordAt<spilled>(trie, shared, made.at + made.starts + extended->n) = start;
	}
	if (mode != COUNT_MERGED)
		extended->n++;
}

/*
 * An event extends the last entry that is far enough back, if that is not too far: then the occurrence is
 * taken if it begins after the last one that was.  Each step goes by an entry or an event; as the threads of a
 * warp differ in that, both are read by the same instruction.
 */
template <MergeMode mode, bool spilled>
static __device__ __forceinline__ Extended
ExtendByMerging(const SlicedTrie &trie, const Shared &shared, const TrieStep &step, const Merged &list,
				const Merged &events, const Merged &made, Kept *kept)
{
	Extended	extended = {0, 0};
	uint32_t	entry = list.at;
	uint32_t	entry_end = list.at + list.n;
	uint32_t	event = events.at;
	uint32_t	event_end = events.at + events.n;
	uint32_t	free = 0;
	uint32_t	after = 0;		/* the moment after the last entry that is far enough back; 0 if there is none */
	uint32_t	next;
	uint32_t	moment;

	if (list.n == 0 || events.n == 0)
		return extended;
	next = WordAt<spilled>(trie, shared, entry);
	moment = WordAt<spilled>(trie, shared, event);
	for (;;)
	{
		bool		is_entry = next < moment - step.near;
		uint32_t	read = GPU_NONE;

		if (!is_entry && after > moment - step.far)
		{
			uint32_t	start = WordAt<spilled>(trie, shared, entry - 1 + list.starts);

			TakeEntry<mode, spilled>(trie, shared, moment, start, made, kept, &extended);
			if (start >= free)
			{
				extended.support++;
				free = moment + 1;
			}
		}
		entry += is_entry;
		event += !is_entry;
		if (event == event_end)
			return extended;
		if (entry < entry_end || !is_entry)
			read = WordAt<spilled>(trie, shared, is_entry ? entry : event);
		after = is_entry ? next + 1 : after;
		next = is_entry ? read : next;
		moment = is_entry ? moment : read;
	}
}

/* The support of a single type: equal moments count once. */
static __device__ __forceinline__ uint32_t
CountMoments(const Shared &shared, const Merged &events)
{
	const uint32_t *moment = shared.words + events.at;
	uint32_t	n = 0;

	for (uint32_t i = 0; i < events.n; i++)
		n += i == 0 || moment[i] != moment[i - 1];
	return n;
}

/* Extend a list, and make the one that comes of it. */
template <bool spilled>
static __device__ __forceinline__ uint32_t
ExtendAndMake(const SlicedTrie &trie, const Shared &shared, const TrieStep &step, const Merged &list,
			  const Merged &events)
{
	Merged		made = {0, 0, 0};
	Kept		kept;
	Extended	extended = ExtendByMerging<KEEP_MERGED, spilled>(trie, shared, step, list, events, made, &kept);

	made = {TakeRoom(trie, shared, extended.n), extended.n, extended.n};
	shared.made[step.made] = {made.at, made.n};
	for (uint32_t i = 0; i < min(made.n, KEPT); i++)
	{
		WordAt<true>(trie, shared, made.at + i) = kept.end[i];
		WordAt<true>(trie, shared, made.at + made.starts + i) = kept.start[i];
	}
	if (made.n > KEPT)
		ExtendByMerging<WRITE_MERGED, true>(trie, shared, step, list, events, made, &kept);
	return extended.support;
}

template <bool spilled>
static __device__ __forceinline__ uint32_t
Extend(const SlicedTrie &trie, const Shared &shared, const TrieStep &step, const Merged &list, const Merged &events)
{
	if (step.made != GPU_NONE)
		return ExtendAndMake<spilled>(trie, shared, step, list, events);
	return ExtendByMerging<COUNT_MERGED, spilled>(trie, shared, step, list, events, {0, 0, 0}, nullptr).support;
}

/* Returns the node's support in the part. */
static __device__ __forceinline__ uint32_t
DoStep(const SlicedTrie &trie, const Shared &shared, const TrieStep &step)
{
	Merged		events = ListOfEvents(shared, step.type);
	Merged		list;

	if (step.prefix_type == GPU_NONE)
		return CountMoments(shared, events);
	list = step.prefix != GPU_NONE ? ListMade(shared, step.prefix) : ListOfEvents(shared, step.prefix_type);
	if (step.suffix != GPU_NONE)
		events = ListMade(shared, step.suffix);
	if (list.at < trie.words && events.at < trie.words)
		return Extend<false>(trie, shared, step, list, events);
	return Extend<true>(trie, shared, step, list, events);
}

/* Steps up to "end"; each warp takes 32 when it has done those before. */
static __device__ __forceinline__ void
DoSteps(const SlicedTrie &trie, const Shared &shared, uint32_t part, uint32_t end)
{
	Counted    *counted = trie.counted + (uint64_t) (part / trie.slices) * trie.nodes;
	uint32_t	lane = threadIdx.x % 32;

	for (;;)
	{
		uint32_t	number = 0;

		if (lane == 0)
			number = atomicAdd(shared.next, 32);
		number = __shfl_sync(ALL_LANES, number, 0);
		if (number >= end)
			return;
		if (number + lane < end)
		{
			TrieStep	step = trie.steps[number + lane];
			uint32_t	support = DoStep(trie, shared, step);

			if (support > 0)
				atomicAdd(&counted[step.node].support, support);
		}
		__syncwarp();
	}
}

/* Bring the part's events into shared memory. */
static __device__ __forceinline__ void
ReadPart(const SlicedTrie &trie, const Shared &shared, uint32_t part)
{
	const uint32_t *start = trie.stream.start + (uint64_t) part * trie.ntypes;
	uint32_t	first = start[0];
	uint32_t	n = start[trie.ntypes] - first;

	for (uint32_t type = threadIdx.x; type <= trie.ntypes; type += THREADS)
		shared.start[type] = start[type] - first;
	for (uint32_t i = threadIdx.x; i < n; i += THREADS)
		shared.words[i] = trie.stream.back[first + i];
	if (threadIdx.x == 0)
	{
		*shared.used = n;
		*shared.spilled = 0;
		*shared.next = 0;
	}
}

static __global__ void __launch_bounds__(THREADS)
SlicedTrieKernel(SlicedTrie trie, uint32_t first, uint32_t end)
{
	Shared		shared = SharedOfBlock(trie);

	for (uint32_t part = first + blockIdx.x; part < end; part += gridDim.x)
	{
		ReadPart(trie, shared, part);
		__syncthreads();
		for (uint32_t phase = 0; phase < trie.phases; phase++)
		{
			DoSteps(trie, shared, part, trie.phase_end[phase]);
			__syncthreads();
			/* warps that found nothing more to do have gone on counting */
			if (threadIdx.x == 0)
				*shared.next = trie.phase_end[phase];
			__syncthreads();
		}
	}
}

/* ---- the host's side ---- */

cudaError_t
MostSharedForTrie(GpuDevice *device, size_t *bytes)
{
	struct cudaFuncAttributes attributes;
	int			most;

	GPU_TRY(GpuCheck(device, cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device->number),
					 "asking for the shared memory"));
	GPU_TRY(GpuCheck(device, cudaFuncGetAttributes(&attributes, SlicedTrieKernel), "asking for the shared memory"));
	*bytes = (size_t) most - attributes.sharedSizeBytes;
	return GpuCheck(device, cudaFuncSetAttribute(SlicedTrieKernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
												 (int) *bytes), "asking for shared memory");
}

cudaError_t
BlocksForTrie(GpuDevice *device, size_t bytes, uint32_t *blocks)
{
	int			each;

	GPU_TRY(GpuCheck(device, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, SlicedTrieKernel, THREADS, bytes),
					 "asking for shared memory"));
	*blocks = (uint32_t) GpuGreater((uint64_t) each * (uint64_t) device->processors, 1);
	return cudaSuccess;
}

cudaError_t
CountSlicedTrie(GpuDevice *device, const SlicedTrie *trie, uint32_t first, uint32_t end, uint32_t blocks)
{
	blocks = (uint32_t) GpuLesser(blocks, end - first);
	SlicedTrieKernel<<<blocks, THREADS, SharedForTrie(trie->lists, trie->ntypes, trie->words), device->streams[GPU_COUNT]>>>
		(*trie, first, end);
	return GpuLaunched(device, "counting episodes on surrogates");
}

/*-------------------------------------------------------------------------
 *
 * sliced_trie_kernels.cu
 *	  Counting the trie on slices of surrogates, see surrogates.h.
 *
 * A block counts a slice.  Each of its threads takes a node of the level at hand, and merges the
 * list of the node's prefix with the events to be tried, which are two ascending arrays.  That takes
 * far fewer instructions than a warp needs to find out together which entries its events follow.
 * But the threads of a warp read different arrays, and only shared memory is quick at that.
 *
 *-------------------------------------------------------------------------
 */
#include "episodes/surrogates.h"
#include "lanes.h"

#define THREADS		256

/* Where everything is in the shared memory of a block. */
typedef struct Shared
{
	uint32_t   *words;			/* events, then lists */
	MadeList   *made;			/* [lists] */
	uint32_t   *start;			/* [ntypes + 1] the word with which each type's events begin */
	uint32_t   *used;			/* words taken; more than there are once a list was too long for the rest */
	uint32_t   *spilled;		/* words of the spill taken */
	uint32_t   *next;			/* the next step that a warp takes */
} Shared;

/*
 * One of the arrays that are merged: the ends of n entries, ascending, with their starts behind them, or n
 * events' instants.
 */
typedef struct Merged
{
	uint32_t   *end;
	uint32_t	n;
} Merged;

static __device__ __forceinline__ Shared
SharedOfBlock(const SlicedTrie &trie)
{
	extern __shared__ MadeList room[];
	__shared__ uint32_t numbers[3];
	uint32_t   *words = (uint32_t *) (room + trie.lists);

	return {words, room, words + trie.words, &numbers[0], &numbers[1], &numbers[2]};
}

/* Whether a word is in the block's spill. */
static __device__ __forceinline__ bool
IsSpilled(const SlicedTrie &trie, uint32_t at)
{
	return at >= trie.words;
}

static __device__ __forceinline__ Merged
SharedList(const Shared &shared, MadeList list)
{
	return {shared.words + list.at, list.n};
}

/*
 * A list in shared memory or in the spill.  Reading takes longer, as the compiler does not know which of the
 * two it is.
 */
static __device__ __forceinline__ Merged
AnyList(const SlicedTrie &trie, const Shared &shared, MadeList list)
{
	Merged		merged = SharedList(shared, list);

	if (IsSpilled(trie, list.at))
		merged.end = trie.spill + blockIdx.x * trie.spill_words + (list.at - trie.words);
	return merged;
}

/* The events of a type, which are also the list of the episode that is this type. */
static __device__ __forceinline__ MadeList
EventsOfType(const Shared &shared, uint32_t type)
{
	uint32_t	first = shared.start[type];

	return {first, shared.start[type + 1] - first};
}

/*
 * Take room for a list of n entries.  A list that does not fit in shared memory normally leaves the rest of
 * it to shorter lists.  But if other threads take room at the same time, it may use up the rest nevertheless,
 * and then the lists after it go to the spill, too.
 */
static __device__ __forceinline__ MadeList
TakeRoom(const SlicedTrie &trie, const Shared &shared, uint32_t n)
{
	if (atomicAdd(shared.used, 0) + 2 * n <= trie.words)
	{
		uint32_t	at = atomicAdd(shared.used, 2 * n);

		if (at + 2 * n <= trie.words)
			return {at, n};
	}
	return {trie.words + atomicAdd(shared.spilled, 2 * n), n};
}

/* What is wanted when a list is extended by events. */
typedef enum MergeMode
{
	MERGED_LENGTH,				/* how many entries the longer list has */
	MERGED_SUPPORT,				/* its support */
	MERGED_LIST					/* the entries of the longer list, and its support */
} MergeMode;

/*
 * Extend a list by events.  An event extends the last entry that is far enough back, if this entry is not too
 * far.  The occurrence is taken if it begins after the end of the last one that was taken.  Each step goes
 * past an entry or an event.  The threads of a warp differ in which of the two it is, so both are read by the
 * same instruction.
 *
 * "of_type" says that the list is a type's events, each of which is its own start.  With MERGED_LIST, the
 * entries are written to "made", whose n must be the length that MERGED_LENGTH returns.  Returns that length,
 * or the support in the other two modes.
 */
template <MergeMode mode, bool of_type>
static __device__ __forceinline__ uint32_t
Merge(const TrieStep &step, const Merged &list, const Merged &events, const Merged &made)
{
	uint32_t	found = 0;
	uint32_t	n = 0;
	const uint32_t *entry = list.end;
	const uint32_t *entry_end = list.end + list.n;
	const uint32_t *event = events.end;
	const uint32_t *event_end = events.end + events.n;
	uint32_t	free = 0;
	uint32_t	after = 0;		/* the instant after the last entry that is far enough back; 0 if there is none */
	uint32_t	next;
	uint32_t	instant;

	if (list.n == 0 || events.n == 0)
		return 0;
	next = *entry;
	instant = *event;
	for (;;)
	{
		bool		is_entry = next < instant - step.near;
		bool		follows = !is_entry && after > instant - step.far;
		uint32_t	read = GPU_NONE;

		if (mode == MERGED_LENGTH)
			found += follows;
		else if (follows)
		{
			uint32_t	start = of_type ? after - 1 : entry[list.n - 1];

			if (mode == MERGED_LIST)
			{
				made.end[n] = instant;
				made.end[n + made.n] = start;
				n++;
			}
			if (start >= free)
			{
				found++;
				free = instant + 1;
			}
		}
		entry += is_entry;
		event += !is_entry;
		if (event == event_end)
			return found;
		if (entry < entry_end || !is_entry)
			read = *(is_entry ? entry : event);
		after = is_entry ? next + 1 : after;
		next = is_entry ? read : next;
		instant = is_entry ? instant : read;
	}
}

/* The support of a single type: events of the same instant count once. */
static __device__ __forceinline__ uint32_t
CountInstants(const Shared &shared, MadeList events)
{
	const uint32_t *instant = shared.words + events.at;
	uint32_t	n = 0;

	for (uint32_t i = 0; i < events.n; i++)
		n += i == 0 || instant[i] != instant[i - 1];
	return n;
}

template <MergeMode mode, bool of_type>
static __device__ __forceinline__ uint32_t
MergeLists(const SlicedTrie &trie, const Shared &shared, const TrieStep &step, MadeList list, MadeList events,
		   MadeList made)
{
	if (IsSpilled(trie, max(max(list.at, events.at), made.at)))
		return Merge<mode, of_type>(step, AnyList(trie, shared, list), AnyList(trie, shared, events),
									AnyList(trie, shared, made));
	return Merge<mode, of_type>(step, SharedList(shared, list), SharedList(shared, events), SharedList(shared, made));
}

/*
 * Extend a list, and make the longer one if the node gets a list.  To know how much room it takes, the list
 * is merged for its length before it is written.  Returns the support.
 */
template <bool of_type>
static __device__ __forceinline__ uint32_t
Extend(const SlicedTrie &trie, const Shared &shared, const TrieStep &step, MadeList list, MadeList events)
{
	MadeList	made = {0, 0};

	if (step.made == GPU_NONE)
		return MergeLists<MERGED_SUPPORT, of_type>(trie, shared, step, list, events, made);
	made = TakeRoom(trie, shared, MergeLists<MERGED_LENGTH, of_type>(trie, shared, step, list, events, made));
	shared.made[step.made] = made;
	return made.n == 0 ? 0 : MergeLists<MERGED_LIST, of_type>(trie, shared, step, list, events, made);
}

/* Count a node in the part, and make its list if it gets one.  Returns its support there. */
static __device__ __forceinline__ uint32_t
DoStep(const SlicedTrie &trie, const Shared &shared, const TrieStep &step)
{
	MadeList	events = EventsOfType(shared, step.type);

	if (step.prefix_type == GPU_NONE)
		return CountInstants(shared, events);
	if (step.prefix == GPU_NONE)
		return Extend<true>(trie, shared, step, EventsOfType(shared, step.prefix_type), events);
	if (step.suffix != GPU_NONE)
		events = shared.made[step.suffix];
	return Extend<false>(trie, shared, step, shared.made[step.prefix], events);
}

/*
 * Do the steps of a phase, which go up to "end".  A warp takes 32 of them, one for each lane, whenever it has
 * done those before.
 */
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

/* Bring the part's events into shared memory, and begin with the first step and no lists. */
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
			/* each warp that found no more steps has increased it beyond the phase's end */
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

/*-------------------------------------------------------------------------
 *
 * lists_kernels.cu
 *	  Kernels of lists, see lists.h: extending them, making extensions of runs, finding the frequent ones,
 *	  choosing pairs, and going back from the ends of occurrences.
 *
 *-------------------------------------------------------------------------
 */
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "device.h"
#include "episodes/extending.h"
#include "episodes/lists.h"
#include "lanes.h"

/*
 * Selects elements of an array that is computed, in their order: writes selected_at(i), for each i below n,
 * to "to" if is_wanted() accepts it, and sets *nto to how many these are.  "to" and *nto may be in pinned
 * memory of the host; all else is on the device.  If scratch is NULL, this only sets *bytes to the size of
 * the scratch memory, as CUB does.
 */
template <typename Selected, typename At, typename IsWanted>
static cudaError_t
SelectNumbers(void *scratch, size_t *bytes, At selected_at, uint32_t n, IsWanted is_wanted, Selected *to,
			  uint32_t *nto, cudaStream_t stream)
{
	return cub::DeviceSelect::If(scratch, *bytes,
								 thrust::make_transform_iterator(thrust::make_counting_iterator(0u), selected_at),
								 to, nto, n, is_wanted, stream);
}

/* ---- extending lists ---- */

#define THREADS		EXTENDING_THREADS
#define WARPS		(THREADS / 32)

/* A warp for each extension. */
template <ExtensionMode mode>
static __global__ void __launch_bounds__(THREADS)
ExtendKernel(Extending extending, uint32_t first, uint32_t end, uint32_t begin, uint32_t n)
{
	uint32_t	number = first + blockIdx.x * WARPS + threadIdx.x / 32;
	DeviceList	made = DeviceList();
	DeviceList	list;
	Extension	extension;
	Events		events;
	Pause		pause;

	if (number >= end)
		return;
	extension = extending.extensions[number];
	events = EventsUnder(extending.stream, extension);
	if (begin > 0 && begin >= events.n)
		return;
	pause = PauseAt(extending, extension.to, begin);
	if (pause.at == GPU_NONE)
		return;
	if (mode != COUNT_EXTENSIONS)
		made = extending.made[extension.to];
	list = extending.lists[extension.list];
	if (mode == COUNT_EXTENSIONS && IsDoneByEntries(list, events, extending.counts_entries))
		CountByEntries(extending, list, AllEventsUnder(extending.stream, extension), begin, n, &pause);
	else if (mode == COUNT_AND_WRITE_EXTENSIONS && IsDoneByEntries(list, events, false))
		WriteByEntries(list, AllEventsUnder(extending.stream, extension), made, begin, n, &pause);
	else
		Extend<mode>(extending.least, list, events, made, begin, n, &pause);
	StorePause<mode>(extending, extension.to, pause);
}

cudaError_t
LaunchExtensions(GpuDevice *device, const Extending *extending, uint32_t first, uint32_t end, uint32_t begin,
				 uint32_t events)
{
	uint32_t	blocks = GpuBlocks(end - first, WARPS);
	cudaStream_t stream = device->streams[GPU_COUNT];

	if (extending->mode == COUNT_EXTENSIONS)
		ExtendKernel<COUNT_EXTENSIONS><<<blocks, THREADS, 0, stream>>>(*extending, first, end, begin, events);
	else if (extending->mode == WRITE_EXTENSIONS)
		ExtendKernel<WRITE_EXTENSIONS><<<blocks, THREADS, 0, stream>>>(*extending, first, end, begin, events);
	else if (extending->mode == COUNT_AND_WRITE_EXTENSIONS)
		ExtendKernel<COUNT_AND_WRITE_EXTENSIONS><<<blocks, THREADS, 0, stream>>>(*extending, first, end, begin, events);
	else
		ExtendKernel<TAKE_EXTENSIONS><<<blocks, THREADS, 0, stream>>>(*extending, first, end, begin, events);
	return GpuLaunched(device, "extending lists");
}

/* ---- making extensions of runs ---- */

#define JOINING_THREADS		256

/* The run that an extension belongs to. */
static __device__ __forceinline__ JoinedRun
RunWith(const JoinedRun *runs, uint32_t nruns, uint32_t number)
{
	uint32_t	low = 0;

	while (nruns - low > 1)
	{
		uint32_t	middle = low + (nruns - low) / 2;

		if (runs[middle].first <= number)
			low = middle;
		else
			nruns = middle;
	}
	return runs[low];
}

/* A thread for each extension. */
static __global__ void __launch_bounds__(JOINING_THREADS)
JoinKernel(const JoinedRun *runs, uint32_t nruns, const EpisodeEnd *ends, Extension *extensions, uint32_t n,
		   const uint32_t *free, Counted *counted)
{
	uint32_t	number = blockIdx.x * JOINING_THREADS + threadIdx.x;
	JoinedRun	run;
	EpisodeEnd	end;

	if (number >= n)
		return;
	run = RunWith(runs, nruns, number);
	end = ends[run.end + number - run.first];
	extensions[number] = {run.list, end.type, run.gap != GPU_NONE ? run.gap : end.gap, number, end.place, end.nplaces};
	if (free != nullptr)
		counted[number].free = free[number];
}

cudaError_t
JoinRuns(GpuDevice *device, const JoinedRun *runs, uint32_t nruns, const EpisodeEnd *ends, Extension *extensions,
		 uint32_t n, const uint32_t *free, Counted *counted)
{
	JoinKernel<<<GpuBlocks(n, JOINING_THREADS), JOINING_THREADS, 0, device->streams[GPU_COUNT]>>>
		(runs, nruns, ends, extensions, n, free, counted);
	return GpuLaunched(device, "joining candidates");
}

/* ---- finding the extensions that are frequent ---- */

/* The number of an extension, with what was counted of it. */
struct FoundAt
{
	const Counted *counted;

	__device__ __forceinline__ Found
	operator()(uint32_t number) const
	{
		return {number, counted[number]};
	}
};

struct ReachesLeast
{
	uint64_t	least;

	__device__ __forceinline__ bool
	operator()(const Found &found) const
	{
		return found.counted.support >= least;
	}
};

cudaError_t
FoundScratch(uint32_t n, size_t *bytes)
{
	return SelectNumbers<Found>(nullptr, bytes, FoundAt{nullptr}, n, ReachesLeast{0}, nullptr, nullptr, 0);
}

cudaError_t
SelectFound(GpuDevice *device, void *scratch, size_t bytes, const Counted *counted, uint32_t n, uint64_t least,
			FoundList *found)
{
	return GpuCheck(device, SelectNumbers(scratch, &bytes, FoundAt{counted}, n, ReachesLeast{least}, found->found,
										  &found->n, device->streams[GPU_COUNT]), "finding frequent candidates");
}

/* ---- choosing the pairs of types that may be frequent ---- */

/* The number of a pair, with its counter and where its list is to begin. */
struct BoundAt
{
	const uint32_t *counts;
	const uint32_t *at;			/* NULL: there will be no lists */

	__device__ __forceinline__ PairBound
	operator()(uint32_t number) const
	{
		return {number, counts[number], at != nullptr ? at[number] : 0};
	}
};

struct MayBeFrequent
{
	uint64_t	least;

	__device__ __forceinline__ bool
	operator()(const PairBound &pair) const
	{
		return pair.bound >= least;
	}
};

cudaError_t
BoundsScratch(uint32_t n, size_t *bytes)
{
	return SelectNumbers<PairBound>(nullptr, bytes, BoundAt{nullptr, nullptr}, n, MayBeFrequent{0}, nullptr, nullptr, 0);
}

cudaError_t
SelectBounds(GpuDevice *device, const PairCounters *counters, uint64_t least)
{
	size_t		bytes = counters->scratch_bytes;

	return GpuCheck(device, SelectNumbers(counters->scratch, &bytes, BoundAt{counters->counts, counters->at},
										  counters->n, MayBeFrequent{least}, counters->list->bound, &counters->list->n,
										  device->streams[GPU_COUNT]),
					"choosing pairs of types");
}

/* ---- from the ends of occurrences back to their first events ---- */

#define WALK_THREADS		128

/*
 * The end of the last entry of the list that the event of a type at an instant can follow under a gap.  There
 * is one, and it is not too far, since the event ends an occurrence.
 */
static __device__ uint32_t
EventBefore(const DeviceStream &stream, uint32_t type, uint32_t gap, const DeviceList &list, uint32_t instant)
{
	uint32_t	first = stream.start[type];
	uint32_t	place = first + CountLess(stream.back + first, stream.start[type + 1] - first, instant);
	uint32_t	high = stream.back[(uint64_t) stream.gap[gap].low * stream.events + place];

	return list.end[CountLess(list.end, list.n, high) - 1];
}

/* A thread for each occurrence. */
static __global__ void __launch_bounds__(WALK_THREADS)
WalkBackKernel(WalkBack walk, uint32_t first, uint32_t n, uint32_t *instants)
{
	uint32_t	o = blockIdx.x * WALK_THREADS + threadIdx.x;
	uint32_t	instant;

	if (o >= n)
		return;
	instant = walk.end[first + o];
	instants += (uint64_t) o * walk.length;
	instants[walk.length - 1] = instant;
	for (uint32_t k = walk.length - 1; k > 0; k--)
	{
		instant = EventBefore(walk.stream, walk.types[k], walk.gaps[k - 1], walk.lists[k - 1], instant);
		instants[k - 1] = instant;
	}
}

cudaError_t
FindEvents(GpuDevice *device, const WalkBack *walk, uint32_t first, uint32_t n, uint32_t *instants)
{
	WalkBackKernel<<<GpuBlocks(n, WALK_THREADS), WALK_THREADS, 0, device->streams[GPU_COUNT]>>>(*walk, first, n,
																						   instants);
	return GpuLaunched(device, "finding the events of occurrences");
}

/*-------------------------------------------------------------------------
 *
 * stream_kernels.cu
 *	  How far back the edges of gaps reach, and sorting events by type; see episodes.h.
 *
 *-------------------------------------------------------------------------
 */
#include <cub/device/device_radix_sort.cuh>

#include "episodes/episodes.h"
#include "lanes.h"

#define THREADS		256

static __device__ __forceinline__ FimTime
TimeOf(const BackSearch &search, uint32_t event)
{
	FimTime		time;

	if (search.packed == nullptr)
		return search.time[event];
	time.integer = search.packed[event / PACKED_EVENTS].first + search.packed[event / PACKED_EVENTS].later[event % PACKED_EVENTS];
	return time;
}

/* Whether an event is at least the edge's length earlier than the time, computed as in FimTimeKey(). */
static __device__ __forceinline__ bool
IsBeyond(const BackSearch &search, FimTime time, uint32_t event, uint64_t edge)
{
	FimTime		earlier = TimeOf(search, event);
	uint64_t	length;

	if (search.real)
		length = (uint64_t) __double_as_longlong(__dadd_rn(__dsub_rn(time.real, earlier.real), 0.0));
	else
		length = (uint64_t) time.integer - (uint64_t) earlier.integer;
	return length >= edge && edge != FIM_NO_EDGE;
}

/*
 * The first event from "low" on that is not beyond the edge; the event at "high" is known not to be.  Scopes
 * are usually narrow, so the search begins at "high".
 */
static __device__ uint32_t
FirstWithin(const BackSearch &search, FimTime time, uint64_t edge, uint32_t low, uint32_t high)
{
	uint32_t	step = 1;

	while (low < high)
	{
		uint32_t	probe = high - low > step ? high - step : low;

		if (IsBeyond(search, time, probe, edge))
		{
			low = probe + 1;
			break;
		}
		high = probe;
		step *= 2;
	}
	while (low < high)
	{
		uint32_t	middle = low + (high - low) / 2;

		if (IsBeyond(search, time, middle, edge))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A thread for each place.  Edges ascend, so each begins where the one before it ended. */
static __global__ void __launch_bounds__(THREADS)
BackKernel(BackSearch search, uint32_t first, uint32_t end)
{
	uint32_t	place = first + blockIdx.x * THREADS + threadIdx.x;
	uint32_t	event;
	uint32_t	begin;
	uint32_t	back;
	FimTime		time;

	if (place >= end)
		return;
	event = search.event != nullptr ? search.event[place] : place;
	begin = search.partition[LastUpTo(search.partition, search.partitions, event)];
	time = TimeOf(search, event);
	back = event;
	for (uint32_t edge = 0; edge < search.nedges; edge++)
	{
		back = FirstWithin(search, time, search.edge[edge], begin, back);
		search.back[(uint64_t) edge * search.events + place] = back;
		if (edge == 0 && search.instant_of != nullptr)
			search.instant_of[event] = back;
	}
}

cudaError_t
FindBack(GpuDevice *device, const BackSearch *search, uint32_t first, uint32_t end)
{
	BackKernel<<<GpuBlocks(end - first, THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>(*search, first, end);
	return GpuLaunched(device, "finding how far back gaps reach");
}

/* ---- sorting ---- */

/* A thread for each event: its number, and its type in all arrays that are to have it. */
static __global__ void __launch_bounds__(THREADS)
NumberKernel(TypeSort sort)
{
	uint32_t	i = blockIdx.x * THREADS + threadIdx.x;

	if (i >= sort.events)
		return;
	sort.event[0][i] = i;
	if (sort.narrow != nullptr)
		sort.types[i] = sort.narrow[i];
	if (sort.types != nullptr)
		sort.type[0][i] = sort.types[i];
}

cudaError_t
TypeSortScratch(uint32_t events, uint32_t ntypes, size_t *bytes)
{
	cub::DoubleBuffer<uint32_t> none;

	return cub::DeviceRadixSort::SortPairs(nullptr, *bytes, none, none, events, 0, GpuBitsBelow(ntypes));
}

cudaError_t
SortByType(GpuDevice *device, const TypeSort *sort, uint32_t **event)
{
	cub::DoubleBuffer<uint32_t> types(sort->type[0], sort->type[1]);
	cub::DoubleBuffer<uint32_t> events(sort->event[0], sort->event[1]);
	size_t		bytes = sort->scratch_bytes;
	cudaStream_t stream = device->streams[GPU_COUNT];

	NumberKernel<<<GpuBlocks(sort->events, THREADS), THREADS, 0, stream>>>(*sort);
	GPU_TRY(GpuLaunched(device, "numbering events"));
	GPU_TRY(GpuCheck(device, cub::DeviceRadixSort::SortPairs(sort->scratch, bytes, types, events,
															 sort->events, 0, GpuBitsBelow(sort->ntypes),
															 stream), "sorting events by type"));
	*event = events.Current();
	return cudaSuccess;
}

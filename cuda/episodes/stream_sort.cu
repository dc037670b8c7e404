/*-------------------------------------------------------------------------
 *
 * stream_sort.cu
 *	  The events of each type, see stream_device.h.
 *
 *-------------------------------------------------------------------------
 */
#include <cub/device/device_radix_sort.cuh>

#include "episodes/stream_device.h"

#define THREADS		256

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

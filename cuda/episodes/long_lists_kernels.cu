/*-------------------------------------------------------------------------
 *
 * long_lists_kernels.cu
 *	  A thread for each event or entry, see long_lists_device.h.
 *
 *-------------------------------------------------------------------------
 */
#include "ascending.h"
#include "episodes/long_lists_device.h"

#define THREADS		256

static __global__ void __launch_bounds__(THREADS)
StartsKernel(DeviceStream stream, DeviceList list, uint32_t place, uint32_t gap, uint32_t first, uint32_t end,
			 uint32_t *start)
{
	uint32_t	j = first + blockIdx.x * THREADS + threadIdx.x;
	FimGapEdges edges = stream.gap[gap];
	uint32_t	before;

	if (j >= end)
		return;
	before = CountLess(list.end, list.n, stream.back[(uint64_t) edges.low * stream.events + place + j]);
	start[j] = before > 0 && list.end[before - 1] >= stream.back[(uint64_t) edges.high * stream.events + place + j] ?
		list.start[before - 1] : GPU_NONE;
}

static __global__ void __launch_bounds__(THREADS)
NextKernel(DeviceList list, uint32_t first, uint32_t end, uint32_t *next, uint32_t *steps)
{
	uint32_t	i = first + blockIdx.x * THREADS + threadIdx.x;
	uint32_t	after;

	if (i >= end)
		return;
	after = CountLess(list.start, list.n, list.end[i] + 1);
	next[i] = after < list.n ? after : i;
	steps[i] = after < list.n;
}

static __global__ void __launch_bounds__(THREADS)
DoubleKernel(uint32_t n, const uint32_t *next, const uint32_t *steps, uint32_t *to_next, uint32_t *to_steps)
{
	uint32_t	i = blockIdx.x * THREADS + threadIdx.x;

	if (i >= n)
		return;
	to_next[i] = next[next[i]];
	to_steps[i] = steps[i] + steps[next[i]];
}

/* One thread. */
static __global__ void
TakeKernel(DeviceList list, const uint32_t *next, const uint32_t *steps, uint32_t free, Counted *counted)
{
	uint32_t	first = CountLess(list.start, list.n, free);

	*counted = {list.n, 0, free};
	if (first == list.n)
		return;
	counted->support = steps[first] + 1;
	counted->free = list.end[next[first]] + 1;
}

cudaError_t
FindStarts(GpuDevice *device, const DeviceStream *stream, const DeviceList *list, uint32_t place, uint32_t gap,
		   uint32_t first, uint32_t end, uint32_t *start)
{
	StartsKernel<<<GpuBlocks(end - first, THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>
		(*stream, *list, place, gap, first, end, start);
	return GpuLaunched(device, "extending a long list");
}

cudaError_t
FindNextEntries(GpuDevice *device, const DeviceList *list, uint32_t first, uint32_t end, uint32_t *next,
				uint32_t *steps)
{
	NextKernel<<<GpuBlocks(end - first, THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>
		(*list, first, end, next, steps);
	return GpuLaunched(device, "finding next occurrences");
}

cudaError_t
DoubleSteps(GpuDevice *device, uint32_t n, const uint32_t *next, const uint32_t *steps, uint32_t *to_next,
			uint32_t *to_steps)
{
	DoubleKernel<<<GpuBlocks(n, THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>
		(n, next, steps, to_next, to_steps);
	return GpuLaunched(device, "finding next occurrences");
}

cudaError_t
TakeSteps(GpuDevice *device, const DeviceList *list, const uint32_t *next, const uint32_t *steps, uint32_t free,
		  Counted *counted)
{
	TakeKernel<<<1, 1, 0, device->streams[GPU_COUNT]>>>(*list, next, steps, free, counted);
	return GpuLaunched(device, "taking occurrences");
}

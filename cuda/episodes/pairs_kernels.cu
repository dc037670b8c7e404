/*-------------------------------------------------------------------------
 *
 * pairs_kernels.cu
 *	  Counting pairs of events, see pairs_device.h.
 *
 *-------------------------------------------------------------------------
 */
#include "ascending.h"
#include "episodes/pairs_device.h"
#include "lanes.h"

#define THREADS		256

/* The events that one in a place can follow under a gap are those from "low" to high - 1. */
static __device__ __forceinline__ uint32_t
WindowLow(const DeviceStream &stream, uint32_t gap, uint32_t place)
{
	return stream.back[(uint64_t) stream.gap[gap].high * stream.events + place];
}

static __device__ __forceinline__ uint32_t
WindowHigh(const DeviceStream &stream, uint32_t gap, uint32_t place)
{
	return stream.back[(uint64_t) stream.gap[gap].low * stream.events + place];
}

/* A thread for each place.  An empty window may end before it begins. */
static __global__ void __launch_bounds__(THREADS)
MeasureKernel(DeviceStream stream, uint32_t ngaps, WindowSizes *sizes)
{
	uint32_t	place = blockIdx.x * THREADS + threadIdx.x;
	unsigned long long total = 0;
	unsigned long long widest = 0;

	for (uint32_t gap = 0; gap < ngaps && place < stream.events; gap++)
	{
		uint32_t	low = WindowLow(stream, gap, place);
		uint32_t	high = WindowHigh(stream, gap, place);
		unsigned long long width = high > low ? high - low : 0;

		total += width;
		widest = max(widest, width);
	}
	for (int apart = 16; apart > 0; apart /= 2)
	{
		total += __shfl_down_sync(ALL_LANES, total, apart);
		widest = max(widest, __shfl_down_sync(ALL_LANES, widest, apart));
	}
	if (threadIdx.x % 32 != 0)
		return;
	atomicAdd(&sizes->total, total);
	atomicMax(&sizes->widest, widest);
}

/* A thread for each place. */
static __global__ void __launch_bounds__(THREADS)
PairsKernel(DeviceStream stream, const uint32_t *type, uint32_t ntypes, uint32_t ngaps, uint32_t first, uint32_t end,
			uint32_t *counts)
{
	uint32_t	place = first + blockIdx.x * THREADS + threadIdx.x;
	uint32_t	second;

	if (place >= end)
		return;
	second = LastUpTo(stream.start, ntypes, place);
	for (uint32_t gap = 0; gap < ngaps; gap++)
	{
		uint32_t	high = WindowHigh(stream, gap, place);

		for (uint32_t event = WindowLow(stream, gap, place); event < high; event++)
			atomicAdd(&counts[((uint64_t) type[event] * ngaps + gap) * ntypes + second], 1);
	}
}

cudaError_t
MeasureWindows(GpuDevice *device, const DeviceStream *stream, uint32_t ngaps, WindowSizes *sizes)
{
	MeasureKernel<<<GpuBlocks(stream->events, THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>
		(*stream, ngaps, sizes);
	return GpuLaunched(device, "measuring windows");
}

cudaError_t
CountPairs(GpuDevice *device, const DeviceStream *stream, const uint32_t *type, uint32_t ntypes, uint32_t ngaps,
		   uint32_t first, uint32_t end, uint32_t *counts)
{
	PairsKernel<<<GpuBlocks(end - first, THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>
		(*stream, type, ntypes, ngaps, first, end, counts);
	return GpuLaunched(device, "counting pairs of events");
}

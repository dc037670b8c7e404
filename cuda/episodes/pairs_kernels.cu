/*-------------------------------------------------------------------------
 *
 * pairs_kernels.cu
 *	  Counting pairs of events, see pairs_device.h.
 *
 *-------------------------------------------------------------------------
 */
#include "ascending.h"
#include "episodes/pair_windows.h"
#include "lanes.h"

#define THREADS		256

/*
 * SHARED_BYTES of counters fit the shared memory of any device.  Where they take less than COPIES_BYTES, a
 * block has several copies of the counters, and neighbouring threads use different copies.  The blocks share
 * out the places.
 */
#define SHARED_BYTES		(48 << 10)
#define COPIES_BYTES		(16 << 10)
#define MOST_COPIES			32
#define BLOCKS_A_PROCESSOR	4

/* The blocks share out the places.  An empty window may have its end before its begin. */
static __global__ void __launch_bounds__(THREADS)
MeasureKernel(DeviceStream stream, uint32_t ngaps, WindowSizes *sizes)
{
	unsigned long long total = 0;
	unsigned long long widest = 0;

	for (uint64_t place = blockIdx.x * THREADS + threadIdx.x; place < stream.events; place += gridDim.x * THREADS)
		for (uint32_t gap = 0; gap < ngaps; gap++)
		{
			uint32_t	low = WindowLow(stream, gap, (uint32_t) place);
			uint32_t	high = WindowHigh(stream, gap, (uint32_t) place);
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

/* A sharer's part of the pairs whose second event is in a place. */
static __device__ __forceinline__ void
CountPairsOf(const DeviceStream &stream, uint32_t ntypes, uint32_t ngaps, uint32_t place, uint32_t *counts)
{
	uint32_t	second = LastUpTo(stream.start, ntypes, place);

	for (uint32_t gap = 0; gap < ngaps; gap++)
	{
		uint64_t	event = WindowLow(stream, gap, place);
		uint32_t	high = WindowHigh(stream, gap, place);

		for (event += threadIdx.x % SHARERS; event < high; event += SHARERS)
			atomicAdd(&counts[((uint64_t) stream.type[event] * ngaps + gap) * ntypes + second], 1);
	}
}

/* SHARERS threads for each place. */
static __global__ void __launch_bounds__(THREADS)
PairsKernel(DeviceStream stream, PairCounters counters, WindowSizes most, uint32_t first, uint32_t end)
{
	uint64_t	place = first + ((uint64_t) blockIdx.x * THREADS + threadIdx.x) / SHARERS;

	if (place < end && AreWithin(counters.list->sizes, most))
		CountPairsOf(stream, counters.ntypes, counters.ngaps, (uint32_t) place, counters.counts);
}

/*
 * The same where counters are few: each block has copies of its own in shared memory, and adds them up in the
 * end.
 */
static __global__ void __launch_bounds__(THREADS)
FewPairsKernel(DeviceStream stream, PairCounters counters, WindowSizes most, uint32_t first, uint32_t end,
			   uint32_t copies)
{
	extern __shared__ uint32_t own[];
	uint32_t	n = counters.n;
	uint64_t	places = gridDim.x * (THREADS / SHARERS);

	if (!AreWithin(counters.list->sizes, most))
		return;
	for (uint32_t i = threadIdx.x; i < copies * n; i += THREADS)
		own[i] = 0;
	__syncthreads();
	for (uint64_t place = first + ((uint64_t) blockIdx.x * THREADS + threadIdx.x) / SHARERS; place < end; place += places)
		CountPairsOf(stream, counters.ntypes, counters.ngaps, (uint32_t) place, own + threadIdx.x % copies * n);
	__syncthreads();
	for (uint32_t i = threadIdx.x; i < n; i += THREADS)
	{
		uint32_t	sum = 0;

		for (uint32_t copy = 0; copy < copies; copy++)
			sum += own[copy * n + i];
		if (sum > 0)
			atomicAdd(&counters.counts[i], sum);
	}
}

cudaError_t
MeasureWindows(GpuDevice *device, const DeviceStream *stream, uint32_t ngaps, WindowSizes *sizes)
{
	uint32_t	blocks = (uint32_t) GpuLesser(GpuBlocks(stream->events, THREADS),
											   (uint64_t) device->processors * BLOCKS_A_PROCESSOR);

	MeasureKernel<<<blocks, THREADS, 0, device->streams[GPU_COUNT]>>>(*stream, ngaps, sizes);
	return GpuLaunched(device, "measuring windows");
}

cudaError_t
CountEventPairs(GpuDevice *device, const DeviceStream *stream, const PairCounters *counters,
				const WindowSizes *most, uint32_t first, uint32_t end)
{
	uint64_t	bytes = sizeof(uint32_t) * (uint64_t) counters->n;
	uint32_t	copies = (uint32_t) GpuBetween(1, COPIES_BYTES / bytes, MOST_COPIES);
	uint32_t	blocks = GpuBlocks((uint64_t) (end - first) * SHARERS, THREADS);
	uint32_t	few_blocks = (uint32_t) GpuLesser(blocks, (uint64_t) device->processors * BLOCKS_A_PROCESSOR);
	cudaStream_t queue = device->streams[GPU_COUNT];

	if (bytes <= SHARED_BYTES)
		FewPairsKernel<<<few_blocks, THREADS, copies * bytes, queue>>>(*stream, *counters, *most, first, end, copies);
	else
		PairsKernel<<<blocks, THREADS, 0, queue>>>(*stream, *counters, *most, first, end);
	return GpuLaunched(device, "counting pairs of events");
}

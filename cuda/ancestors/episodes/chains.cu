/*-------------------------------------------------------------------------
 *
 * chains.cu
 *	  Finding the occurrences of candidates, see episodes.h.
 *
 *-------------------------------------------------------------------------
 */
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "ancestors/episodes/episodes.h"
#include "lanes.h"

#define THREADS		128
#define WARPS		(THREADS / 32)

/* How many of n ascending numbers are at most "most". */
template <typename Number, typename Count>
static __device__ __forceinline__ Count
CountUpTo(const Number *number, Count n, Number most)
{
	Count		low = 0;

	while (low < n)
	{
		Count		middle = low + (n - low) / 2;

		if (number[middle] <= most)
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

static __device__ __forceinline__ uint32_t
BeginningOf(Chain chain)
{
	return (uint32_t) (chain >> 32);
}

static __device__ __forceinline__ uint32_t
EndOf(Chain chain)
{
	return (uint32_t) chain;
}

/* A thread for each beginning. */
static __global__ void __launch_bounds__(THREADS)
BeginChainsKernel(Beginnings b, DeviceStream stream, Chain *chains)
{
	uint32_t	i = blockIdx.x * THREADS + threadIdx.x;
	uint64_t	number = b.first + i;
	uint32_t	candidate;
	uint32_t	start;

	if (i >= b.n)
		return;
	candidate = CountUpTo(b.at, b.cohort.n, number) - 1;
	start = stream.back[stream.start[b.cohort.types[candidate]] + (uint32_t) (number - b.at[candidate])];
	b.candidate[i] = candidate;
	b.start[i] = start;
	chains[i] = (Chain) i << 32 | start;
}

/*
 * The events that a chain goes on with at a place, without those of the chain before it if that has the same
 * beginning.
 */
static __device__ NextEvents
FindNext(const Beginnings &b, const DeviceStream &stream, uint32_t place, const Chain *chains, uint32_t c)
{
	uint32_t	beginning = BeginningOf(chains[c]);
	uint32_t	candidate = b.candidate[beginning];
	uint32_t	type = b.cohort.types[(uint64_t) place * b.cohort.n + candidate];
	FimGapEdges edges = stream.gap[b.cohort.gaps[(uint64_t) (place - 1) * b.cohort.n + candidate]];
	uint32_t	first = stream.start[type];
	uint32_t	events = stream.start[type + 1] - first;
	const uint32_t *low = stream.back + (uint64_t) edges.low * stream.events + first;
	const uint32_t *high = stream.back + (uint64_t) edges.high * stream.events + first;
	uint32_t	begin = CountUpTo(low, events, EndOf(chains[c]));
	NextEvents	found;

	if (c > 0 && BeginningOf(chains[c - 1]) == beginning)
		begin = max(begin, CountUpTo(high, events, EndOf(chains[c - 1])));
	found.first = first + begin;
	found.n = CountUpTo(high, events, EndOf(chains[c])) - begin;
	return found;
}

/* The chain with the event at a place of the stream behind it. */
static __device__ __forceinline__ Chain
Longer(const DeviceStream &stream, Chain chain, uint32_t place)
{
	return (Chain) BeginningOf(chain) << 32 | stream.back[place];
}

/* A thread for each chain, in this kernel and the next two. */
static __global__ void __launch_bounds__(THREADS)
CountNextKernel(Beginnings b, DeviceStream stream, uint32_t place, const Chain *chains, uint32_t n, NextEvents *found)
{
	uint32_t	c = blockIdx.x * THREADS + threadIdx.x;

	if (c < n)
		found[c] = FindNext(b, stream, place, chains, c);
}

static __global__ void __launch_bounds__(THREADS)
WriteNextKernel(DeviceStream stream, const Chain *chains, uint32_t n, const NextEvents *found, const uint64_t *sums,
				Chain *to)
{
	uint32_t	c = blockIdx.x * THREADS + threadIdx.x;

	if (c >= n)
		return;
	for (uint32_t f = 0; f < found[c].n; f++)
		to[sums[c] + f] = Longer(stream, chains[c], found[c].first + f);
}

static __global__ void __launch_bounds__(THREADS)
CompactNextKernel(Beginnings b, DeviceStream stream, uint32_t place, const Chain *chains, uint32_t n, Chain *to,
				  uint64_t room, unsigned long long *total)
{
	uint32_t	c = blockIdx.x * THREADS + threadIdx.x;
	uint64_t	at;
	NextEvents	found;

	if (c >= n)
		return;
	found = FindNext(b, stream, place, chains, c);
	if (found.n == 0)
		return;
	at = atomicAdd(total, (unsigned long long) found.n);
	for (uint32_t f = 0; f < found.n && at + f < room; f++)
		to[at + f] = Longer(stream, chains[c], found.first + f);
}

/* Where the chains begin whose beginnings are this one or later. */
static __device__ __forceinline__ uint32_t
FirstChain(const Chain *chains, uint32_t n, uint32_t beginning)
{
	return beginning == 0 ? 0 : CountUpTo(chains, n, ((Chain) beginning << 32) - 1);
}

/* A warp for each candidate, which looks at 32 chains at a time. */
static __global__ void __launch_bounds__(THREADS)
TakeChainsKernel(Beginnings b, const Chain *chains, uint32_t n)
{
	uint32_t	candidate = blockIdx.x * WARPS + threadIdx.x / 32;
	uint64_t	end = b.first + b.n;
	uint64_t	from;
	uint64_t	to;
	uint32_t	free;
	uint32_t	support;
	uint32_t	last;

	if (candidate >= b.cohort.n)
		return;
	from = max(b.at[candidate], b.first);
	to = min(b.at[candidate + 1], end);
	if (from >= to)
		return;
	free = b.cohort.free[candidate];
	support = 0;
	last = FirstChain(chains, n, (uint32_t) (to - b.first));
	for (uint32_t c = FirstChain(chains, n, (uint32_t) (from - b.first)) + threadIdx.x % 32;
		 __any_sync(ALL_LANES, c < last); c += 32)
	{
		uint32_t	start = c < last ? b.start[BeginningOf(chains[c])] : 0;
		uint32_t	can;

		while ((can = __ballot_sync(ALL_LANES, c < last && start >= free)) != 0)
		{
			free = __shfl_sync(ALL_LANES, c < last ? EndOf(chains[c]) : 0, __ffs(can) - 1) + 1;
			support++;
		}
	}
	__syncwarp();
	if (threadIdx.x % 32 != 0)
		return;
	b.cohort.free[candidate] = free;
	b.cohort.support[candidate] += support;
}

/* ---- the host's side ---- */

cudaError_t
BeginChains(GpuDevice *device, const Beginnings *b, Chain *chains)
{
	BeginChainsKernel<<<GpuBlocks(b->n, THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>
		(*b, *b->cohort.stream, chains);
	return GpuLaunched(device, "beginning chains");
}

cudaError_t
CountNext(GpuDevice *device, const Beginnings *b, uint32_t place, const Chain *chains, uint32_t n, NextEvents *found)
{
	CountNextKernel<<<GpuBlocks(n, THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>
		(*b, *b->cohort.stream, place, chains, n, found);
	return GpuLaunched(device, "counting what follows chains");
}

cudaError_t
WriteNext(GpuDevice *device, const Beginnings *b, const Chain *chains, uint32_t n, const NextEvents *found,
		  const uint64_t *sums, Chain *to)
{
	WriteNextKernel<<<GpuBlocks(n, THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>
		(*b->cohort.stream, chains, n, found, sums, to);
	return GpuLaunched(device, "writing longer chains");
}

cudaError_t
CompactNext(GpuDevice *device, const Beginnings *b, uint32_t place, const Chain *chains, uint32_t n, Chain *to,
			uint64_t room, uint64_t *total)
{
	CompactNextKernel<<<GpuBlocks(n, THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>
		(*b, *b->cohort.stream, place, chains, n, to, room, (unsigned long long *) total);
	return GpuLaunched(device, "writing longer chains");
}

cudaError_t
TakeChains(GpuDevice *device, const Beginnings *b, const Chain *chains, uint32_t n)
{
	TakeChainsKernel<<<GpuBlocks(b->cohort.n, WARPS), THREADS, 0, device->streams[GPU_COUNT]>>>(*b, chains, n);
	return GpuLaunched(device, "taking occurrences");
}

/*
 * Adding up what chains have found, and sorting chains.
 */

/* How many events each chain has found; 0 behind the last chain, so that the sums end with the number of all. */
struct NumberFound
{
	const NextEvents *found;
	uint32_t	n;

	__device__ __forceinline__ uint64_t
	operator()(uint32_t i) const
	{
		return i < n ? found[i].n : 0;
	}
};

static cudaError_t
Scan(void *scratch, size_t *bytes, const NextEvents *found, uint32_t n, uint64_t *sums, cudaStream_t stream)
{
	auto		numbers = thrust::make_transform_iterator(thrust::make_counting_iterator(0u), NumberFound{found, n});

	return cub::DeviceScan::ExclusiveSum(scratch, *bytes, numbers, sums, n + 1, stream);
}

cudaError_t
ScanScratch(uint32_t n, size_t *bytes)
{
	return Scan(nullptr, bytes, nullptr, n, nullptr, 0);
}

cudaError_t
ScanFound(GpuDevice *device, void *scratch, size_t bytes, const NextEvents *found, uint32_t n, uint64_t *sums)
{
	return GpuCheck(device, Scan(scratch, &bytes, found, n, sums, device->streams[GPU_COUNT]),
					"adding up what chains have found");
}

cudaError_t
SortScratch(uint32_t n, size_t *bytes)
{
	cub::DoubleBuffer<Chain> none;

	return cub::DeviceRadixSort::SortKeys(nullptr, *bytes, none, n);
}

cudaError_t
SortChains(GpuDevice *device, void *scratch, size_t bytes, Chain *chains, Chain *other, uint32_t n, Chain **sorted)
{
	cub::DoubleBuffer<Chain> both(chains, other);

	GPU_TRY(GpuCheck(device, cub::DeviceRadixSort::SortKeys(scratch, bytes, both, n, 0, 64,
															device->streams[GPU_COUNT]), "sorting chains"));
	*sorted = both.Current();
	return cudaSuccess;
}

/*-------------------------------------------------------------------------
 *
 * strips_kernels.cu
 *	  The right relation by key, where strips' cells go, cells in matrices, and the paths of a plan.
 *
 *-------------------------------------------------------------------------
 */
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "device.h"
#include "lanes.h"
#include "sets/best_device.h"
#include "sets/sets.h"
#include "sets/sets_device.h"

#define THREADS		256
#define WARPS		(THREADS / 32)

/* A warp for each value. */
static __global__ void __launch_bounds__(THREADS)
ExpandRanksKernel(DeviceSide side, uint32_t *rank)
{
	uint32_t	r = blockIdx.x * WARPS + threadIdx.x / 32;

	if (r >= side.nvalues)
		return;
	for (uint64_t p = side.start[r] + threadIdx.x % 32; p < side.start[r + 1]; p += 32)
		rank[p] = r;
}

/* A thread for each pair, and one more.  A key that no pair has begins where the next key does. */
static __global__ void __launch_bounds__(THREADS)
FindKeyStartsKernel(const uint32_t *key, uint64_t npairs, uint32_t nkeys, uint64_t *key_start)
{
	uint64_t	p = (uint64_t) blockIdx.x * THREADS + threadIdx.x;
	uint32_t	first;
	uint32_t	end;

	if (p > npairs)
		return;
	first = p > 0 ? key[p - 1] + 1 : 0;
	end = p < npairs ? key[p] : nkeys;
	for (uint32_t k = first; k <= end; k++)
		key_start[k] = p;
}

/*
 * The host's side.
 */

cudaError_t
ExpandRanks(GpuDevice *device, const DeviceSide *side, uint32_t *rank)
{
	ExpandRanksKernel<<<GpuBlocks(side->nvalues, WARPS), THREADS, 0, device->streams[GPU_COUNT]>>>(*side, rank);
	return GpuLaunched(device, "ranking pairs");
}

static cudaError_t
Sort(const KeySort *sort, void *scratch, size_t *bytes, cudaStream_t stream)
{
	return cub::DeviceRadixSort::SortPairs(scratch, *bytes, sort->key, sort->sorted_key, sort->rank,
										   sort->sorted_rank, sort->npairs, 0, GpuBitsBelow(sort->nkeys), stream);
}

cudaError_t
KeySortScratch(uint64_t npairs, uint32_t nkeys, size_t *bytes)
{
	KeySort		sort = {};

	sort.npairs = npairs;
	sort.nkeys = nkeys;
	*bytes = 0;
	return Sort(&sort, nullptr, bytes, 0);
}

cudaError_t
SortByKey(GpuDevice *device, const KeySort *sort)
{
	size_t		bytes = sort->scratch_bytes;

	return GpuCheck(device, Sort(sort, sort->scratch, &bytes, device->streams[GPU_COUNT]), "sorting pairs by key");
}

cudaError_t
FindKeyStarts(GpuDevice *device, const uint32_t *key, uint64_t npairs, uint32_t nkeys, uint64_t *key_start)
{
	FindKeyStartsKernel<<<GpuBlocks(npairs + 1, THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>
		(key, npairs, nkeys, key_start);
	return GpuLaunched(device, "finding keys");
}

/*
 * Where each strip's cells go.
 */

/* The number of cells of strip i; 0 for i = n, so that the scan ends with the sum of all. */
struct CellsOfStrip
{
	const uint32_t *cells;
	uint32_t	n;

	__device__ __forceinline__ uint64_t
	operator()(uint32_t i) const
	{
		return i < n ? cells[i] : 0;
	}
};

static cudaError_t
Scan(void *scratch, size_t *bytes, const uint32_t *cells, uint32_t n, uint64_t *start, cudaStream_t stream)
{
	auto		numbers = thrust::make_transform_iterator(thrust::make_counting_iterator(0u), CellsOfStrip{cells, n});

	return cub::DeviceScan::ExclusiveSum(scratch, *bytes, numbers, start, n + 1, stream);
}

cudaError_t
StripScanScratch(size_t *bytes)
{
	*bytes = 0;
	return Scan(nullptr, bytes, nullptr, STRIPS_AT_ONCE, nullptr, 0);
}

cudaError_t
ScanStrips(SetsDevice *on, uint32_t n)
{
	size_t		bytes = on->scratch_bytes;

	return GpuCheck(on->device, Scan(on->scratch, &bytes, on->cells, n, on->start, on->device->streams[GPU_COUNT]),
					"adding up cells");
}

/*
 * Finding cells in a matrix of numbers of witnesses, as strips.
 */

#define DENSE_CELLS		4096	/* cells of a strip */
#define BEST_CELLS		8192	/* the same if the best partners are wanted, some of which each strip sends home */

/* The cells of a strip, for a block: columns from .. to - 1 of a row of the matrix. */
struct DenseCells
{
	const uint32_t *count;		/* the row's first count */
	uint32_t	row;			/* rank */
	uint32_t	column;			/* rank of the first column */
	uint32_t	from;
	uint32_t	to;

	template <typename Visit>
	__device__ __forceinline__ void
	Each(const Visit &visit) const
	{
		for (uint32_t c = from + threadIdx.x; c < to; c += THREADS)
			visit(column + c, count[c]);
	}
};

template <bool BEST>
static __host__ __device__ __forceinline__ constexpr uint32_t
StripWidth(void)
{
	return BEST ? BEST_CELLS : DENSE_CELLS;
}

template <bool BEST>
static __device__ __forceinline__ DenseCells
StripOf(const DenseCounts &dense, uint32_t per_row, uint32_t strip)
{
	uint32_t	row = strip / per_row;
	uint32_t	from = strip % per_row * StripWidth<BEST>();

	return DenseCells{dense.count + row * dense.stride, dense.row + row, dense.column, from,
		min(from + StripWidth<BEST>(), dense.columns)};
}

/* A block for each strip, in both kernels. */
template <bool BEST>
static __global__ void __launch_bounds__(THREADS)
DenseCountKernel(Relations relations, DenseCounts dense, uint32_t per_row, StripCounts counts)
{
	__shared__ StripRoom<BEST> room;
	uint32_t	strip = BEST ? FirstPartsFirst(per_row) : blockIdx.x;
	DenseCells	cells = StripOf<BEST> (dense, per_row, strip);

	CountStrip<THREADS> (relations, cells.row, strip, per_row, cells, counts, room);
}

template <bool BEST>
static __global__ void __launch_bounds__(THREADS)
DenseFillKernel(Relations relations, DenseCounts dense, uint32_t per_row, uint32_t first, CellTarget target)
{
	__shared__ StripRoom<false> room;
	uint32_t	strip = first + blockIdx.x;
	DenseCells	cells = StripOf<BEST> (dense, per_row, strip);

	if (target.start[strip] == target.start[strip + 1])
		return;
	if (threadIdx.x == 0)
		room.next = 0;
	__syncthreads();
	FillStrip<BEST> (relations, cells.row, strip, cells, target, room);
}

/*
 * The host's side.
 */

template <bool BEST>
static cudaError_t
CountDense(SetsDevice *on, const DenseCounts *dense, const StripCounts *counts, Strips *strips)
{
	strips->per_row = GpuBlocks(dense->columns, StripWidth<BEST>());
	strips->n = dense->rows * strips->per_row;
	strips->first = dense->row;
	if (strips->n == 0)
		return cudaSuccess;
	DenseCountKernel<BEST> <<<strips->n, THREADS, 0, on->device->streams[GPU_COUNT]>>>
		(on->relations, *dense, strips->per_row, *counts);
	return GpuLaunched(on->device, "counting cells of a matrix");
}

cudaError_t
DenseCount(SetsJob *job, SetsDevice *on, const DenseCounts *dense, const StripCounts *counts, Strips *strips)
{
	return counts->cut != NULL ? CountDense<true> (on, dense, counts, strips) : CountDense<false> (on, dense, counts, strips);
}

cudaError_t
DenseFill(SetsJob *job, SetsDevice *on, const DenseCounts *dense, const Strips *strips, uint32_t from, uint32_t to,
		  const CellTarget *target)
{
	cudaStream_t stream = on->device->streams[GPU_COUNT];

	if (target->cut != NULL)
		DenseFillKernel<true> <<<to - from, THREADS, 0, stream>>> (on->relations, *dense, strips->per_row, from, *target);
	else
		DenseFillKernel<false> <<<to - from, THREADS, 0, stream>>> (on->relations, *dense, strips->per_row, from, *target);
	return GpuLaunched(on->device, "writing cells of a matrix");
}

/*
 * Counting paths for the planner.
 */

/*
 * Adds the paths of a left pair to sums[level]: the right values of its key that belong to the part of
 * the level.
 */
static __device__ __forceinline__ void
AddLevelPaths(const Relations &r, uint64_t pair, unsigned long long (&sums)[FIM_SETS_LEVELS])
{
	uint32_t	row = LastUpTo(r.left.start, r.left.nvalues, pair);
	uint64_t	first = r.key_start[r.left.key[pair]];
	uint64_t	end = r.key_start[r.left.key[pair] + 1];

#pragma unroll
	for (int level = 0; level < FIM_SETS_LEVELS; level++)
		if (row < r.left.nvalues >> level)
		{
			if (level > 0)
				end = FirstNotBelow(r.rank, first, end, r.right.nvalues >> level);
			sums[level] += end - first;
		}
}

/*
 * A thread for each pair of the sample: the middle one of "step" pairs, since values with most keys
 * come first.
 */
static __global__ void __launch_bounds__(THREADS)
CountLevelPathsKernel(Relations r, uint64_t step, unsigned long long *paths)
{
	uint64_t	pair = ((uint64_t) blockIdx.x * THREADS + threadIdx.x) * step + step / 2;
	unsigned long long sums[FIM_SETS_LEVELS] = {};

	if (pair < r.left.npairs)
		AddLevelPaths(r, pair, sums);
#pragma unroll
	for (int level = 0; level < FIM_SETS_LEVELS; level++)
	{
		unsigned long long sum = LongSumOverLanes(sums[level]);

		if (threadIdx.x % 32 == 0 && sum > 0)
			atomicAdd(&paths[level], sum);
	}
}

static __global__ void __launch_bounds__(THREADS)
FindKeyLengthsKernel(Relations r, const uint32_t *key, uint32_t n, uint64_t *length)
{
	uint32_t	i = blockIdx.x * THREADS + threadIdx.x;

	if (i < n)
		length[i] = r.key_start[key[i] + 1] - r.key_start[key[i]];
}

cudaError_t
CountLevelPaths(GpuDevice *device, const Relations *relations, uint64_t step, unsigned long long *paths)
{
	CountLevelPathsKernel<<<GpuBlocks(relations->left.npairs, (uint32_t) (step * THREADS)), THREADS, 0, device->streams[GPU_COUNT]>>>
		(*relations, step, paths);
	return GpuLaunched(device, "counting paths of parts");
}

cudaError_t
FindKeyLengths(GpuDevice *device, const Relations *relations, const uint32_t *key, uint32_t n, uint64_t *length)
{
	FindKeyLengthsKernel<<<GpuBlocks(n, THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>(*relations, key, n, length);
	return GpuLaunched(device, "counting values of keys");
}

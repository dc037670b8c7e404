/*-------------------------------------------------------------------------
 *
 * rows_kernels.cu
 *	  The kernels of strategy "rows", see sets_device.h.
 *
 * Paths are walked by warps.  Each lane finds the list of right values of one key; then all lanes go
 * through the values of all lists together, so that keys with many and with few values keep the
 * lanes equally busy.
 *
 *-------------------------------------------------------------------------
 */
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "lanes.h"
#include "sets/best_device.h"
#include "sets/sets_device.h"

#define THREADS			256
#define WARPS			(THREADS / 32)

#define WARP_BUCKETS	512		/* twice the most paths, so that tables are at most half full */
#define BLOCK_BUCKETS	4096

static_assert(WARP_BUCKETS >= 2 * WARP_PATHS && BLOCK_BUCKETS >= 2 * BLOCK_PATHS, "hash tables are too small");

/* ---- paths ---- */

/* The right values of a key within a range of ranks. */
struct KeyPaths
{
	const uint32_t *rank;
	uint32_t	n;
};

static __device__ __forceinline__ KeyPaths
PathsOfKey(const Relations &r, uint32_t key, uint32_t from, uint32_t to)
{
	uint64_t	first = r.key_start[key];
	uint64_t	end = r.key_start[key + 1];

	if (to < r.right.nvalues)
		end = FirstNotBelow(r.rank, first, end, to);
	if (from > 0)
		first = FirstNotBelow(r.rank, first, end, from);
	return KeyPaths{r.rank + first, (uint32_t) (end - first)};
}

/*
 * To be called by a whole warp.  Calls visit() with each right rank in from .. to - 1 of the keys
 * left.key[first .. end - 1], but only of the first 32 of these keys.  The number of their paths must fit
 * in 32 bits.
 */
template <typename Visit>
static __device__ __forceinline__ void
WalkKeys(const Relations &r, uint64_t first, uint64_t end, uint32_t from, uint32_t to, const Visit &visit)
{
	uint32_t	lane = threadIdx.x % 32;
	KeyPaths	mine = {nullptr, 0};
	uint32_t	sum;
	uint32_t	all;

	if (first + lane < end)
		mine = PathsOfKey(r, r.left.key[first + lane], from, to);
	sum = SumUpTo(mine.n);
	all = __shfl_sync(ALL_LANES, sum, 31);
	for (uint32_t at = 0; at < all; at += 32)
	{
		uint32_t	path = at + lane;
		uint32_t	owner = 0;	/* lanes whose paths come before this one */
		uint32_t	before;
		const uint32_t *rank;

#pragma unroll
		for (uint32_t step = 16; step > 0; step /= 2)
			owner += __shfl_sync(ALL_LANES, sum, owner + step - 1) <= path ? step : 0;
		before = __shfl_sync(ALL_LANES, sum - mine.n, owner);
		rank = (const uint32_t *) __shfl_sync(ALL_LANES, (unsigned long long) mine.rank, owner);
		if (path < all)
			visit(rank[path - before]);
	}
}

/* ---- kinds ---- */

/* A size such that no smaller set is similar to a set of n elements. */
static __device__ __forceinline__ uint32_t
PartnerBound(const CellRule &rule, uint32_t n)
{
	double		t = fmin(rule.threshold, 1.0);
	double		least = rule.measure == FIM_JACCARD ? t * n : rule.measure == FIM_COSINE ? t * t * n : 1;

	/* rounding must not make it too high; too low does no harm */
	return least * (1 - 1e-9) < 1 ? 1 : (uint32_t) (least * (1 - 1e-9));
}

/*
 * The number of values of a side that have at least "least" keys.  They come first, since ranks go by
 * size.
 */
static __device__ uint32_t
RanksOfSize(const DeviceSide &side, uint32_t least)
{
	uint32_t	low = 0;
	uint32_t	high = side.nvalues;

	while (low < high)
	{
		uint32_t	middle = low + (high - low) / 2;

		if (SizeOf(side, middle) >= least)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static __device__ __forceinline__ uint32_t
RowEnd(const RowCells &cells, uint32_t row)
{
	const Relations &r = cells.relations;
	uint32_t	size = SizeOf(r.left, row);

	if (r.rule.result == FIM_SETS_SIMILAR)
		return RanksOfSize(r.right, PartnerBound(r.rule, size));
	return size < r.rule.least ? 0 : cells.columns;
}

static __device__ __forceinline__ RowKind
KindOf(const RowCells &cells, uint32_t row, uint64_t paths)
{
	uint32_t	size = SizeOf(cells.relations.left, row);

	if (paths == 0)
		return ROW_EMPTY;
	if (paths > HEAVY_PATHS)
		return ROW_HEAVY;
	if (paths <= BLOCK_PATHS)
		return paths <= WARP_PATHS ? ROW_OF_WARP : ROW_OF_BLOCK;
	if (!cells.relations.rule.counted)
		return ROW_OF_BITS;
	return size <= UINT8_MAX ? ROW_OF_BYTES : size <= UINT16_MAX ? ROW_OF_HALVES : ROW_OF_WORDS;
}

static __host__ __device__ __forceinline__ uint32_t
BitsOf(RowKind kind)
{
	return kind == ROW_OF_BITS ? 1 : kind == ROW_OF_BYTES ? 8 : kind == ROW_OF_HALVES ? 16 : 32;
}

static __host__ __device__ __forceinline__ uint32_t
Spans(RowKind kind, uint32_t right_values)
{
	uint32_t	columns = SPAN_WORDS * (32 / BitsOf(kind));

	return kind < ROW_OF_BITS ? 1 : right_values / columns + (right_values % columns != 0);
}

static __device__ __forceinline__ uint64_t
CostOf(const RowCells &cells, RowKind kind, uint64_t paths)
{
	if (kind == ROW_EMPTY || kind == ROW_HEAVY)
		return paths;
	return paths + ROW_COST + (kind < ROW_OF_BITS ? 0 : (uint64_t) SPAN_COST * Spans(kind, cells.relations.right.nvalues));
}

/* A warp for each row. */
static __global__ void __launch_bounds__(THREADS)
ClassifyRowsKernel(RowCells cells, RowOrder order)
{
	const Relations &r = cells.relations;
	uint32_t	row = blockIdx.x * WARPS + threadIdx.x / 32;
	unsigned long long paths = 0;
	uint32_t	end;
	RowKind		kind;

	if (row >= r.left.nvalues)
		return;
	end = RowEnd(cells, row);
	if (RowBegin(cells, row) < end)
		for (uint64_t k = r.left.start[row] + threadIdx.x % 32; k < r.left.start[row + 1]; k += 32)
			paths += r.key_start[r.left.key[k] + 1] - r.key_start[r.left.key[k]];
	paths = LongSumOverLanes(paths);
	if (threadIdx.x % 32 != 0)
		return;
	kind = KindOf(cells, row, paths);
	cells.end[row] = end;
	order.kind[0][row] = (uint8_t) kind;
	order.row[0][row] = row;
	order.cost[row] = CostOf(cells, kind, paths);
}

/* ---- hash tables ---- */

/* Adds a path to a hash table.  A bucket has the right rank plus 1 as its key, and 0 if it is free. */
template <int BUCKETS>
static __device__ __forceinline__ void
AddToTable(uint32_t *key, uint32_t *count, uint32_t right)
{
	uint32_t	bucket = (right * 2654435761u >> 16) % BUCKETS;

	for (;;)
	{
		uint32_t	there = atomicCAS(&key[bucket], 0, right + 1);

		if (there == 0 || there == right + 1)
			break;
		bucket = (bucket + 1) % BUCKETS;
	}
	atomicAdd(&count[bucket], 1);
}

/* The cells of a table, for a gang. */
template <int GANG, int BUCKETS>
struct TableCells
{
	const uint32_t *key;
	const uint32_t *count;

	template <typename Visit>
	__device__ __forceinline__ void
	Each(const Visit &visit) const
	{
		for (uint32_t s = threadIdx.x % GANG; s < BUCKETS; s += GANG)
			if (key[s] != 0)
				visit(key[s] - 1, count[s]);
	}
};

/* A gang of GANG threads for each of the strips first .. end - 1, which are whole rows. */
template <int GANG, int BUCKETS, bool FILL, bool BEST>
static __global__ void __launch_bounds__(THREADS)
HashRowsKernel(RowCells cells, Strips strips, uint32_t first, uint32_t end, StripCounts counts, CellTarget target)
{
	const int	GANGS = THREADS / GANG;
	__shared__ uint32_t keys[GANGS][BUCKETS];
	__shared__ uint32_t numbers[GANGS][BUCKETS];
	__shared__ StripRoom<BEST && !FILL> rooms[GANGS];
	const Relations &r = cells.relations;
	uint32_t	thread = threadIdx.x % GANG;
	uint32_t   *key = keys[threadIdx.x / GANG];
	uint32_t   *number = numbers[threadIdx.x / GANG];
	uint32_t	strip = first + blockIdx.x * GANGS + threadIdx.x / GANG;
	TableCells<GANG, BUCKETS> found = {key, number};
	uint32_t	row;

	if (strip >= end || (FILL && target.start[strip] == target.start[strip + 1]))
		return;
	row = strips.rows[strip];
	for (uint32_t s = thread; s < BUCKETS; s += GANG)
		key[s] = number[s] = 0;
	if (thread == 0)
		rooms[threadIdx.x / GANG].next = 0;
	GangSync<GANG>();
	for (uint64_t k = r.left.start[row] + thread / 32 * 32; k < r.left.start[row + 1]; k += GANG)
		WalkKeys(r, k, r.left.start[row + 1], RowBegin(cells, row), cells.end[row],
				 [=](uint32_t right) { AddToTable<BUCKETS>(key, number, right); });
	GangSync<GANG>();
	if constexpr (FILL)
		FillStrip<BEST> (r, row, strip, found, target, rooms[threadIdx.x / GANG]);
	else
		CountStrip<GANG> (r, row, strip, 1, found, counts, rooms[threadIdx.x / GANG]);
}

/* ---- spans ---- */

/* A mask of the bits of a word's lowest accumulator. */
template <int BITS>
static __device__ __forceinline__ constexpr uint32_t
FieldMask(void)
{
	return BITS == 32 ? ~0u : (1u << BITS % 32) - 1;
}

template <int BITS>
static __device__ __forceinline__ void
AddToSpan(uint32_t *word, uint32_t cell)
{
	uint32_t	one = 1u << cell % (32 / BITS) * BITS;

	word += cell / (32 / BITS);
	if (BITS > 1)
		atomicAdd(word, one);
	else if ((*(volatile uint32_t *) word & one) == 0)
		atomicOr(word, one);
}

/* Whether the bits of all of a span's first "cells" cells are set. */
static __device__ bool
AllMarked(const uint32_t *word, uint32_t cells)
{
	bool		all = true;

	for (uint32_t w = threadIdx.x; w < (cells + 31) / 32; w += THREADS)
		all = all && word[w] == (cells - w * 32 >= 32 ? ~0u : (1u << cells % 32) - 1);
	return __syncthreads_and(all) != 0;
}

/* Adds the paths of a row to the right ranks from .. to - 1 to accumulators, by a whole block. */
template <int BITS>
static __device__ __forceinline__ void
AddPaths(const Relations &r, uint32_t row, uint32_t from, uint32_t to, uint32_t *word)
{
	uint64_t	end = r.left.start[row + 1];
	uint32_t	look_at = 1;
	uint32_t	step = 0;

	for (uint64_t k = r.left.start[row]; k < end; k += THREADS)
	{
		uint64_t	first = k + threadIdx.x / 32 * 32;

		if (first < end)
			WalkKeys(r, first, end, from, to, [=](uint32_t right) { AddToSpan<BITS>(word, right - from); });
		/*
		 * where only existence matters, the row is done when all bits are set; that is checked ever
		 * more rarely
		 */
		if (BITS == 1 && ++step == look_at)
		{
			__syncthreads();
			if (AllMarked(word, to - from))
				break;
			look_at *= 2;
		}
	}
	__syncthreads();
}

/* The cells of a span, for a block: those of nwords words of accumulators, of which the lowest is that of rank "from". */
template <int BITS>
struct SpanCells
{
	const uint32_t *words;
	uint32_t	nwords;
	uint32_t	from;

	template <typename Visit>
	__device__ __forceinline__ void
	Each(const Visit &visit) const
	{
		for (uint32_t w = threadIdx.x; w < nwords; w += THREADS)
			for (uint32_t word = words[w]; word != 0;)
			{
				uint32_t	place = (__ffs(word) - 1) / BITS;

				visit(from + w * (32 / BITS) + place, word >> place * BITS & FieldMask<BITS>());
				word &= ~(FieldMask<BITS>() << place * BITS);
			}
	}
};

/* A block for each strip, which is a span of a row. */
template <int BITS, bool FILL, bool BEST>
static __global__ void __launch_bounds__(THREADS)
SpanRowsKernel(RowCells cells, Strips strips, uint32_t first, StripCounts counts, CellTarget target)
{
	const uint32_t WIDTH = SPAN_WORDS * (32 / BITS);
	__shared__ uint32_t words[SPAN_WORDS];
	__shared__ StripRoom<BEST && !FILL> room;
	const Relations &r = cells.relations;
	uint32_t	strip = first + (BEST && !FILL ? FirstPartsFirst(strips.per_row) : blockIdx.x);
	uint32_t	row = RowOfStrip(strips, strip);
	uint64_t	begin = (uint64_t) (strip % strips.per_row) * WIDTH;
	uint32_t	from = (uint32_t) max(begin, (uint64_t) RowBegin(cells, row));
	uint32_t	to = (uint32_t) min(begin + WIDTH, (uint64_t) cells.end[row]);
	uint32_t	nwords = from < to ? (to - from + 32 / BITS - 1) / (32 / BITS) : 0;
	SpanCells<BITS> found = {words, nwords, from};

	if (FILL && target.start[strip] == target.start[strip + 1])
		return;
	for (uint32_t w = threadIdx.x; w < nwords; w += THREADS)
		words[w] = 0;
	if (threadIdx.x == 0)
		room.next = 0;
	__syncthreads();
	if (nwords > 0)
		AddPaths<BITS> (r, row, from, to, words);
	if constexpr (FILL)
		FillStrip<BEST> (r, row, strip, found, target, room);
	else
		CountStrip<THREADS> (r, row, strip, strips.per_row, found, counts, room);
}

/* ---- heavy rows ---- */

/* A warp for 32 keys of the row. */
static __global__ void __launch_bounds__(THREADS)
HeavyPathsKernel(RowCells cells, uint32_t row, uint64_t first, uint64_t end, uint32_t from, uint32_t to, uint32_t *count)
{
	uint64_t	k = first + (uint64_t) (blockIdx.x * WARPS + threadIdx.x / 32) * 32;
	uint32_t	begin = max(from, RowBegin(cells, row));

	to = min(to, cells.end[row]);
	if (k < end && begin < to)
		WalkKeys(cells.relations, k, end, begin, to, [=](uint32_t right) { atomicAdd(&count[right - from], 1); });
}

/* ---- the host's side ---- */

uint32_t
SpansOf(RowKind kind, uint32_t right_values)
{
	return Spans(kind, right_values);
}

cudaError_t
ClassifyRows(GpuDevice *device, const RowCells *cells, const RowOrder *order)
{
	ClassifyRowsKernel<<<GpuBlocks(cells->relations.left.nvalues, WARPS), THREADS, 0, device->streams[GPU_COUNT]>>>
		(*cells, *order);
	return GpuLaunched(device, "counting paths");
}

/* The arguments of a step of a Finder. */
struct RowsStep
{
	const RowCells *cells;
	const Strips *strips;
	uint32_t	from;
	uint32_t	to;
	StripCounts counts;			/* of the count step */
	CellTarget	target;			/* of the fill step */
};

template <int GANG, int BUCKETS, bool FILL, bool BEST>
static void
LaunchHash(const RowsStep &step, cudaStream_t stream)
{
	HashRowsKernel<GANG, BUCKETS, FILL, BEST> <<<GpuBlocks(step.to - step.from, THREADS / GANG), THREADS, 0, stream>>>
		(*step.cells, *step.strips, step.from, step.to, step.counts, step.target);
}

template <int BITS, bool FILL, bool BEST>
static void
LaunchSpans(const RowsStep &step, cudaStream_t stream)
{
	SpanRowsKernel<BITS, FILL, BEST> <<<step.to - step.from, THREADS, 0, stream>>>
		(*step.cells, *step.strips, step.from, step.counts, step.target);
}

template <bool FILL, bool BEST>
static cudaError_t
LaunchRows(GpuDevice *device, RowKind kind, const RowsStep &step)
{
	cudaStream_t stream = device->streams[GPU_COUNT];

	switch (kind)
	{
		case ROW_OF_WARP:
			LaunchHash<32, WARP_BUCKETS, FILL, BEST> (step, stream);
			break;
		case ROW_OF_BLOCK:
			LaunchHash<THREADS, BLOCK_BUCKETS, FILL, BEST> (step, stream);
			break;
		case ROW_OF_BITS:
			/* best partners that are listed are counted, too */
			LaunchSpans<1, FILL, false> (step, stream);
			break;
		case ROW_OF_BYTES:
			LaunchSpans<8, FILL, BEST> (step, stream);
			break;
		case ROW_OF_HALVES:
			LaunchSpans<16, FILL, BEST> (step, stream);
			break;
		default:
			LaunchSpans<32, FILL, BEST> (step, stream);
	}
	return GpuLaunched(device, FILL ? "writing cells of rows" : "counting cells of rows");
}

cudaError_t
CountRows(GpuDevice *device, const RowCells *cells, RowKind kind, const Strips *strips, const StripCounts *counts)
{
	RowsStep	step = {cells, strips, 0, strips->n, *counts, {}};

	return counts->cut != NULL ? LaunchRows<false, true> (device, kind, step) : LaunchRows<false, false> (device, kind, step);
}

cudaError_t
FillRows(GpuDevice *device, const RowCells *cells, RowKind kind, const Strips *strips, uint32_t from, uint32_t to,
		 const CellTarget *target)
{
	RowsStep	step = {cells, strips, from, to, {}, *target};

	return target->cut != NULL ? LaunchRows<true, true> (device, kind, step) : LaunchRows<true, false> (device, kind, step);
}

cudaError_t
AddHeavyPaths(GpuDevice *device, const RowCells *cells, uint32_t row, uint64_t first, uint64_t end, uint32_t from,
			  uint32_t to, uint32_t *count)
{
	HeavyPathsKernel<<<GpuBlocks(end - first, WARPS * 32), THREADS, 0, device->streams[GPU_COUNT]>>>
		(*cells, row, first, end, from, to, count);
	return GpuLaunched(device, "counting paths of a heavy row");
}

/*
 * Rows in the order of their kinds.
 */

#define KIND_BITS	4

/* The cost of the row at place i. */
struct CostOfPlace
{
	const uint64_t *cost;
	const uint32_t *row;

	__device__ __forceinline__ uint64_t
	operator()(uint32_t i) const
	{
		return cost[row[i]];
	}
};

static __global__ void
FindKindsKernel(const uint8_t *kind, uint32_t n, uint32_t *first)
{
	if (threadIdx.x <= ROW_KINDS)
		first[threadIdx.x] = FirstNotBelow(kind, 0u, n, (uint8_t) threadIdx.x);
}

static __global__ void __launch_bounds__(THREADS)
CutRowsKernel(const uint64_t *sum, uint32_t n, uint32_t *cut, uint32_t ncuts)
{
	uint32_t	u = blockIdx.x * THREADS + threadIdx.x;

	if (u < ncuts)
		cut[u] = FirstNotBelow(sum, 0u, n, u * UNIT_COST);
}

/* ---- the host's side ---- */

static cudaError_t
Sort(const RowOrder *order, void *scratch, size_t *bytes, uint32_t n, cudaStream_t stream)
{
	return cub::DeviceRadixSort::SortPairs(scratch, *bytes, (const uint8_t *) order->kind[0], order->kind[1],
										   (const uint32_t *) order->row[0], order->row[1], n, 0, KIND_BITS, stream);
}

static cudaError_t
Scan(const RowOrder *order, void *scratch, size_t *bytes, uint32_t n, cudaStream_t stream)
{
	auto		costs = thrust::make_transform_iterator(thrust::make_counting_iterator(0u),
														CostOfPlace{order->cost, order->row[1]});

	return cub::DeviceScan::InclusiveSum(scratch, *bytes, costs, order->sum, n, stream);
}

cudaError_t
RowOrderScratch(uint32_t n, size_t *bytes)
{
	RowOrder	order = {};
	size_t		of_scan = 0;

	*bytes = 0;
	GPU_TRY(Sort(&order, nullptr, bytes, n, 0));
	GPU_TRY(Scan(&order, nullptr, &of_scan, n, 0));
	*bytes = GpuGreater(*bytes, of_scan);
	return cudaSuccess;
}

cudaError_t
OrderRows(GpuDevice *device, const RowOrder *order, uint32_t n)
{
	size_t		bytes = order->scratch_bytes;
	cudaStream_t stream = device->streams[GPU_COUNT];

	GPU_TRY(GpuCheck(device, Sort(order, order->scratch, &bytes, n, stream), "sorting rows by kind"));
	bytes = order->scratch_bytes;
	GPU_TRY(GpuCheck(device, Scan(order, order->scratch, &bytes, n, stream), "adding up paths"));
	FindKindsKernel<<<1, 32, 0, stream>>>(order->kind[1], n, order->first);
	return GpuLaunched(device, "finding kinds of rows");
}

cudaError_t
CutRows(GpuDevice *device, const RowOrder *order, uint32_t n, uint32_t *cut, uint32_t ncuts)
{
	CutRowsKernel<<<GpuBlocks(ncuts, THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>(order->sum, n, cut, ncuts);
	return GpuLaunched(device, "cutting rows");
}

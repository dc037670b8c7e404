/*-------------------------------------------------------------------------
 *
 * transactions_kernels.cu
 *	  Uncertain transactions on a device: counting items, laying transactions out, and selecting pairs of
 *	  items.
 *
 * Rows arrive as they lie in the data, one after the other.  They are put into the
 * ELL format of Kozawa, Amagasa and Kitagawa (CIKM 2012, section 3.1).  In it, a warp
 * that has a transaction in each thread reads the transactions' first columns from
 * adjacent addresses, then their second ones, and so on.  The 32 transactions of a warp
 * are one word of each item's bits.
 *
 *-------------------------------------------------------------------------
 */
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "device.h"
#include "lanes.h"
#include "probable/probable.h"

/* ---- counting items ---- */

/*
 * A block of threads counts in shared memory, if all items have room there.  Otherwise
 * the blocks would wait for one another's atomic additions to the counts of items that
 * are in most transactions.
 */

#define COUNT_THREADS			512
#define EACH			32			/* items that a thread counts, about */
#define SHARED_ITEMS	8192		/* items that have room in shared memory */

static __global__ void __launch_bounds__(COUNT_THREADS)
SharedCountKernel(const uint32_t *items, uint32_t n, uint32_t *counts, uint32_t nitems)
{
	__shared__ uint32_t of_block[SHARED_ITEMS];

	for (uint32_t i = threadIdx.x; i < nitems; i += COUNT_THREADS)
		of_block[i] = 0;
	__syncthreads();
	for (uint32_t i = blockIdx.x * COUNT_THREADS + threadIdx.x; i < n; i += gridDim.x * COUNT_THREADS)
		atomicAdd(&of_block[items[i]], 1);
	__syncthreads();
	for (uint32_t i = threadIdx.x; i < nitems; i += COUNT_THREADS)
		if (of_block[i] > 0)
			atomicAdd(&counts[i], of_block[i]);
}

static __global__ void __launch_bounds__(COUNT_THREADS)
CountKernel(const uint32_t *items, uint32_t n, uint32_t *counts)
{
	for (uint32_t i = blockIdx.x * COUNT_THREADS + threadIdx.x; i < n; i += gridDim.x * COUNT_THREADS)
		atomicAdd(&counts[items[i]], 1);
}

static __global__ void __launch_bounds__(COUNT_THREADS)
WidenKernel(const uint16_t *narrow, uint32_t n, uint32_t *items)
{
	for (uint32_t i = blockIdx.x * COUNT_THREADS + threadIdx.x; i < n; i += gridDim.x * COUNT_THREADS)
		items[i] = narrow[i];
}

cudaError_t
LaunchWidenItems(GpuDevice *device, const uint16_t *narrow, uint32_t n, uint32_t *items)
{
	WidenKernel<<<GpuBlocks(n, COUNT_THREADS * EACH), COUNT_THREADS, 0, device->streams[GPU_COUNT]>>>(narrow, n, items);
	return GpuLaunched(device, "counting items");
}

cudaError_t
LaunchCountItems(GpuDevice *device, const uint32_t *items, uint32_t n, uint32_t *counts, uint32_t nitems)
{
	uint32_t	blocks = GpuBlocks(n, COUNT_THREADS * EACH);
	cudaStream_t stream = device->streams[GPU_COUNT];

	if (nitems <= SHARED_ITEMS)
		SharedCountKernel<<<blocks, COUNT_THREADS, 0, stream>>>(items, n, counts, nitems);
	else
		CountKernel<<<blocks, COUNT_THREADS, 0, stream>>>(items, n, counts);
	return GpuLaunched(device, "counting items");
}

/* ---- laying out rows ---- */

#define THREADS		256
#define WARPS		(THREADS / 32)

/* A warp for each row. */
static __global__ void __launch_bounds__(THREADS)
EllKernel(const uint32_t *items, const uint32_t *starts, const uint32_t *column_of, uint32_t nrows,
		  uint32_t width, uint32_t *ell)
{
	uint32_t	row = blockIdx.x * WARPS + threadIdx.x / 32;
	uint32_t	begin;
	uint32_t	length;

	if (row >= nrows)
		return;
	begin = starts[row];
	length = starts[row + 1] - begin;
	for (uint32_t j = threadIdx.x % 32; j < width; j += 32)
		ell[(uint64_t) j * nrows + row] = j < length ? column_of[items[begin + j]] : GPU_NONE;
}

/* The word that has a transaction's bit for a column; it is bit row % 32 of the word. */
static __device__ __forceinline__ uint32_t *
WordOf(const UncertainSheet &sheet, uint64_t row, uint32_t column)
{
	uint64_t	line = row / FIM_SLAB_BITS * sheet.ncolumns + column;

	return sheet.lines + line * LINE_WORDS + row % FIM_SLAB_BITS / 32;
}

/* A thread for each row. */
static __global__ void __launch_bounds__(THREADS)
LinesKernel(UncertainSheet sheet, const uint32_t *ell, uint64_t first_row, uint32_t nrows,
			uint32_t width)
{
	uint32_t	row = blockIdx.x * THREADS + threadIdx.x;

	if (row >= nrows)
		return;
	for (uint32_t j = 0; j < width; j++)
	{
		uint32_t	column = ell[(uint64_t) j * nrows + row];

		if (column != GPU_NONE)
			atomicOr(WordOf(sheet, first_row + row, column), 1u << (first_row + row) % 32);
	}
}

/* ---- laying out values ---- */

/* A warp for each line, and one more, which writes the 0 behind the last line's count. */
static __global__ void __launch_bounds__(THREADS)
CountBitsKernel(const uint32_t *lines, uint64_t nlines, uint32_t *counts)
{
	uint64_t	line = (uint64_t) blockIdx.x * WARPS + threadIdx.x / 32;
	uint32_t	n;

	if (line > nlines)
		return;
	n = line < nlines ? __popc(lines[line * LINE_WORDS + threadIdx.x % 32]) : 0;
	n = SumOverLanes(n);
	if (threadIdx.x % 32 == 0)
		counts[line] = n;
}

/* How many bits of a line are set before a transaction's own, which is in *word. */
static __device__ __forceinline__ uint32_t
RankOf(const uint32_t *word, uint64_t row)
{
	uint32_t	before = row % FIM_SLAB_BITS / 32;
	uint32_t	rank = __popc(*word & ((1u << row % 32) - 1));

	for (uint32_t w = 1; w <= before; w++)
		rank += __popc(word[-(int) w]);
	return rank;
}

static __global__ void __launch_bounds__(THREADS)
ValuesKernel(UncertainSheet sheet, const uint32_t *ell, const uint32_t *starts, const double *p,
			 uint64_t first_row, uint32_t nrows, uint32_t width)
{
	uint32_t	row = blockIdx.x * THREADS + threadIdx.x;
	uint64_t	at = first_row + row;

	if (row >= nrows)
		return;
	for (uint32_t j = 0; j < width; j++)
	{
		uint32_t	column = ell[(uint64_t) j * nrows + row];

		if (column != GPU_NONE)
			sheet.values[sheet.value_at[at / FIM_SLAB_BITS * sheet.ncolumns + column] +
						 RankOf(WordOf(sheet, at, column), at)] = p[starts[row] + j];
	}
}

/* ---- laying out: the host's side ---- */

static cudaStream_t
StreamOf(const GpuDevice *device)
{
	return device->streams[GPU_COUNT];
}

cudaError_t
LayOutEll(GpuDevice *device, const Layout *layout, uint32_t from, uint32_t nrows, uint32_t width)
{
	EllKernel<<<GpuBlocks(nrows, WARPS), THREADS, 0, StreamOf(device)>>>
		(layout->items, layout->starts + from, layout->column_of, nrows, width, layout->ell);
	return GpuLaunched(device, "laying out transactions");
}

cudaError_t
LayOutLines(GpuDevice *device, const UncertainSheet *sheet, const Layout *layout,
			uint64_t first_row, uint32_t nrows, uint32_t width)
{
	LinesKernel<<<GpuBlocks(nrows, THREADS), THREADS, 0, StreamOf(device)>>>
		(*sheet, layout->ell, first_row, nrows, width);
	return GpuLaunched(device, "building transaction bitmaps");
}

cudaError_t
CountBits(GpuDevice *device, const UncertainSheet *sheet, const Layout *layout, uint64_t first_line,
		  uint64_t nlines)
{
	CountBitsKernel<<<GpuBlocks(nlines + 1, WARPS), THREADS, 0, StreamOf(device)>>>
		(sheet->lines + first_line * LINE_WORDS, nlines, layout->counts);
	return GpuLaunched(device, "counting transactions");
}

cudaError_t
LayOutValues(GpuDevice *device, const UncertainSheet *sheet, const Layout *layout,
			 uint64_t first_row, uint32_t from, uint32_t nrows, uint32_t width)
{
	ValuesKernel<<<GpuBlocks(nrows, THREADS), THREADS, 0, StreamOf(device)>>>
		(*sheet, layout->ell, layout->starts + from, layout->p, first_row, nrows, width);
	return GpuLaunched(device, "laying out probabilities");
}

/* ---- where the probabilities of a sheet's lines begin ---- */

/*
 * Writes to "to" the exclusive prefix sums of the counts, beginning with the number that is at "to"
 * already.
 */
static cudaError_t
Scan(void *scratch, size_t *bytes, const uint32_t *counts, uint64_t *to, uint64_t ncounts, cudaStream_t stream)
{
	return cub::DeviceScan::ExclusiveScan(scratch, *bytes, counts, to, ::cuda::std::plus<uint64_t>(),
										  cub::FutureValue<uint64_t>(to), (int64_t) ncounts, stream);
}

cudaError_t
PlacingScratch(uint64_t nlines, size_t *bytes)
{
	return Scan(nullptr, bytes, nullptr, nullptr, nlines + 1, 0);
}

cudaError_t
PlaceValues(GpuDevice *device, const UncertainSheet *sheet, const Layout *layout, uint32_t first_slab,
			uint32_t nslabs)
{
	uint64_t	first = (uint64_t) first_slab * sheet->ncolumns;
	uint64_t	nlines = (uint64_t) nslabs * sheet->ncolumns;
	size_t		bytes = layout->scratch_bytes;

	GPU_TRY(CountBits(device, sheet, layout, first, nlines));
	return GpuCheck(device, Scan(layout->scratch, &bytes, layout->counts, sheet->value_at + first, nlines + 1,
								 device->streams[GPU_COUNT]), "placing probabilities");
}

/* ---- selecting the pairs that have been counted ---- */

struct IsCounted
{
	const uint32_t *counts;

	__device__ __forceinline__ bool
	operator() (uint64_t number) const
	{
		return counts[number] > 0;
	}
};

static cudaError_t
Select(void *scratch, size_t *bytes, const uint32_t *counts, uint64_t ncounts, uint64_t *pairs,
	   uint64_t *npairs, cudaStream_t stream)
{
	return cub::DeviceSelect::If(scratch, *bytes, thrust::counting_iterator<uint64_t>(0), pairs, npairs,
								 (int64_t) ncounts, IsCounted {counts}, stream);
}

cudaError_t
SelectionScratch(uint64_t ncounts, size_t *bytes)
{
	return Select(nullptr, bytes, nullptr, ncounts, nullptr, nullptr, 0);
}

cudaError_t
SelectPairs(GpuDevice *device, const uint32_t *counts, uint64_t ncounts, uint64_t *pairs, uint64_t *npairs,
			void *scratch, size_t bytes)
{
	return GpuCheck(device, Select(scratch, &bytes, counts, ncounts, pairs, npairs,
								   device->streams[GPU_COUNT]), "selecting pairs");
}

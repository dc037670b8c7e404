/*-------------------------------------------------------------------------
 *
 * layout.cu
 *	  Laying out uncertain transactions on a device, see layout.h.
 *
 * Rows arrive as they lie in the data, one after the other.  They are put into the
 * ELL format of Kozawa, Amagasa and Kitagawa (CIKM 2012, section 3.1).  In it, a warp
 * that has a transaction in each thread reads the transactions' first columns from
 * adjacent addresses, then their second ones, and so on.  The 32 transactions of a warp
 * are one word of each item's bits.
 *
 *-------------------------------------------------------------------------
 */
#include "fault.h"
#include "lanes.h"
#include "probable/layout.h"

#define THREADS		256
#define WARPS		(THREADS / 32)

/* ---- rows ---- */

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
WordOf(const UncertainBlock &block, uint64_t row, uint32_t column)
{
	uint64_t	line = row / FIM_SLAB_BITS * block.ncolumns + column;

	return block.lines + line * LINE_WORDS + row % FIM_SLAB_BITS / 32;
}

/* A thread for each row. */
static __global__ void __launch_bounds__(THREADS)
LinesKernel(UncertainBlock block, const uint32_t *ell, uint64_t first_row, uint32_t nrows,
			uint32_t width)
{
	uint32_t	row = blockIdx.x * THREADS + threadIdx.x;

	if (row >= nrows)
		return;
	for (uint32_t j = 0; j < width; j++)
	{
		uint32_t	column = ell[(uint64_t) j * nrows + row];

		if (column != GPU_NONE)
			atomicOr(WordOf(block, first_row + row, column), 1u << (first_row + row) % 32);
	}
}

/* ---- values ---- */

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
ValuesKernel(UncertainBlock block, const uint32_t *ell, const uint32_t *starts, const double *p,
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
			block.values[block.value_at[at / FIM_SLAB_BITS * block.ncolumns + column] +
						 RankOf(WordOf(block, at, column), at)] = p[starts[row] + j];
	}
}

/* ---- the host's side ---- */

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
LayOutLines(GpuDevice *device, const UncertainBlock *block, const Layout *layout,
			uint64_t first_row, uint32_t nrows, uint32_t width)
{
	LinesKernel<<<GpuBlocks(nrows, THREADS), THREADS, 0, StreamOf(device)>>>
		(*block, layout->ell, first_row, nrows, width);
	return GpuLaunched(device, "building transaction bitmaps");
}

cudaError_t
CountBits(GpuDevice *device, const UncertainBlock *block, const Layout *layout, uint64_t first_line,
		  uint64_t nlines)
{
	CountBitsKernel<<<GpuBlocks(nlines + 1, WARPS), THREADS, 0, StreamOf(device)>>>
		(block->lines + first_line * LINE_WORDS, nlines, layout->counts);
	return GpuLaunched(device, "counting transactions");
}

cudaError_t
LayOutValues(GpuDevice *device, const UncertainBlock *block, const Layout *layout,
			 uint64_t first_row, uint32_t from, uint32_t nrows, uint32_t width)
{
	ValuesKernel<<<GpuBlocks(nrows, THREADS), THREADS, 0, StreamOf(device)>>>
		(*block, layout->ell, layout->starts + from, layout->p, first_row, nrows, width);
	return GpuLaunched(device, "laying out probabilities");
}

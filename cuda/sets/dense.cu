/*-------------------------------------------------------------------------
 *
 * dense.cu
 *	  Finding cells in a matrix of numbers of witnesses, see dense.h.
 *
 *-------------------------------------------------------------------------
 */
#include "lanes.h"
#include "sets/dense.h"

#define THREADS			256
#define DENSE_CELLS		4096	/* cells of a strip */

/* The cells of a strip: columns from .. to - 1 of a row of the matrix. */
struct DenseStrip
{
	const uint32_t *count;		/* the row's first count */
	uint32_t	row;			/* rank */
	uint32_t	from;
	uint32_t	to;
};

static __device__ __forceinline__ DenseStrip
StripOf(const DenseCounts &dense, uint32_t per_row, uint32_t strip)
{
	uint32_t	row = strip / per_row;
	uint32_t	from = strip % per_row * DENSE_CELLS;

	return DenseStrip{dense.count + row * dense.stride, dense.row + row, from, min(from + DENSE_CELLS, dense.columns)};
}

/* A block for each strip, in both kernels. */
static __global__ void __launch_bounds__(THREADS)
DenseCountKernel(Relations relations, DenseCounts dense, uint32_t per_row, StripCounts counts)
{
	DenseStrip	strip = StripOf(dense, per_row, blockIdx.x);
	uint32_t	kept = 0;
	uint32_t	results = 0;

	for (uint32_t c = strip.from + threadIdx.x; c < strip.to; c += THREADS)
	{
		uint32_t	n = ResultsOfCell(relations, strip.row, dense.column + c, strip.count[c]);

		kept += n > 0;
		results += n;
	}
	kept = SumOverBlock<THREADS>(kept);
	results = SumOverBlock<THREADS>(results);
	if (threadIdx.x != 0)
		return;
	counts.cells[blockIdx.x] = kept;
	if (results > 0)
		atomicAdd(counts.results, (unsigned long long) results);
}

static __global__ void __launch_bounds__(THREADS)
DenseFillKernel(Relations relations, DenseCounts dense, uint32_t per_row, uint32_t first, CellTarget target)
{
	__shared__ uint32_t next;
	uint32_t	number = first + blockIdx.x;
	DenseStrip	strip = StripOf(dense, per_row, number);

	if (target.start[number] == target.start[number + 1])
		return;
	if (threadIdx.x == 0)
		next = 0;
	__syncthreads();
	for (uint32_t c = strip.from + threadIdx.x; c < strip.to; c += THREADS)
		if (ResultsOfCell(relations, strip.row, dense.column + c, strip.count[c]) > 0)
			PutCell(target, number, atomicAdd(&next, 1), dense.column + c, strip.count[c]);
}

/* ---- the host's side ---- */

static uint32_t
PerRow(uint32_t columns)
{
	return GpuBlocks(columns, DENSE_CELLS);
}

cudaError_t
DenseCount(SetsJob *job, SetsDevice *on, const DenseCounts *dense, const StripCounts *counts, Strips *strips)
{
	strips->n = dense->rows * PerRow(dense->columns);
	strips->per_row = PerRow(dense->columns);
	strips->first = dense->row;
	if (strips->n == 0)
		return cudaSuccess;
	DenseCountKernel<<<strips->n, THREADS, 0, on->device->streams[GPU_COUNT]>>>
		(on->relations, *dense, strips->per_row, *counts);
	return GpuLaunched(on->device, "counting cells of a matrix");
}

cudaError_t
DenseFill(SetsJob *job, SetsDevice *on, const DenseCounts *dense, const Strips *strips, uint32_t from, uint32_t to,
		  const CellTarget *target)
{
	DenseFillKernel<<<to - from, THREADS, 0, on->device->streams[GPU_COUNT]>>>
		(on->relations, *dense, strips->per_row, from, *target);
	return GpuLaunched(on->device, "writing cells of a matrix");
}

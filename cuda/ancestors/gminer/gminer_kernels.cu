/*-------------------------------------------------------------------------
 *
 * gminer_kernels.cu
 *	  What GMiner does on a device, see gminer.h.
 *
 *-------------------------------------------------------------------------
 */
#include "ancestors/gminer/gminer.h"
#include "lanes.h"

#define THREADS			256
#define WARPS			(THREADS / 32)
#define CHUNKS_AT_ONCE	4		/* chunks that a lane works on at a time */

static __global__ void
SetViewKernel(const __grid_constant__ BitView view, BitView *to)
{
	*to = view;
}

/* AND a candidate's rows in N chunks of the lane, which are 32 chunks apart, and count the bits. */
template <int N>
static __device__ __forceinline__ uint32_t
CountChunks(const BitView *view, const uint32_t *rows, uint32_t length, uint32_t first, uint32_t *plane)
{
	uint4		x[N];
	uint32_t	sum = 0;

#pragma unroll
	for (int i = 0; i < N; i++)
		x[i] = make_uint4(~0u, ~0u, ~0u, ~0u);
	for (uint32_t r = 0; r < length; r++)
	{
		uint32_t	row = rows[r];
		const uint4 *at = view->bits + row * view->stride + first;

		if (row == GPU_NONE)
			break;
#pragma unroll
		for (int i = 0; i < N; i++)
			if (N == 1 || first + i * 32 < view->stride)
				x[i] = AndChunk(x[i], at[i * 32]);
	}
#pragma unroll
	for (int i = 0; i < N; i++)
		if (first + i * 32 < view->stride)
		{
			while (first + i * 32 >= view->planes.end[*plane])
				++*plane;
			sum += CountChunk(x[i]) << view->planes.shift[*plane];
		}
	return sum;
}

/*
 * A warp takes a candidate and a sheet.  The grid's first dimension is candidates, so that a
 * sheet stays in the cache while it is read.
 */
static __global__ void __launch_bounds__(THREADS)
PartialSupportsKernel(const BitView *views, const Addresses addresses, uint32_t first, uint32_t end)
{
	uint32_t	candidate = first + blockIdx.x * WARPS + threadIdx.x / 32;
	const BitView *view = &views[blockIdx.y];
	const uint32_t *rows;
	uint32_t	chunk = threadIdx.x % 32;
	uint32_t	plane = 0;
	uint32_t	sum = 0;

	if (candidate >= end)
		return;
	rows = addresses.rows + (size_t) candidate * addresses.length;
	for (; chunk / 32 * 32 + 32 < view->stride; chunk += 32 * CHUNKS_AT_ONCE)
		sum += CountChunks<CHUNKS_AT_ONCE> (view, rows, addresses.length, chunk, &plane);
	if (chunk < view->stride)
		sum += CountChunks<1> (view, rows, addresses.length, chunk, &plane);
	sum = SumOverLanes(sum);
	if (threadIdx.x % 32 == 0 && sum != 0)
		atomicAdd(&addresses.supports[candidate], sum);
}

/*
 * Fill a sheet's fragments, of which the rows of single items are there.  The row of any other
 * set is the row of the set without its lowest item, ANDed with the row of that item.  A thread
 * does a chunk of all rows of a fragment.
 */
static __global__ void __launch_bounds__(THREADS)
FragmentsKernel(const __grid_constant__ BitView view, uint32_t fragment_rows)
{
	uint32_t	c = blockIdx.x * THREADS + threadIdx.x;
	uint4	   *rows = (uint4 *) view.bits + (uint64_t) blockIdx.y * fragment_rows * view.stride;

	if (c >= view.stride)
		return;
	for (uint32_t set = 3; set <= fragment_rows; set++)
	{
		uint32_t	rest = set & (set - 1);

		if (rest != 0)
			rows[(set - 1) * view.stride + c] =
				AndChunk(rows[(rest - 1) * view.stride + c], rows[((set ^ rest) - 1) * view.stride + c]);
	}
}

void
GminerSetView(const BitView *view, BitView *to, cudaStream_t stream)
{
	SetViewKernel<<<1, 1, 0, stream>>> (*view, to);
}

void
GminerCountPartially(const BitView *views, uint32_t nviews, const Addresses *addresses, uint32_t first,
					 uint32_t end, cudaStream_t stream)
{
	dim3		grid(GpuBlocks(end - first, WARPS), nviews);

	PartialSupportsKernel<<<grid, THREADS, 0, stream>>> (views, *addresses, first, end);
}

void
GminerFillFragments(const BitView *view, uint32_t fragment_rows, uint32_t nfragments, cudaStream_t stream)
{
	dim3		grid(GpuBlocks(view->stride + 1, THREADS), nfragments);

	FragmentsKernel<<<grid, THREADS, 0, stream>>> (*view, fragment_rows);
}

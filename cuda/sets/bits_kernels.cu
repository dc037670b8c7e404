/*-------------------------------------------------------------------------
 *
 * bits_kernels.cu
 *	  Sets as rows of bits, see sets_device.h.
 *
 *-------------------------------------------------------------------------
 */
#include "device.h"
#include "lanes.h"
#include "sets/sets_device.h"

#define THREADS		256
#define WARPS		(THREADS / 32)

/* A block has a tile of TILE by TILE cells, of which each thread has CELLS by CELLS. */
#define TILE			64
#define SIDE_THREADS	16
#define CELLS			(TILE / SIDE_THREADS)

static_assert(SIDE_THREADS * SIDE_THREADS == THREADS, "a thread for each group of cells");

/* A warp for each value. */
static __global__ void __launch_bounds__(THREADS)
PackRowsKernel(DeviceSide side, uint32_t from, uint32_t to, BitStack stack, uint32_t row)
{
	uint32_t	rank = from + blockIdx.x * WARPS + threadIdx.x / 32;

	if (rank >= to)
		return;
	for (uint64_t k = side.start[rank] + threadIdx.x % 32; k < side.start[rank + 1]; k += 32)
	{
		uint32_t	key = side.key[k];
		uint64_t	line = (uint64_t) (key / FIM_SLAB_BITS) * stack.rows + row + (rank - from);

		atomicOr(&stack.lines[line * FIM_LINE_WORDS + key % FIM_SLAB_BITS / 32], 1u << key % 32);
	}
}

/*
 * Loads the lines of n rows of a slab, from row "first" on, to shared memory: word w of row first + i goes to
 * to[w][i].  Fills up to TILE rows with zeros.
 */
static __device__ __forceinline__ void
LoadLines(const BitStack &stack, uint32_t slab, uint32_t first, uint32_t n, uint32_t (*to)[TILE + 1])
{
	const uint32_t *lines = stack.lines + ((uint64_t) slab * stack.rows + first) * FIM_LINE_WORDS;

	for (uint32_t i = threadIdx.x; i < TILE * FIM_LINE_WORDS; i += THREADS)
		to[i % FIM_LINE_WORDS][i / FIM_LINE_WORDS] = i / FIM_LINE_WORDS < n ? lines[i] : 0;
}

static __global__ void __launch_bounds__(THREADS)
AnyKernel(AnyTile tile, uint32_t *count)
{
	__shared__ uint32_t left[FIM_LINE_WORDS][TILE + 1];
	__shared__ uint32_t right[FIM_LINE_WORDS][TILE + 1];
	uint32_t	first_left = blockIdx.y * TILE;
	uint32_t	first_right = blockIdx.x * TILE;
	uint32_t	nleft = min(TILE, tile.nleft - first_left);
	uint32_t	nright = min(TILE, tile.nright - first_right);
	uint32_t	row = threadIdx.x / SIDE_THREADS;
	uint32_t	column = threadIdx.x % SIDE_THREADS;
	uint32_t	common[CELLS][CELLS] = {};

	for (uint32_t slab = 0; slab < tile.stack.slabs; slab++)
	{
		bool		all = true;

		LoadLines(tile.stack, slab, tile.left + first_left, nleft, left);
		LoadLines(tile.stack, slab, tile.right + first_right, nright, right);
		__syncthreads();
#pragma unroll 4
		for (int w = 0; w < FIM_LINE_WORDS; w++)
#pragma unroll
			for (int i = 0; i < CELLS; i++)
#pragma unroll
				for (int j = 0; j < CELLS; j++)
					common[i][j] |= left[w][row + i * SIDE_THREADS] & right[w][column + j * SIDE_THREADS];
		for (int i = 0; i < CELLS; i++)
			for (int j = 0; j < CELLS; j++)
				all = all && (common[i][j] != 0 || row + i * SIDE_THREADS >= nleft || column + j * SIDE_THREADS >= nright);
		/* this also waits until all threads have read the lines, before the next ones are loaded */
		if (__syncthreads_and(all))
			break;
	}
	for (int i = 0; i < CELLS; i++)
		for (int j = 0; j < CELLS; j++)
			if (row + i * SIDE_THREADS < nleft && column + j * SIDE_THREADS < nright)
				count[(first_left + row + i * SIDE_THREADS) * tile.stride + first_right + column + j * SIDE_THREADS] =
					common[i][j] != 0;
}

static __global__ void __launch_bounds__(THREADS)
CountSelvesKernel(DeviceSide side, uint32_t first, uint32_t n, uint32_t least, uint32_t *count, uint64_t stride)
{
	uint32_t	i = blockIdx.x * THREADS + threadIdx.x;

	if (i < n)
	{
		uint32_t	size = SizeOf(side, first + i);

		count[i * stride + i] = size >= least ? size : 0;
	}
}

static __global__ void __launch_bounds__(THREADS)
TallySelvesKernel(DeviceSide side, uint32_t first, uint32_t n, uint32_t least, unsigned long long *results)
{
	uint32_t	i = blockIdx.x * THREADS + threadIdx.x;
	uint32_t	sum = SumOverBlock<THREADS>(i < n && SizeOf(side, first + i) >= least);

	if (threadIdx.x == 0 && sum > 0)
		atomicAdd(results, (unsigned long long) sum);
}

/* ---- the host's side ---- */

cudaError_t
PackRows(GpuDevice *device, const DeviceSide *side, uint32_t from, uint32_t to, const BitStack *stack, uint32_t row)
{
	PackRowsKernel<<<GpuBlocks(to - from, WARPS), THREADS, 0, device->streams[GPU_COUNT]>>>(*side, from, to, *stack, row);
	return GpuLaunched(device, "making bits of sets");
}

cudaError_t
AnyInCommon(GpuDevice *device, const AnyTile *tile, uint32_t *count)
{
	dim3		grid(GpuBlocks(tile->nright, TILE), GpuBlocks(tile->nleft, TILE));

	AnyKernel<<<grid, THREADS, 0, device->streams[GPU_COUNT]>>>(*tile, count);
	return GpuLaunched(device, "looking for common bits");
}

cudaError_t
CountSelves(GpuDevice *device, const DeviceSide *side, uint32_t first, uint32_t n, uint32_t least, uint32_t *count,
			uint64_t stride)
{
	CountSelvesKernel<<<GpuBlocks(n, THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>
		(*side, first, n, least, count, stride);
	return GpuLaunched(device, "counting keys of sets");
}

cudaError_t
TallySelves(GpuDevice *device, const DeviceSide *side, uint32_t first, uint32_t n, uint32_t least,
			unsigned long long *results)
{
	TallySelvesKernel<<<GpuBlocks(n, THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>(*side, first, n, least, results);
	return GpuLaunched(device, "counting keys of sets");
}

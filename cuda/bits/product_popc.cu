/*-------------------------------------------------------------------------
 *
 * product_popc.cu
 *	  Products with AND and POPC, for devices without 1-bit tensor cores (before
 *	  sm_80 and, as there they are emulated, after sm_90).
 *
 * POPC is four times slower than logic, so two words go through it at a time.  A full adder
 * takes the two words and the bits that are left over from before.  It leaves bits of the same
 * weight for the next time, and only its carries are counted, twice each.  With more adders,
 * logic would be the limit.
 *
 * A thread block counts a tile of TILE by TILE pairs, and a thread 4 by 4 of them, from
 * slabs in shared memory.  Small tiles have too few pairs for all threads.  There the
 * chunks of 128 columns are dealt out to several parties of threads, and what they
 * counted is added up in shared memory.
 *
 *-------------------------------------------------------------------------
 */
#include "bits/product_kernel.h"

#define THREADS		256
#define LINE_SIZE	9			/* chunks; one more than a line has, against bank conflicts */

template <int TILE>
struct Parties
{
	static const int side = TILE / 4; /* threads along a side of the tile */
	static const int size = side * side;
	static const int number = THREADS / size;
	static const int slabs = number > 8 ? number / 8 : 1; /* slabs in shared memory at a time */
	static const int counts = TILE * TILE / THREADS; /* that a thread has in the end */
};

/* A count of a pair: bits of weight one, and the number of bits of weight two. */
struct Count
{
	uint32_t	ones;
	uint32_t	twos;
};

static __device__ __forceinline__ void
AddWords(Count &count, uint32_t x, uint32_t y)
{
	uint32_t	carry = (count.ones & x) | (count.ones & y) | (x & y);

	count.ones ^= x ^ y;
	count.twos += __popc(carry);
}

static __device__ __forceinline__ void
AddChunk(Count &count, const uint4 &left, const uint4 &right)
{
	AddWords(count, left.x & right.x, left.y & right.y);
	AddWords(count, left.z & right.z, left.w & right.w);
}

/* Add a chunk to a thread's 4 by 4 pairs.  Its four rows are "side" lines apart, and so are its columns. */
template <int TILE>
static __device__ __forceinline__ void
CountChunks(Count (&counts)[16], const uint4 *left, const uint4 *right)
{
	const int	step = Parties<TILE>::side * LINE_SIZE;
	uint4		rows[4];

#pragma unroll
	for (int i = 0; i < 4; i++)
		rows[i] = left[i * step];
#pragma unroll
	for (int j = 0; j < 4; j++)
	{
		uint4		column = right[j * step];

#pragma unroll
		for (int i = 0; i < 4; i++)
			AddChunk(counts[i * 4 + j], rows[i], column);
	}
}

template <int TILE>
static __device__ __forceinline__ void
LoadTile(uint4 *to, const uint4 *slab, uint32_t row, uint32_t rows, uint32_t slabs)
{
	for (uint32_t i = threadIdx.x; i < Parties<TILE>::slabs * TILE * 8; i += THREADS)
	{
		uint32_t	line = i / 8 % TILE;
		uint32_t	s = i / 8 / TILE;
		bool		there = s < slabs && row + line < rows;

		to[i / 8 * LINE_SIZE + i % 8] = there ?
			slab[((size_t) s * rows + row + line) * 8 + i % 8] : uint4 {0, 0, 0, 0};
	}
}

template <int TILE>
static __device__ __forceinline__ void
CountSlabs(Count (&counts)[16], uint4 (&shared)[2][Parties<TILE>::slabs * TILE * LINE_SIZE],
		   const uint4 *slab, uint32_t rows, const FimRange &range)
{
	const int	at_a_time = Parties<TILE>::slabs;
	uint32_t	party = threadIdx.x / Parties<TILE>::size;
	uint32_t	left = threadIdx.x % Parties<TILE>::size / Parties<TILE>::side * LINE_SIZE;
	uint32_t	right = threadIdx.x % Parties<TILE>::side * LINE_SIZE;

	for (uint32_t s = 0; s < range.slabs; s += at_a_time)
	{
		LoadTile<TILE> (shared[0], slab, range.row, rows, range.slabs - s);
		LoadTile<TILE> (shared[1], slab, range.column, rows, range.slabs - s);
		__syncthreads();
		for (uint32_t p = party; p < at_a_time * 8; p += Parties<TILE>::number)
		{
			uint32_t	at = p / 8 * TILE * LINE_SIZE + p % 8;

			CountChunks<TILE> (counts, shared[0] + at + left, shared[1] + at + right);
		}
		__syncthreads();
		slab += (size_t) at_a_time * rows * 8;
	}
}

/*
 * Where a thread's counts are in the tile.  With one party they are 4 by 4 pairs of its own,
 * otherwise every THREADS-th count.
 */
template <int TILE>
struct Spread
{
	uint32_t	row;
	uint32_t	column;

	__device__ uint32_t Row(int i) const
	{
		if (Parties<TILE>::number == 1)
			return row + threadIdx.x / Parties<TILE>::side + i / 4 * Parties<TILE>::side;
		return row + (threadIdx.x + i * THREADS) / TILE;
	}

	__device__ uint32_t Column(int i) const
	{
		if (Parties<TILE>::number == 1)
			return column + threadIdx.x % Parties<TILE>::side + i % 4 * Parties<TILE>::side;
		return column + threadIdx.x % TILE;
	}

	__device__ bool Inside(int i, uint32_t rows) const
	{
		return false;			/* a thread has few counts: look at each */
	}

	__device__ bool InTarget(int i, uint32_t begin, uint32_t nrows, uint32_t first_column) const
	{
		return false;
	}
};

/* Add up what all parties counted, and spread the tile's counts over all threads. */
template <int TILE>
static __device__ __forceinline__ void
AddParties(uint32_t *sums, const Count (&counts)[16], uint32_t *shared)
{
	uint32_t	member = threadIdx.x % Parties<TILE>::size;
	uint32_t	row = member / Parties<TILE>::side;
	uint32_t	column = member % Parties<TILE>::side;

	for (uint32_t i = threadIdx.x; i < TILE * TILE; i += THREADS)
		shared[i] = 0;
	__syncthreads();
#pragma unroll
	for (int i = 0; i < 16; i++)
		atomicAdd(&shared[(row + i / 4 * Parties<TILE>::side) * TILE +
						  column + i % 4 * Parties<TILE>::side],
				  2 * counts[i].twos + __popc(counts[i].ones));
	__syncthreads();
#pragma unroll
	for (int i = 0; i < Parties<TILE>::counts; i++)
		sums[i] = shared[threadIdx.x + i * THREADS];
}

/* Add up what the thread blocks that share the tile counted.  Returns true in the last of these blocks. */
template <int TILE>
static __device__ __forceinline__ bool
MergeBlocks(uint32_t *counts, const FimLaunch &launch, const FimRange &range)
{
	uint32_t   *sums = launch.sums + (size_t) range.sums * TILE * TILE;
	int			last = 0;

	AddSums<Parties<TILE>::counts, THREADS> (counts, sums, threadIdx.x);
	__syncthreads();
	if (threadIdx.x == 0)
		last = DrawTicket(&launch.tickets[range.sums * FIM_TICKETS], range.parts);
	if (!__syncthreads_or(last))
		return false;
	TakeSums<Parties<TILE>::counts, THREADS> (counts, sums, threadIdx.x);
	return true;
}

template <int TILE, bool TALLY>
static __global__ void __launch_bounds__(THREADS)
PopcKernel(const __grid_constant__ FimLaunch launch)
{
	__shared__ uint4 shared[2][Parties<TILE>::slabs * TILE * LINE_SIZE];
	FimRange	range = launch.ranges[blockIdx.x];
	FimMatrix	of = launch.matrices[range.of];
	Count		counts[16] = {};
	uint32_t	sums[Parties<TILE>::counts];

	CountSlabs<TILE> (counts, shared, launch.lines + (of.line + (uint64_t) range.slab * of.rows) * 8,
					  of.rows, range);
	if constexpr (Parties<TILE>::number == 1)
	{
#pragma unroll
		for (int i = 0; i < 16; i++)
			sums[i] = 2 * counts[i].twos + __popc(counts[i].ones);
	}
	else
		AddParties<TILE> (sums, counts, (uint32_t *) shared);
	if (range.parts == 1 || MergeBlocks<TILE> (sums, launch, range))
		Emit<Parties<TILE>::counts, TALLY> (sums, Spread<TILE> {range.row, range.column},
										  TargetOf(launch, of.count, of.rows, of.skip));
}

template <int TILE, bool TALLY = false>
static cudaError_t
LaunchPopc(const FimLaunch *launch, int processors, cudaStream_t stream)
{
	PopcKernel<TILE, TALLY> <<<launch->nranges, THREADS, 0, stream>>> (*launch);
	return cudaGetLastError();
}

const FimProductKernel FimPopcKernels[] = {
	{16, 16, 16, 16 * 16, 4, 4, LaunchPopc<16>, NULL},
	{32, 32, 32, 32 * 32, 4, 4, LaunchPopc<32>, NULL},
	{UINT32_MAX, 64, 64, 64 * 64, 4, 4, LaunchPopc<64>, LaunchPopc<64, true>}
};

/*-------------------------------------------------------------------------
 *
 * product_mma.cu
 *	  Products with the 1-bit mma.sync of sm_80 to sm_90.
 *
 * An m16n8k256 multiplies 16 rows with 8 rows over 256 columns.  The order in which the 256
 * columns are taken does not matter if it is the same for both operands.  So each lane takes 16
 * bytes of a row at a time, a quarter of 512 columns, which is its part of the operands of two
 * instructions.  And the registers in which lanes hold 16 rows as the left operand are those in
 * which they hold two times 8 rows as right operands.
 *
 * So matrices of up to 64 rows are streamed: a warp loads a slab from memory straight into
 * registers, once, and multiplies it with itself.  Each bit that is read is used 7.5 times with
 * 16 rows, and 31.5 times with 64 rows, and memory is the limit.
 *
 * Larger matrices are cut into tiles of 128 by 128 rows, which go through shared memory.  A
 * block of eight warps does a tile, and each warp has the counts of 64 by 32 pairs in its
 * registers.  Shared memory has room for three slabs.
 *
 *-------------------------------------------------------------------------
 */
#include "bits/product_kernel.h"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && __CUDA_ARCH__ < 1000
#define HAS_MMA
#endif

#ifdef HAS_MMA
static __device__ const int compiled = 1;
#else
static __device__ const int compiled = 0;
#endif

#define STREAM_WARPS	4

#define TILE			128
#define TILE_WARPS		8
#define TILE_STAGES		3
#define STAGE_LINES		(2 * TILE)

/* A lane's part of 256 columns of a row: the low and the high half. */
struct Half
{
	uint32_t	low;
	uint32_t	high;
};

static __device__ __forceinline__ void
Mma(uint32_t *d, Half top, Half bottom, Half right)
{
#ifdef HAS_MMA
	asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc "
		"{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
		: "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
		: "r"(top.low), "r"(bottom.low), "r"(top.high), "r"(bottom.high),
		"r"(right.low), "r"(right.high));
#endif
}

/* The 16 bytes that a lane loads at a time are two halves. */
static __device__ __forceinline__ Half
HalfOf(const uint4 &chunk, int which)
{
	return which == 0 ? Half {chunk.x, chunk.y} : Half {chunk.z, chunk.w};
}

/*
 * A lane's counts for a matrix of up to 16 * G rows: for each group of 16 rows, the counts with
 * the rows of this group and of all later groups.
 */
template <int G>
struct StreamCounts
{
	static const int size = 4 * G * (G + 1);

	/* where the counts of the rows from 16 * a on begin */
	static __device__ constexpr int At(int a)
	{
		return 4 * (a * 2 * G - a * (a - 1));
	}
};

template <int G>
static __device__ __forceinline__ void
MultiplySlab(uint32_t *counts, const uint4 (&chunk)[2 * G][2])
{
#pragma unroll
	for (int p = 0; p < 4; p++)
	{
#pragma unroll
		for (int a = 0; a < G; a++)
		{
#pragma unroll
			for (int b = 2 * a; b < 2 * G; b++)
				Mma(counts + StreamCounts<G>::At(a) + 4 * (b - 2 * a),
					HalfOf(chunk[2 * a][p / 2], p % 2), HalfOf(chunk[2 * a + 1][p / 2], p % 2),
					HalfOf(chunk[b][p / 2], p % 2));
		}
	}
}

/* Slabs that a warp loads before it multiplies. */
template <int G>
static __device__ constexpr int
Depth()
{
	return G == 1 ? 4 : G == 2 ? 2 : 1;
}

template <int G>
static __device__ __forceinline__ void
StreamSlabs(uint32_t *counts, const uint4 *at, size_t slab_size, uint32_t slabs, uint32_t rows)
{
	uint32_t	row = threadIdx.x % 32 / 4;
	uint4		chunk[Depth<G>()][2 * G][2];

	at += row * 8 + threadIdx.x % 4;
	for (; slabs > 0; slabs -= min(slabs, (uint32_t) Depth<G>()))
	{
#pragma unroll
		for (int s = 0; s < Depth<G>(); s++)
		{
#pragma unroll
			for (int r = 0; r < 2 * G; r++)
			{
				bool		there = s < slabs && row + 8 * r < rows;

				chunk[s][r][0] = there ? __ldcs(at + r * 64) : uint4 {0, 0, 0, 0};
				chunk[s][r][1] = there ? __ldcs(at + r * 64 + 4) : uint4 {0, 0, 0, 0};
			}
			at += slab_size;
		}
		__syncwarp();			/* all reads come first: that many of them are on their way makes it fast */
#pragma unroll
		for (int s = 0; s < Depth<G>(); s++)
			MultiplySlab<G>(counts, chunk[s]);
	}
}

template <int G>
static __device__ __forceinline__ void
EmitStream(const uint32_t *counts, const CountTarget &target)
{
	uint32_t	row = threadIdx.x % 32 / 4;
	uint32_t	column = threadIdx.x % 4 * 2;

	Emit<8 * G> (counts, Fragment {row, column}, target);
	if constexpr (G > 1)
		Emit<8 * G - 8> (counts + StreamCounts<G>::At(1), Fragment {row + 16, column + 16}, target);
	if constexpr (G > 2)
	{
		Emit<8 * G - 16> (counts + StreamCounts<G>::At(2), Fragment {row + 32, column + 32}, target);
		Emit<8 * G - 24> (counts + StreamCounts<G>::At(3), Fragment {row + 48, column + 48}, target);
	}
}

/* Add up what the warps that share the matrix counted.  Returns true in the last of these warps. */
template <int N>
static __device__ __forceinline__ bool
MergeWarps(uint32_t *counts, const FimLaunch &launch, const FimRange &range)
{
	uint32_t   *sums = launch.sums + (size_t) range.sums * N * 32;
	uint32_t	lane = threadIdx.x % 32;
	int			last = 0;

	AddSums<N, 32> (counts, sums, lane);
	__syncwarp();
	if (lane == 0)
		last = DrawTicket(&launch.tickets[range.sums * FIM_TICKETS], range.parts);
	if (!__shfl_sync(~0u, last, 0))
		return false;
	TakeSums<N, 32> (counts, sums, lane);
	return true;
}

template <int G>
static __global__ void __launch_bounds__(STREAM_WARPS * 32)
StreamKernel(const __grid_constant__ FimLaunch launch)
{
	uint32_t	index = blockIdx.x * STREAM_WARPS + threadIdx.x / 32;
	uint32_t	counts[StreamCounts<G>::size] = {};

	if (index >= launch.nranges)
		return;

	FimRange	range = launch.ranges[index];
	FimMatrix	of = launch.matrices[range.of];

	StreamSlabs<G> (counts, launch.lines + (of.line + (uint64_t) range.slab * of.rows) * 8,
					(size_t) of.rows * 8, range.slabs, of.rows);
	if (range.parts > 1 && !MergeWarps<StreamCounts<G>::size> (counts, launch, range))
		return;
	EmitStream<G> (counts, TargetOf(launch, of.count, of.rows, of.skip));
}

/*
 * Where a chunk of a line is in shared memory.  In every second line, the two halves of the
 * line are swapped, so that eight lanes that load four chunks of two lines find them in all 32
 * banks.
 */
static __device__ __forceinline__ uint32_t
TilePlace(uint32_t line, uint32_t chunk)
{
	return line * 8 + (chunk ^ (line % 2 * 4));
}

static __device__ __forceinline__ void
CopyAsync(uint4 *to, const uint4 *from, bool there)
{
#ifdef HAS_MMA
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
				 :: "r"((uint32_t) __cvta_generic_to_shared(to)), "l"(from), "r"(there ? 16 : 0)
				 : "memory");
#endif
}

static __device__ __forceinline__ void
CommitCopies()
{
#ifdef HAS_MMA
	asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

template <int PENDING>
static __device__ __forceinline__ void
WaitForCopies()
{
#ifdef HAS_MMA
	asm volatile("cp.async.wait_group %0;" :: "n"(PENDING) : "memory");
#endif
}

/* Start copying TILE lines of a slab.  Lines beyond the matrix's last row become zero. */
static __device__ __forceinline__ void
CopyTile(uint4 *to, const uint4 *slab, uint32_t row, uint32_t rows)
{
	for (uint32_t i = threadIdx.x; i < TILE * 8; i += TILE_WARPS * 32)
	{
		bool		there = row + i / 8 < rows;

		CopyAsync(&to[TilePlace(i / 8, i % 8)], slab + (there ? (size_t) row * 8 + i : 0), there);
	}
}

/* Count a warp's 64 by 32 pairs in the slab of a stage. */
static __device__ __forceinline__ void
MultiplyStage(uint32_t (&counts)[4][16], const uint4 *left, const uint4 *right)
{
	uint32_t	row = threadIdx.x % 32 / 4;

#pragma unroll
	for (int p = 0; p < 2; p++)
	{
		uint32_t	at = p * 4 + threadIdx.x % 4;
		uint4		rows[8];

#pragma unroll
		for (int r = 0; r < 8; r++)
			rows[r] = left[TilePlace(row + 8 * r, at)];
#pragma unroll
		for (int b = 0; b < 4; b++)
		{
			uint4		column = right[TilePlace(row + 8 * b, at)];

#pragma unroll
			for (int h = 0; h < 2; h++)
#pragma unroll
				for (int a = 0; a < 4; a++)
					Mma(counts[a] + 4 * b, HalfOf(rows[2 * a], h), HalfOf(rows[2 * a + 1], h),
						HalfOf(column, h));
		}
	}
}

static __device__ __forceinline__ void
MultiplyTile(uint32_t (&counts)[4][16], uint4 *stages, const uint4 *slab, uint32_t rows,
			 const FimRange &range, uint32_t left, uint32_t right)
{
	size_t		slab_size = (size_t) rows * 8;

	for (uint32_t s = 0; s < TILE_STAGES - 1 + range.slabs; s++)
	{
		if (s >= TILE_STAGES - 1)
		{
			WaitForCopies<TILE_STAGES - 2> ();
			__syncthreads();
		}
		if (s < range.slabs)
		{
			uint4	   *to = stages + s % TILE_STAGES * STAGE_LINES * 8;

			CopyTile(to, slab + s * slab_size, range.row, rows);
			CopyTile(to + TILE * 8, slab + s * slab_size, range.column, rows);
		}
		CommitCopies();
		if (s >= TILE_STAGES - 1)
		{
			const uint4 *stage = stages + (s - TILE_STAGES + 1) % TILE_STAGES * STAGE_LINES * 8;

			MultiplyStage(counts, stage + left * 8, stage + (TILE + right) * 8);
		}
	}
}

/* Like MergeWarps(), for a thread block and its tile. */
static __device__ __forceinline__ bool
MergeTiles(uint32_t (&counts)[4][16], const FimLaunch &launch, const FimRange &range)
{
	uint32_t   *sums = launch.sums + (size_t) range.sums * TILE * TILE;
	int			last = 0;

#pragma unroll
	for (int a = 0; a < 4; a++)
		AddSums<16, TILE_WARPS * 32> (counts[a], sums + a * 16 * TILE_WARPS * 32, threadIdx.x);
	__syncthreads();
	if (threadIdx.x == 0)
		last = DrawTicket(&launch.tickets[range.sums * FIM_TICKETS], range.parts);
	if (!__syncthreads_or(last))
		return false;
#pragma unroll
	for (int a = 0; a < 4; a++)
		TakeSums<16, TILE_WARPS * 32> (counts[a], sums + a * 16 * TILE_WARPS * 32, threadIdx.x);
	return true;
}

template <bool TALLY>
static __global__ void __launch_bounds__(TILE_WARPS * 32, 2)
TileKernel(const __grid_constant__ FimLaunch launch)
{
	extern __shared__ uint4 stages[];
	__shared__ FimRange range;
	__shared__ FimMatrix of;
	uint32_t	counts[4][16] = {};
	uint32_t	left = threadIdx.x / 128 * 64;
	uint32_t	right = threadIdx.x / 32 % 4 * 32;

	if (threadIdx.x == 0)
	{
		range = launch.ranges[blockIdx.x];
		of = launch.matrices[range.of];
	}
	__syncthreads();
	MultiplyTile(counts, stages, launch.lines + (of.line + (uint64_t) range.slab * of.rows) * 8,
				 of.rows, range, left, right);
	if (range.parts > 1 && !MergeTiles(counts, launch, range))
		return;

	CountTarget	target = TargetOf(launch, of.count, of.rows, of.skip);
	uint32_t	row = range.row + left + threadIdx.x % 32 / 4;
	uint32_t	column = range.column + right + threadIdx.x % 4 * 2;

#pragma unroll
	for (int a = 0; a < 4; a++)
		Emit<16, TALLY> (counts[a], Fragment {row + 16 * a, column}, target);
}

template <int G>
static cudaError_t
LaunchStream(const FimLaunch *launch, int processors, cudaStream_t stream)
{
	uint32_t	blocks = (launch->nranges + STREAM_WARPS - 1) / STREAM_WARPS;

	StreamKernel<G> <<<blocks, STREAM_WARPS * 32, 0, stream>>> (*launch);
	return cudaGetLastError();
}

template <bool TALLY>
static cudaError_t
LaunchTile(const FimLaunch *launch, int processors, cudaStream_t stream)
{
	const int	shared = TILE_STAGES * STAGE_LINES * FIM_LINE_BYTES;
	cudaError_t error;

	error = cudaFuncSetAttribute(TileKernel<TALLY>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
	if (error != cudaSuccess)
		return error;
	TileKernel<TALLY> <<<launch->nranges, TILE_WARPS * 32, shared, stream>>> (*launch);
	return cudaGetLastError();
}

const FimProductKernel FimMmaKernels[] = {
	{16, 16, 16, StreamCounts<1>::size * 32, 2, 16, LaunchStream<1>, NULL},
	{32, 32, 32, StreamCounts<2>::size * 32, 2, 16, LaunchStream<2>, NULL},
	{64, 64, 64, StreamCounts<4>::size * 32, 2, 12, LaunchStream<4>, NULL},
	{UINT32_MAX, TILE, TILE, TILE * TILE, 4, 2, LaunchTile<false>, LaunchTile<true>}
};

cudaError_t
FimMmaCompiled(int *result)
{
	return cudaMemcpyFromSymbol(result, compiled, sizeof(compiled));
}

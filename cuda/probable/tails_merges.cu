/*-------------------------------------------------------------------------
 *
 * tails_merges.cu
 *	  Merging the nodes of a level, see tails.h.
 *
 * A warp computes a tile of the product of two nodes x and y, 256 coefficients: eight
 * rows of 32.  Coefficient s of row r is the sum over u of
 *
 *		x[s + u] * y[32 r - u]
 *
 * where x and y begin at the tile's first coefficient.  That is a product of matrices: the
 * left one has y[32 r - u] in row r and column u, the right one x[s + u] in row u and
 * column s.  So tensor cores can do it (mma.m8n8k4, each of whose steps rounds as fma()
 * does), and each value of x that a lane has loaded serves all four of its multiplications.
 * Other GPUs multiply the same terms one by one.
 *
 *-------------------------------------------------------------------------
 */
#include "probable/tails_device.h"

#define ROW			32			/* coefficients of a row */
#define ROWS		8			/* of a tile */
#define TILE		(ROW * ROWS)
#define PARTS		(ROW / 8)	/* of a row, each of which a mma does */
#define STORED_ROW	(ROW + 4)	/* in shared memory, so that rows are in different banks */

#define FEW_WARPS	2			/* of a block, for products of no more tiles; ... */
#define WARPS		4			/* ... and otherwise */

static_assert(ROW % TAIL_TERMS == 0 && TAIL_CHUNK % ROW == 0, "rows, sums and chunks fit together");

/* The lane's coefficients: of its row lane / 4, two of each part from 2 * (lane % 4) on. */
struct Tile
{
	double		of[PARTS][2];
};

static __device__ __forceinline__ void
ClearTile(Tile &tile)
{
#pragma unroll
	for (int part = 0; part < PARTS; part++)
		tile.of[part][0] = tile.of[part][1] = 0;
}

static __device__ __forceinline__ void
AddTile(Tile &sum, const Tile &tile)
{
#pragma unroll
	for (int part = 0; part < PARTS; part++)
	{
		sum.of[part][0] += tile.of[part][0];
		sum.of[part][1] += tile.of[part][1];
	}
}

/* ---- products ---- */

/*
 * Adds the terms of TAIL_TERMS values of u: "x" has what the tile's first coefficient takes of
 * the first one, "y" what the lane's row takes of it.
 */
static __device__ __forceinline__ void
AddTerms(Tile &tile, const double *x, const double *y)
{
	uint32_t	group = LaneNumber() / 4;
	uint32_t	member = LaneNumber() % 4;

#if __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000
#pragma unroll
	for (int u = 0; u < TAIL_TERMS; u += 4)
	{
		double		a = y[-u - (int) member];

#pragma unroll
		for (int part = 0; part < PARTS; part++)
			asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
				: "+d"(tile.of[part][0]), "+d"(tile.of[part][1])
				: "d"(a), "d"(x[part * 8 + u + group + member]));
	}
#else
	(void) group;
#pragma unroll
	for (int u = 0; u < TAIL_TERMS; u++)
#pragma unroll
		for (int part = 0; part < PARTS; part++)
			for (int i = 0; i < 2; i++)
				tile.of[part][i] = fma(x[part * 8 + u + 2 * member + i], y[-u], tile.of[part][i]);
#endif
}

/* The terms of as many values of u as a row has coefficients. */
static __device__ __forceinline__ void
AddRow(Tile &sum, const double *x, const double *y)
{
#pragma unroll
	for (int u = 0; u < ROW; u += TAIL_TERMS)
	{
		Tile		terms;

		ClearTile(terms);
		AddTerms(terms, x + u, y - u);
		AddTile(sum, terms);
	}
}

/* A node's coefficient; those that it lacks are 0. */
static __device__ __forceinline__ double
CoefficientOf(const Node &node, int at)
{
	return at >= 0 && at < (int) node.n * PIECE ? node.pieces[at] : 0;
}

/* N coefficients of a node from "from" on to shared memory, in rows so far apart; loads do not wait for each other. */
template <int N, int THREADS, int STRIDE>
static __device__ __forceinline__ void
Stage(double *to, const Node &node, int from)
{
	constexpr int each = (N + THREADS - 1) / THREADS;
	double		values[each];

#pragma unroll
	for (int i = 0; i < each; i++)
		values[i] = CoefficientOf(node, from + (int) threadIdx.x + i * THREADS);
#pragma unroll
	for (int i = 0; i < each; i++)
	{
		int			at = threadIdx.x + i * THREADS;

		if (at < N)
			to[at / ROW * STRIDE + at % ROW] = values[i];
	}
}

/* Whether values of u from "from" on, a row's worth, have a share in the tile that begins at "first". */
static __device__ __forceinline__ bool
IsUsed(const Node &x, const Node &y, int first, int from)
{
	return from < (int) x.n * PIECE && from <= first + TILE - ROW && from + ROW > first - (int) y.n * PIECE + 1;
}

/* The warp's tile of a product, where the block's first coefficient is "base". */
template <int BLOCK_WARPS>
static __device__ __forceinline__ void
MultiplyNodes(const Node &x, const Node &y, int base, Tile &sum)
{
	constexpr int threads = BLOCK_WARPS * 32;
	constexpr int block_rows = BLOCK_WARPS * ROWS;
	constexpr int stored_rows = block_rows + TAIL_CHUNK / ROW - 1;
	__shared__ double of_x[TAIL_CHUNK + ROW];
	__shared__ double of_y[stored_rows * STORED_ROW];
	int			warp = threadIdx.x / 32;
	int			row = warp * ROWS + LaneNumber() / 4;
	int			from = max(base - (int) y.n * PIECE + 1, -ROW) & ~(ROW - 1);
	int			end = min((int) x.n * PIECE, base + (block_rows - 1) * ROW + 1);

	ClearTile(sum);
	for (int chunk = from; chunk < end; chunk += TAIL_CHUNK)
	{
		Tile		of_chunk;

		Stage<TAIL_CHUNK + ROW, threads, ROW>(of_x, x, chunk);
		Stage<stored_rows * ROW, threads, STORED_ROW>(of_y, y, base - chunk - TAIL_CHUNK + 1);
		__syncthreads();
		ClearTile(of_chunk);
		for (int u = 0; u < TAIL_CHUNK; u += ROW)
			if (IsUsed(x, y, base + warp * TILE, chunk + u))
				AddRow(of_chunk, of_x + u, of_y + (row + (TAIL_CHUNK - u) / ROW - 1) * STORED_ROW + ROW - 1);
		AddTile(sum, of_chunk);
		__syncthreads();
	}
}

/* ---- nodes ---- */

/* The itemset whose nodes "number" is one of: the last of n that begins at it or before it. */
static __device__ __forceinline__ uint32_t
ItemsetAt(const uint32_t *starts, uint32_t n, uint32_t number)
{
	uint32_t	low = 0;

	/* a warp looks at 32 places at a time */
	while (n > 1)
	{
		uint32_t	step = (n + 31) / 32;
		uint32_t	at = LaneNumber() * step;
		uint32_t	past = __popc(__ballot_sync(ALL_LANES, at < n && starts[low + at] <= number)) - 1;

		low += past * step;
		n = min(step, n - past * step);
	}
	return low;
}

/* Write the warp's tile, and tell which pieces of the node are kept. */
static __device__ __forceinline__ void
StoreTile(const TailNodes &nodes, uint32_t number, uint32_t npieces, int first, const Tile &tile)
{
	uint32_t	piece = (first + LaneNumber() / 4 * ROW) / PIECE;
	double	   *to = nodes.slots + ((uint64_t) number * nodes.slot_pieces + piece) * PIECE + LaneNumber() % 4 * 2;
	uint32_t	kept_first = UINT32_MAX;
	uint32_t	kept_end = 0;

#pragma unroll
	for (int part = 0; part < PARTS; part++)
	{
		double		greatest = fmax(tile.of[part][0], tile.of[part][1]);

		if (piece + part < npieces)
			*(double2 *) (to + part * PIECE) = make_double2(tile.of[part][0], tile.of[part][1]);
		greatest = fmax(greatest, __shfl_xor_sync(ALL_LANES, greatest, 1));
		greatest = fmax(greatest, __shfl_xor_sync(ALL_LANES, greatest, 2));
		if (greatest >= TAIL_DROPPED)
		{
			kept_first = min(kept_first, piece + part);
			kept_end = piece + part + 1;
		}
	}
	for (int step = 4; step < 32; step *= 2)
	{
		kept_first = min(kept_first, __shfl_xor_sync(ALL_LANES, kept_first, step));
		kept_end = max(kept_end, __shfl_xor_sync(ALL_LANES, kept_end, step));
	}
	if (LaneNumber() == 0 && kept_end > 0)
	{
		atomicMin(&nodes.first[number], kept_first);
		atomicMax(&nodes.end[number], kept_end);
	}
}

/* A node that has no partner goes up as it is. */
static __device__ __forceinline__ void
CopyNode(const TailNodes &nodes, uint32_t number, const Node &node, uint32_t base, uint32_t n)
{
	double	   *to = nodes.slots + (uint64_t) number * nodes.slot_pieces * PIECE;

	for (uint32_t i = base + threadIdx.x; i < base + n && i < node.n * PIECE; i += blockDim.x)
		to[i] = node.pieces[i];
	if (base > 0 || threadIdx.x > 0)
		return;
	nodes.offset[number] = node.offset;
	nodes.first[number] = 0;
	nodes.end[number] = node.n;
}

/* Whether so many nodes of an itemset are its nodes on the level above, too. */
static __device__ __forceinline__ bool
StaysSame(uint32_t n)
{
	return n <= 2;
}

/* A row of blocks for each node of the level above. */
template <int BLOCK_WARPS>
static __global__ void __launch_bounds__(BLOCK_WARPS * 32)
MergeKernel(TailShare share, TailNodes nodes, TailNodes above, uint32_t first)
{
	uint32_t	number = first + blockIdx.x;
	uint32_t	base = blockIdx.y * BLOCK_WARPS * TILE;
	uint32_t	itemset = ItemsetAt(share.above, share.n, number);
	uint32_t	n = share.start[itemset + 1] - share.start[itemset];
	uint32_t	of = number - share.above[itemset];
	Node		x = NodeIn(nodes, share.start[itemset] + (StaysSame(n) ? of : 2 * of));
	Node		y;
	Tile		tile;

	if (StaysSame(n) || 2 * of + 1 == n)
	{
		CopyNode(above, number, x, base, BLOCK_WARPS * TILE);
		return;
	}
	y = NodeIn(nodes, share.start[itemset] + 2 * of + 1);
	if (base >= (x.n + y.n) * PIECE)
		return;
	MultiplyNodes<BLOCK_WARPS>(x, y, (int) base, tile);
	if (base == 0 && threadIdx.x == 0)
		above.offset[number] = x.offset + y.offset;
	StoreTile(above, number, x.n + y.n, (int) (base + threadIdx.x / 32 * TILE), tile);
}

cudaError_t
LaunchMerges(GpuDevice *device, const TailShare *share, const TailNodes *nodes, const TailNodes *above,
			 uint32_t from, uint32_t n)
{
	uint32_t	coefficients = above->slot_pieces * PIECE;
	cudaStream_t stream = device->streams[GPU_COUNT];

	if (coefficients <= FEW_WARPS * TILE)
		MergeKernel<FEW_WARPS><<<n, FEW_WARPS * 32, 0, stream>>>(*share, *nodes, *above, from);
	else
		MergeKernel<WARPS><<<dim3(n, GpuBlocks(coefficients, WARPS * TILE)), WARPS * 32, 0, stream>>>
			(*share, *nodes, *above, from);
	return GpuLaunched(device, "convolving distributions");
}

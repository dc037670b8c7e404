/*-------------------------------------------------------------------------
 *
 * tails_merges.cu
 *	  Merging the nodes of a level, see tails.h.
 *
 * A warp computes a tile of the product of two nodes x and y: 16 rows of 16 or 32
 * coefficients.  Let R be the length of a row, and f the number of the tile's first
 * coefficient in the product.  Then coefficient s of row r is the sum over u of
 *
 *		x[s + u] * y[f + R r - u]
 *
 * That is a product of matrices: the left one has y[f + R r - u] in row r and column u, the
 * right one x[s + u] in row u and column s.  So tensor cores can do it.  They round each
 * step as fma() does (PTX ISA, mma with .f64).  Other GPUs multiply the same terms one by
 * one.
 *
 *-------------------------------------------------------------------------
 */
#include "probable/tails_device.h"

#define ROWS		16			/* of a tile */
#define NARROW		2			/* parts of a row in small products; a part has eight coefficients */
#define WIDE		4			/* parts of a row in large products: longer rows load less for each term */
#define FEW_WARPS	2			/* warps of a block, if that many narrow tiles hold a product */
#define WARPS		4			/* warps of a block otherwise */

/*
 * The lane's coefficients of a tile: of each part of rows lane / 4 and lane / 4 + 8, the two from
 * 2 * (lane % 4) on.  They are of[part][0] and of[part][1].
 */
template <int PARTS>
struct Tile
{
	static constexpr int row = 8 * PARTS;	/* coefficients of a row */
	static constexpr int size = ROWS * row;
	static constexpr int stored_row = row + 4;	/* in shared memory, so that rows are in different banks */

	double		of[PARTS][2][2];
};

template <int PARTS>
static __device__ __forceinline__ void
ClearTile(Tile<PARTS> &tile)
{
#pragma unroll
	for (int part = 0; part < PARTS; part++)
#pragma unroll
		for (int i = 0; i < 4; i++)
			tile.of[part][i / 2][i % 2] = 0;
}

template <int PARTS>
static __device__ __forceinline__ void
AddTile(Tile<PARTS> &sum, const Tile<PARTS> &tile)
{
#pragma unroll
	for (int part = 0; part < PARTS; part++)
#pragma unroll
		for (int i = 0; i < 4; i++)
			sum.of[part][i / 2][i % 2] += tile.of[part][i / 2][i % 2];
}

/* ---- products ---- */

/*
 * Adds the terms of TAIL_TERMS values of u to a tile.  For the first of these values, "x"
 * points to the factor that coefficient 0 of each row takes, and "y" to the factor that
 * the lane's first row takes.
 */
template <int PARTS>
static __device__ __forceinline__ void
AddTerms(Tile<PARTS> &tile, const double *x, const double *y)
{
	const double *y8 = y + 8 * Tile<PARTS>::stored_row;
	int			member = LaneNumber() % 4;

	static_assert(TAIL_TERMS == 16, "as many as an mma takes");
#if __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000
	y -= member;
	y8 -= member;
	x += LaneNumber() / 4 + member;
#pragma unroll
	for (int part = 0; part < PARTS; part++, x += 8)
		asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
			"{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
			: "+d"(tile.of[part][0][0]), "+d"(tile.of[part][0][1]),
			"+d"(tile.of[part][1][0]), "+d"(tile.of[part][1][1])
			: "d"(y[0]), "d"(y8[0]), "d"(y[-4]), "d"(y8[-4]), "d"(y[-8]), "d"(y8[-8]), "d"(y[-12]), "d"(y8[-12]),
			"d"(x[0]), "d"(x[4]), "d"(x[8]), "d"(x[12]));
#elif __CUDA_ARCH__ == 800
	x += LaneNumber() / 4 + member;
#pragma unroll
	for (int u = 0; u < TAIL_TERMS; u += 4)
#pragma unroll
		for (int part = 0; part < PARTS; part++)
#pragma unroll
			for (int half = 0; half < 2; half++)
				asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
					: "+d"(tile.of[part][half][0]), "+d"(tile.of[part][half][1])
					: "d"((half == 0 ? y : y8)[-u - member]), "d"(x[part * 8 + u]));
#else
	x += 2 * member;
#pragma unroll
	for (int u = 0; u < TAIL_TERMS; u++)
#pragma unroll
		for (int part = 0; part < PARTS; part++)
#pragma unroll
			for (int i = 0; i < 4; i++)
				tile.of[part][i / 2][i % 2] = fma(x[part * 8 + u + i % 2], (i < 2 ? y : y8)[-u],
												  tile.of[part][i / 2][i % 2]);
#endif
}

/* Adds the terms of as many values of u as a row has coefficients; see AddTerms() for x and y. */
template <int PARTS>
static __device__ __forceinline__ void
AddRow(Tile<PARTS> &sum, const double *x, const double *y)
{
#pragma unroll
	for (int u = 0; u < Tile<PARTS>::row; u += TAIL_TERMS)
	{
		Tile<PARTS> terms;

		ClearTile(terms);
		AddTerms(terms, x + u, y - u);
		AddTile(sum, terms);
	}
}

/* A coefficient of a node's window; 0 outside of the window. */
static __device__ __forceinline__ double
CoefficientOf(const NodeWindow &node, int at)
{
	return at >= 0 && at < (int) node.n * PIECE ? node.pieces[at] : 0;
}

/*
 * Copies N coefficients of a node from "from" on to shared memory, in rows of ROW coefficients, STRIDE
 * apart.  All loads are begun before the first value is stored, so that they do not wait for one another.
 */
template <int N, int THREADS, int ROW, int STRIDE>
static __device__ __forceinline__ void
Stage(double *to, const NodeWindow &node, int from)
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

/*
 * Whether any of the values of u from "from" on, as many as a row has coefficients, has a term in the
 * tile whose first coefficient is "first".
 */
template <int PARTS>
static __device__ __forceinline__ bool
IsUsed(const NodeWindow &x, const NodeWindow &y, int first, int from)
{
	constexpr int row = Tile<PARTS>::row;

	return from < (int) x.n * PIECE && from <= first + Tile<PARTS>::size - row &&
		from + row > first - (int) y.n * PIECE + 1;
}

/* Computes the warp's tile of a product.  The first coefficient of the block's tiles is "base". */
template <int BLOCK_WARPS, int PARTS>
static __device__ __forceinline__ void
MultiplyNodes(const NodeWindow &x, const NodeWindow &y, int base, Tile<PARTS> &sum)
{
	constexpr int threads = BLOCK_WARPS * 32;
	constexpr int row = Tile<PARTS>::row;
	constexpr int stored_row = Tile<PARTS>::stored_row;
	constexpr int block_rows = BLOCK_WARPS * ROWS;
	constexpr int stored_rows = block_rows + TAIL_CHUNK / row - 1;
	__shared__ double of_x[TAIL_CHUNK + row];
	__shared__ double of_y[stored_rows * stored_row];
	int			warp = threadIdx.x / 32;
	int			own_row = warp * ROWS + LaneNumber() / 4;
	int			from = max(base - (int) y.n * PIECE + 1, -row) & ~(row - 1);
	int			end = min((int) x.n * PIECE, base + (block_rows - 1) * row + 1);

	static_assert(row % TAIL_TERMS == 0 && TAIL_CHUNK % row == 0, "rows, sums and chunks fit together");
	ClearTile(sum);
	for (int chunk = from; chunk < end; chunk += TAIL_CHUNK)
	{
		Tile<PARTS> of_chunk;

		Stage<TAIL_CHUNK + row, threads, row, row>(of_x, x, chunk);
		Stage<stored_rows * row, threads, row, stored_row>(of_y, y, base - chunk - TAIL_CHUNK + 1);
		__syncthreads();
		ClearTile(of_chunk);
		for (int u = 0; u < TAIL_CHUNK; u += row)
			if (IsUsed<PARTS>(x, y, base + warp * Tile<PARTS>::size, chunk + u))
				AddRow(of_chunk, of_x + u, of_y + (own_row + (TAIL_CHUNK - u) / row - 1) * stored_row + row - 1);
		AddTile(sum, of_chunk);
		__syncthreads();
	}
}

/* ---- nodes ---- */

/* The itemset that node "number" belongs to: the last of n whose nodes begin at it or before it. */
static __device__ __forceinline__ uint32_t
ItemsetAt(const uint32_t *starts, uint32_t n, uint32_t number)
{
	uint32_t	low = 0;

	/* the lanes of a warp look at 32 places at a time */
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

/*
 * Writes the warp's tile, whose first coefficient is "first", to the slot of node "number", which has
 * npieces pieces before its ends are dropped.  Extends the node's window by the tile's pieces that are
 * not negligible.
 */
template <int PARTS>
static __device__ __forceinline__ void
StoreTile(const TailNodes &nodes, uint32_t number, uint32_t npieces, uint32_t first, const Tile<PARTS> &tile)
{
	double	   *slot = nodes.slots + (uint64_t) number * nodes.slot_pieces * PIECE;
	uint32_t	kept_first = UINT32_MAX;
	uint32_t	kept_end = 0;

#pragma unroll
	for (int i = 0; i < 2 * PARTS; i++)
	{
		const double (&two)[2] = tile.of[i % PARTS][i / PARTS];
		uint32_t	row = LaneNumber() / 4 + i / PARTS * 8;
		uint32_t	piece = first / PIECE + row * PARTS + i % PARTS;
		double		greatest = fmax(two[0], two[1]);

		if (piece < npieces)
			*(double2 *) (slot + piece * PIECE + LaneNumber() % 4 * 2) = make_double2(two[0], two[1]);
		greatest = fmax(greatest, __shfl_xor_sync(ALL_LANES, greatest, 1));
		greatest = fmax(greatest, __shfl_xor_sync(ALL_LANES, greatest, 2));
		if (greatest >= TAIL_DROPPED)
		{
			kept_first = min(kept_first, piece);
			kept_end = max(kept_end, piece + 1);
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

/*
 * Copies a node that has no partner to the level above, as node "number": n coefficients from "base" on,
 * by each block of its row.
 */
static __device__ __forceinline__ void
CopyNode(const TailNodes &nodes, uint32_t number, const NodeWindow &node, uint32_t base, uint32_t n)
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

/* Whether an itemset that has n nodes on a level keeps them on the level above. */
static __device__ __forceinline__ bool
StaysSame(uint32_t n)
{
	return n <= 2;
}

/*
 * A row of blocks for each node of the level above, from number "first" on; each block has BLOCK_WARPS
 * tiles.
 */
template <int BLOCK_WARPS, int PARTS>
static __global__ void __launch_bounds__(BLOCK_WARPS * 32, 12 / BLOCK_WARPS)
MergeKernel(TailShare share, TailNodes nodes, TailNodes above, uint32_t first)
{
	uint32_t	number = first + blockIdx.x;
	uint32_t	size = BLOCK_WARPS * Tile<PARTS>::size;
	uint32_t	base = blockIdx.y * size;
	uint32_t	itemset = ItemsetAt(share.above, share.n, number);
	uint32_t	n = share.start[itemset + 1] - share.start[itemset];
	uint32_t	of = number - share.above[itemset];
	NodeWindow	x = NodeIn(nodes, share.start[itemset] + (StaysSame(n) ? of : 2 * of));
	NodeWindow	y;
	Tile<PARTS> tile;

	if (StaysSame(n) || 2 * of + 1 == n)
	{
		CopyNode(above, number, x, base, size);
		return;
	}
	y = NodeIn(nodes, share.start[itemset] + 2 * of + 1);
	if (base >= (x.n + y.n) * PIECE)
		return;
	MultiplyNodes<BLOCK_WARPS>(x, y, (int) base, tile);
	if (base == 0 && threadIdx.x == 0)
		above.offset[number] = x.offset + y.offset;
	StoreTile(above, number, x.n + y.n, base + threadIdx.x / 32 * Tile<PARTS>::size, tile);
}

/* Launches the merges with blocks of one size and tiles of one width. */
template <int BLOCK_WARPS, int PARTS>
static void
Merge(cudaStream_t stream, const TailShare &share, const TailNodes &nodes, const TailNodes &above,
	  uint32_t from, uint32_t n)
{
	dim3		grid(n, GpuBlocks(above.slot_pieces * PIECE, BLOCK_WARPS * Tile<PARTS>::size));

	MergeKernel<BLOCK_WARPS, PARTS><<<grid, BLOCK_WARPS * 32, 0, stream>>>(share, nodes, above, from);
}

cudaError_t
LaunchMerges(GpuDevice *device, const TailShare *share, const TailNodes *nodes, const TailNodes *above,
			 uint32_t from, uint32_t n)
{
	int			coefficients = above->slot_pieces * PIECE;
	cudaStream_t stream = device->streams[GPU_COUNT];

	if (coefficients <= FEW_WARPS * Tile<NARROW>::size)
		Merge<FEW_WARPS, NARROW>(stream, *share, *nodes, *above, from, n);
	else if (coefficients <= WARPS * Tile<NARROW>::size)
		Merge<WARPS, NARROW>(stream, *share, *nodes, *above, from, n);
	else
		Merge<WARPS, WIDE>(stream, *share, *nodes, *above, from, n);
	return GpuLaunched(device, "convolving distributions");
}

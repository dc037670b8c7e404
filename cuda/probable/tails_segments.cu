/*-------------------------------------------------------------------------
 *
 * tails_segments.cu
 *	  The distributions of segments, see tails.h.
 *
 * A thread computes the distribution of its leaf in registers.  The leaves of a segment
 * are merged in shared memory, where a thread computes a piece of a product at a time:
 * piece g of the product of two nodes x and y is the sum over a of the products of x's
 * piece a with y's pieces g - a and g - a - 1.
 *
 *-------------------------------------------------------------------------
 */
#include "probable/tails_device.h"
#include "probable/two_doubles.h"

#define THREADS			TAIL_THREADS
#define STRIDE			(PIECE + 1) /* of pieces in shared memory, so that neighbours are in different banks */
#define LEAVES			(TAIL_SEGMENT / TAIL_LEAF)	/* of a segment */
#define SEGMENTS		(THREADS / LEAVES)	/* of a block */
#define LEAF_PIECES		((TAIL_LEAF + 1) / PIECE)	/* of a leaf */
#define BLOCK_PIECES	(LEAF_PIECES * THREADS)	/* in shared memory, on each level */

static_assert(LEAF_PIECES * PIECE == TAIL_LEAF + 1, "a leaf's coefficients fill its pieces");
static_assert((LEAVES & (LEAVES - 1)) == 0, "a segment's leaves are merged two by two");
static_assert(32 % LEAVES == 0, "a warp has the leaves of whole segments");

/* ---- pieces ---- */

static __device__ __forceinline__ void
ReadPiece(const double *pieces, uint32_t piece, double (&to)[PIECE])
{
#pragma unroll
	for (int i = 0; i < PIECE; i++)
		to[i] = pieces[piece * STRIDE + i];
}

static __device__ __forceinline__ void
ClearPiece(double (&piece)[PIECE])
{
#pragma unroll
	for (int i = 0; i < PIECE; i++)
		piece[i] = 0;
}

/*
 * Adds to piece g of a product what piece "a" of one node adds to it.  "high" is the other node's piece
 * g - a, and "low" the one before that.
 */
static __device__ __forceinline__ void
AddProduct(double (&sum)[PIECE], const double (&a)[PIECE], const double (&low)[PIECE],
		   const double (&high)[PIECE])
{
#pragma unroll
	for (int s = 0; s < PIECE; s++)
	{
		double		terms = 0;

#pragma unroll
		for (int i = 0; i < PIECE; i++)
			terms = fma(a[i], i <= s ? high[s - i] : low[PIECE + s - i], terms);
		sum[s] += terms;
	}
}

static __device__ __forceinline__ bool
IsKept(const double (&piece)[PIECE])
{
	double		greatest = piece[0];

#pragma unroll
	for (int i = 1; i < PIECE; i++)
		greatest = fmax(greatest, piece[i]);
	return greatest >= TAIL_DROPPED;
}

/* ---- products ---- */

/* Computes piece g of the product of two nodes. */
static __device__ __forceinline__ void
PieceOfProduct(const NodeWindow &x, const NodeWindow &y, uint32_t g, double (&sum)[PIECE])
{
	uint32_t	from = g > y.n ? g - y.n : 0;
	uint32_t	end = g < x.n ? g + 1 : x.n;
	double		high[PIECE];

	ClearPiece(sum);
	ClearPiece(high);
	if (g - from < y.n)
		ReadPiece(y.pieces, g - from, high);
	for (uint32_t i = from; i < end; i++)
	{
		double		a[PIECE];
		double		low[PIECE];

		ReadPiece(x.pieces, i, a);
		ClearPiece(low);
		if (g > i)
			ReadPiece(y.pieces, g - i - 1, low);
		AddProduct(sum, a, low, high);
#pragma unroll
		for (int s = 0; s < PIECE; s++)
			high[s] = low[s];
	}
}

/* The product that a piece belongs to: the last of n that begins at the piece or before it. */
static __device__ __forceinline__ uint32_t
NodeAt(const uint32_t *before, uint32_t n, uint32_t piece)
{
	uint32_t	low = 0;
	uint32_t	high = n;

	while (high - low > 1)
	{
		uint32_t	middle = (low + high) / 2;

		if (before[middle] <= piece)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* ---- segments ---- */

struct SegmentState
{
	/* nodes of a level, [side], and of the one above, [!side], as in TailNodes */
	uint32_t	offset[2][THREADS];
	uint32_t	first[2][THREADS];
	uint32_t	end[2][THREADS];
	uint32_t	before[THREADS + 1];	/* number of pieces of all products before each one */
};

/*
 * Computes the coefficients of a thread's leaf, and returns the sum of its probabilities.  The leaf has
 * the values list[0], list[LEAVES], ...; without a list they are 0.
 */
static __device__ __forceinline__ double2
ComputeLeaf(const double *list, double (&c)[TAIL_LEAF + 1])
{
	double2		mean = make_double2(0, 0);

	c[0] = 1;
#pragma unroll
	for (int i = 1; i <= TAIL_LEAF; i++)
		c[i] = 0;
#pragma unroll
	for (int i = 0; i < TAIL_LEAF; i++)
	{
		double		p = list != nullptr ? list[i * LEAVES] : 0;
		double		q = 1 - p;

		if (__ballot_sync(ALL_LANES, p > 0) == 0)
			continue;
		AddTo(mean, p);
#pragma unroll
		for (int s = i + 1; s > 0; s--)
			c[s] = fma(c[s - 1], p, c[s] * q);
		c[0] *= q;
	}
	return mean;
}

static __device__ __forceinline__ void
StoreLeaf(SegmentState *state, double *slots, const double (&c)[TAIL_LEAF + 1])
{
	uint32_t	first = LEAF_PIECES;
	uint32_t	end = 0;

#pragma unroll
	for (int piece = 0; piece < LEAF_PIECES; piece++)
	{
		bool		kept = false;

#pragma unroll
		for (int i = 0; i < PIECE; i++)
		{
			kept |= c[piece * PIECE + i] >= TAIL_DROPPED;
			slots[(threadIdx.x * LEAF_PIECES + piece) * STRIDE + i] = c[piece * PIECE + i];
		}
		if (kept && first == LEAF_PIECES)
			first = piece;
		if (kept)
			end = piece + 1;
	}
	state->offset[0][threadIdx.x] = 0;
	state->first[0][threadIdx.x] = first;
	state->end[0][threadIdx.x] = end;
}

/* A node of a level whose slots have slot_pieces pieces each. */
static __device__ __forceinline__ NodeWindow
NodeOf(const SegmentState *state, int side, const double *slots, uint32_t slot_pieces, uint32_t node)
{
	uint32_t	first = state->first[side][node];
	NodeWindow	window;

	window.pieces = slots + (node * slot_pieces + first) * STRIDE;
	window.n = state->end[side][node] - first;
	window.offset = state->offset[side][node] + first * PIECE;
	return window;
}

/* Sets state->before for the n products of a level: each has the pieces of both nodes that it is made of. */
static __device__ void
CountPieces(SegmentState *state, int side, uint32_t n)
{
	if (threadIdx.x < 32)
	{
		uint32_t	sum = 0;

		for (uint32_t from = 0; from < n; from += 32)
		{
			uint32_t	node = from + threadIdx.x;
			uint32_t	pieces = 0;
			uint32_t	below;

			for (uint32_t i = 2 * node; node < n && i < 2 * node + 2; i++)
				pieces += state->end[side][i] - state->first[side][i];
			below = SumBelow(pieces);
			if (node < n)
				state->before[node] = sum + below;
			sum += __shfl_sync(ALL_LANES, below + pieces, 31);
		}
		if (threadIdx.x == 0)
			state->before[n] = sum;
	}
}

/* Merges 2n nodes of a level, whose slots have slot_pieces pieces each, to n nodes of the level above. */
static __device__ void
MergeLevel(SegmentState *state, int side, const double *from, double *to, uint32_t slot_pieces, uint32_t n)
{
	if (threadIdx.x < n)
	{
		state->first[!side][threadIdx.x] = UINT32_MAX;
		state->end[!side][threadIdx.x] = 0;
	}
	CountPieces(state, side, n);
	__syncthreads();
	for (uint32_t piece = threadIdx.x; piece < state->before[n]; piece += THREADS)
	{
		uint32_t	node = NodeAt(state->before, n, piece);
		uint32_t	g = piece - state->before[node];
		NodeWindow	x = NodeOf(state, side, from, slot_pieces, 2 * node);
		NodeWindow	y = NodeOf(state, side, from, slot_pieces, 2 * node + 1);
		double		sum[PIECE];

		PieceOfProduct(x, y, g, sum);
#pragma unroll
		for (int i = 0; i < PIECE; i++)
			to[(node * 2 * slot_pieces + g) * STRIDE + i] = sum[i];
		if (g == 0)
			state->offset[!side][node] = x.offset + y.offset;
		if (IsKept(sum))
		{
			atomicMin(&state->first[!side][node], g);
			atomicMax(&state->end[!side][node], g + 1);
		}
	}
	__syncthreads();
}

/* The sum over the threads that have a segment's leaves, for each of them. */
static __device__ __forceinline__ double2
SumOfSegment(double2 sum)
{
	for (int step = LEAVES / 2; step > 0; step /= 2)
	{
		double2		other;

		other.x = __shfl_xor_sync(ALL_LANES, sum.x, step);
		other.y = __shfl_xor_sync(ALL_LANES, sum.y, step);
		AddTo(sum, other);
	}
	return sum;
}

static __global__ void __launch_bounds__(THREADS)
SegmentKernel(TailShare share, uint32_t first, uint32_t end)
{
	__shared__ double half[2][BLOCK_PIECES * STRIDE];
	__shared__ SegmentState state;
	uint32_t	segment = first + blockIdx.x * SEGMENTS + threadIdx.x / LEAVES;
	uint32_t	leaf = threadIdx.x % LEAVES;
	const TailNodes &nodes = share.nodes[0];
	double	   *slot = nodes.slots + (uint64_t) segment * nodes.slot_pieces * PIECE;
	double2		mean;
	int			side = 0;
	NodeWindow	root;

	{
		double		c[TAIL_LEAF + 1];

		mean = ComputeLeaf(segment < end ? share.lists.list + (uint64_t) segment * TAIL_SEGMENT + leaf :
						   nullptr, c);
		StoreLeaf(&state, half[0], c);
	}
	mean = SumOfSegment(mean);
	__syncthreads();
	for (uint32_t n = THREADS / 2; n >= SEGMENTS; n /= 2)
	{
		MergeLevel(&state, side, half[side], half[!side], BLOCK_PIECES / 2 / n, n);
		side = !side;
	}
	if (segment >= end)
		return;
	root = NodeOf(&state, side, half[side], BLOCK_PIECES / SEGMENTS, threadIdx.x / LEAVES);
	for (uint32_t i = leaf; i < root.n * PIECE; i += LEAVES)
		slot[i] = root.pieces[i / PIECE * STRIDE + i % PIECE];
	if (leaf > 0)
		return;
	share.means[segment] = mean;
	nodes.offset[segment] = root.offset;
	nodes.first[segment] = 0;
	nodes.end[segment] = root.n;
}

cudaError_t
LaunchSegments(GpuDevice *device, const TailShare *share, uint32_t from, uint32_t n)
{
	SegmentKernel<<<GpuBlocks(n, SEGMENTS), THREADS, 0, device->streams[GPU_COUNT]>>>(*share, from, from + n);
	return GpuLaunched(device, "convolving distributions");
}

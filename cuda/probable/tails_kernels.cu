/*-------------------------------------------------------------------------
 *
 * tails_kernels.cu
 *	  Convolving the supports' distributions, see tails.h.
 *
 * Coefficients are computed in pieces of eight, a piece by a thread: of a product of
 * two nodes, piece g is the sum over the first node's pieces a of that times what the
 * second one has at g - a and g - a - 1.  In shared memory, a piece takes nine
 * doubles, so that threads that read neighbouring pieces meet no bank conflicts.
 *
 *-------------------------------------------------------------------------
 */
#include "probable/lines.h"
#include "probable/tails.h"
#include "probable/two_doubles.h"

#define THREADS			TAIL_THREADS
#define PIECE			TAIL_PIECE
#define STRIDE			(PIECE + 1) /* of pieces in shared memory */
#define LEAF_PIECES		((TAIL_LEAF + 1) / PIECE)
#define MERGE_THREADS	128
#define SEGMENT_PIECES	(LEAF_PIECES * THREADS)

static_assert(LEAF_PIECES * PIECE == TAIL_LEAF + 1, "a leaf's coefficients fill its pieces");
static_assert((THREADS & (THREADS - 1)) == 0, "a segment's leaves are merged two by two");

/* ---- sums over threads ---- */

static __device__ __forceinline__ double2
SumOfLanes(double2 sum)
{
	for (int step = 16; step > 0; step /= 2)
	{
		double2		other;

		other.x = __shfl_xor_sync(ALL_LANES, sum.x, step);
		other.y = __shfl_xor_sync(ALL_LANES, sum.y, step);
		AddTo(sum, other);
	}
	return sum;
}

/* The same over a block; thread 0 has the result.  Shared memory for each warp is given. */
static __device__ double2
SumOfBlock(double2 sum, double2 *of_warps)
{
	sum = SumOfLanes(sum);
	__syncthreads();
	if (LaneNumber() == 0)
		of_warps[threadIdx.x / 32] = sum;
	__syncthreads();
	for (uint32_t w = 1; threadIdx.x == 0 && w < blockDim.x / 32; w++)
		AddTo(sum, of_warps[w]);
	return sum;
}

/* ---- products ---- */

/* A node in shared memory: n pieces, of which the first begins with a support's probability. */
struct Window
{
	const double *pieces;
	uint32_t	n;
	uint32_t	offset;
};

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

static __device__ __forceinline__ void
AddPiece(double (&sum)[PIECE], const double (&piece)[PIECE])
{
#pragma unroll
	for (int i = 0; i < PIECE; i++)
		sum[i] += piece[i];
}

/* Add to a piece the product of a piece of one factor and those of the other, low and high. */
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

/* Piece g of the product of two nodes. */
static __device__ __forceinline__ void
PieceOfProduct(const Window &x, const Window &y, uint32_t g, double (&sum)[PIECE])
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

static __device__ __forceinline__ bool
IsKept(const double (&piece)[PIECE])
{
	double		greatest = piece[0];

#pragma unroll
	for (int i = 1; i < PIECE; i++)
		greatest = fmax(greatest, piece[i]);
	return greatest >= TAIL_DROPPED;
}

/* ---- segments ---- */

struct SegmentState
{
	/* nodes of the level at hand: pieces first .. end-1 of the slot are kept */
	uint32_t	offset[2][THREADS];
	uint32_t	first[2][THREADS];
	uint32_t	end[2][THREADS];
	uint32_t	before[THREADS + 1];	/* pieces of the products before */
	double2		of_warps[THREADS / 32];
};

/* The distribution of a thread's transactions, and their mean. */
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
		double		p = list[i * THREADS];
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

/* The node of a level, whose slots are of so many pieces. */
static __device__ __forceinline__ Window
NodeOf(const SegmentState *state, int side, const double *slots, uint32_t slot_pieces, uint32_t node)
{
	uint32_t	first = state->first[side][node];
	Window		window;

	window.pieces = slots + (node * slot_pieces + first) * STRIDE;
	window.n = state->end[side][node] - first;
	window.offset = state->offset[side][node] + first * PIECE;
	return window;
}

/* How many pieces the products before each of n have. */
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

/* The last of n nodes that begins at a piece or before it. */
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

/* Merge 2n nodes, whose slots are of so many pieces, to n. */
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
		Window		x = NodeOf(state, side, from, slot_pieces, 2 * node);
		Window		y = NodeOf(state, side, from, slot_pieces, 2 * node + 1);
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

/* A block for each segment. */
static __global__ void __launch_bounds__(THREADS)
SegmentKernel(TailShare share, uint32_t first)
{
	__shared__ double half[2][SEGMENT_PIECES * STRIDE];
	__shared__ SegmentState state;
	uint32_t	segment = first + blockIdx.x;
	const TailNodes &nodes = share.nodes[0];
	double2		mean;
	int			side = 0;
	Window		root;

	{
		double		c[TAIL_LEAF + 1];

		mean = ComputeLeaf(share.lists.list + (uint64_t) segment * TAIL_SEGMENT + threadIdx.x, c);
		StoreLeaf(&state, half[0], c);
	}
	mean = SumOfBlock(mean, state.of_warps);
	for (uint32_t n = THREADS / 2; n > 0; n /= 2)
	{
		MergeLevel(&state, side, half[side], half[!side], SEGMENT_PIECES / 2 / n, n);
		side = !side;
	}
	root = NodeOf(&state, side, half[side], SEGMENT_PIECES, 0);
	for (uint32_t i = threadIdx.x; i < root.n * PIECE; i += THREADS)
		nodes.slots[(uint64_t) segment * nodes.slot_pieces * PIECE + i] =
			root.pieces[i / PIECE * STRIDE + i % PIECE];
	if (threadIdx.x > 0)
		return;
	share.means[segment] = mean;
	nodes.offset[segment] = root.offset;
	nodes.first[segment] = 0;
	nodes.end[segment] = root.n;
}

/* ---- merges ---- */

/* A node in a slot. */
struct Node
{
	const double *pieces;
	uint32_t	n;
	uint32_t	offset;
};

static __device__ __forceinline__ Node
NodeIn(const TailNodes &nodes, uint32_t number)
{
	uint32_t	first = nodes.first[number];
	Node		node;

	node.pieces = nodes.slots + ((uint64_t) number * nodes.slot_pieces + first) * PIECE;
	node.n = nodes.end[number] - first;
	node.offset = nodes.offset[number] + first * PIECE;
	return node;
}

/* Pieces from .. from + n - 1 of a node to shared memory; where it has none, they are 0. */
static __device__ __forceinline__ void
StagePieces(double *to, const Node &node, int64_t from, uint32_t n)
{
	for (uint32_t i = threadIdx.x; i < n * PIECE; i += MERGE_THREADS)
	{
		int64_t		piece = from + i / PIECE;

		to[i / PIECE * STRIDE + i % PIECE] = piece >= 0 && piece < node.n ?
			node.pieces[piece * PIECE + i % PIECE] : 0;
	}
}

/* Whether a strip of x has a share in some piece of the thread's warp. */
static __device__ __forceinline__ bool
IsStripUsed(uint32_t y_pieces, uint32_t base, uint32_t strip)
{
	uint32_t	first = base + threadIdx.x / 32 * 32;

	return strip <= first + 31 && strip + TAIL_STRIP + y_pieces > first;
}

/* The thread's piece of a product, where the block's first piece is "base". */
static __device__ void
PieceOfStrips(const Node &x, const Node &y, uint32_t base, double (&sum)[PIECE])
{
	__shared__ double a_pieces[TAIL_STRIP * STRIDE];
	__shared__ double b_pieces[(MERGE_THREADS + TAIL_STRIP) * STRIDE];
	uint32_t	from = base > y.n ? (base - y.n) / TAIL_STRIP * TAIL_STRIP : 0;
	uint32_t	end = base + MERGE_THREADS < x.n ? base + MERGE_THREADS : x.n;
	double		group_sum[PIECE];

	ClearPiece(sum);
	ClearPiece(group_sum);
	for (uint32_t strip = from; strip < end; strip += TAIL_STRIP)
	{
		double		strip_sum[PIECE];
		double		high[PIECE];

		StagePieces(a_pieces, x, strip, TAIL_STRIP);
		/* the thread's piece of y at i = 0 is number TAIL_STRIP + threadIdx.x of these */
		StagePieces(b_pieces, y, (int64_t) base - strip - TAIL_STRIP, MERGE_THREADS + TAIL_STRIP);
		__syncthreads();
		ClearPiece(strip_sum);
		ReadPiece(b_pieces, TAIL_STRIP + threadIdx.x, high);
		for (uint32_t i = 0; i < (IsStripUsed(y.n, base, strip) ? TAIL_STRIP : 0); i++)
		{
			double		a[PIECE];
			double		low[PIECE];

			ReadPiece(a_pieces, i, a);
			ReadPiece(b_pieces, TAIL_STRIP - 1 - i + threadIdx.x, low);
			AddProduct(strip_sum, a, low, high);
#pragma unroll
			for (int s = 0; s < PIECE; s++)
				high[s] = low[s];
		}
		AddPiece(group_sum, strip_sum);
		if (strip / TAIL_STRIP % TAIL_GROUP == TAIL_GROUP - 1)
		{
			AddPiece(sum, group_sum);
			ClearPiece(group_sum);
		}
		__syncthreads();
	}
	AddPiece(sum, group_sum);
}

/* Whether so many nodes of an itemset are its nodes on the level above, too. */
static __device__ __forceinline__ bool
StaysSame(uint32_t n)
{
	return n <= 2;
}

/* A row of blocks for each node of the level above. */
static __global__ void __launch_bounds__(MERGE_THREADS)
MergeKernel(TailShare share, TailNodes nodes, TailNodes above, uint32_t first)
{
	uint32_t	number = first + blockIdx.x;
	uint32_t	itemset = NodeAt(share.above, share.n, number);
	uint32_t	n = share.start[itemset + 1] - share.start[itemset];
	uint32_t	of = number - share.above[itemset];
	uint32_t	base = blockIdx.y * MERGE_THREADS;
	uint32_t	g = base + threadIdx.x;
	double	   *to = above.slots + ((uint64_t) number * above.slot_pieces + g) * PIECE;
	bool		alone = StaysSame(n) || 2 * of + 1 == n;
	Node		x = NodeIn(nodes, share.start[itemset] + (StaysSame(n) ? of : 2 * of));
	Node		y = alone ? Node {nullptr, 0, 0} : NodeIn(nodes, share.start[itemset] + 2 * of + 1);
	double		sum[PIECE];

	if (base >= x.n + y.n)
		return;
	if (!alone)
		PieceOfStrips(x, y, base, sum);
	if (g >= x.n + y.n)
		return;
	if (g == 0)
		above.offset[number] = x.offset + y.offset;
	if (alone)
	{
#pragma unroll
		for (int i = 0; i < PIECE; i++)
			sum[i] = x.pieces[(uint64_t) g * PIECE + i];
	}
#pragma unroll
	for (int i = 0; i < PIECE; i++)
		to[i] = sum[i];
	if (alone || IsKept(sum))
	{
		atomicMin(&above.first[number], g);
		atomicMax(&above.end[number], g + 1);
	}
}

/* ---- roots ---- */

/* The sums of a node that its mass and mean are known from; the mean is about "center". */
struct NodeSums
{
	double2		mass;
	double2		mean;
	int64_t		center;
};

static __device__ NodeSums
SumNode(const Node &node, double2 *of_warps)
{
	NodeSums	sums = {{0, 0}, {0, 0}, 0};
	int64_t		middle = (int64_t) node.n * PIECE / 2;

	sums.center = node.offset + middle;
	for (int64_t i = threadIdx.x; i < (int64_t) node.n * PIECE; i += MERGE_THREADS)
	{
		AddTo(sums.mass, node.pieces[i]);
		AddProductTo(sums.mean, (double) (i - middle), node.pieces[i]);
	}
	sums.mass = SumOfBlock(sums.mass, of_warps);
	sums.mean = SumOfBlock(sums.mean, of_warps);
	return sums;
}

/* For each of a node's coefficients, the sum from it to the last. */
static __device__ void
SumSuffixes(const Node &node, double *to, double2 *of_threads)
{
	uint32_t	n = node.n * PIECE;
	uint32_t	each = (n + MERGE_THREADS - 1) / MERGE_THREADS;
	uint32_t	begin = min(threadIdx.x * each, n);
	uint32_t	end = min(begin + each, n);
	double2		sum = make_double2(0, 0);

	for (uint32_t i = begin; i < end; i++)
		AddTo(sum, node.pieces[i]);
	of_threads[threadIdx.x] = sum;
	__syncthreads();
	sum = make_double2(0, 0);
	for (uint32_t thread = MERGE_THREADS - 1; thread > threadIdx.x; thread--)
		AddTo(sum, of_threads[thread]);
	for (uint32_t i = end; i > begin; i--)
	{
		AddTo(sum, node.pieces[i - 1]);
		to[i - 1] = sum.x + sum.y;
	}
	__syncthreads();
}

/* The sum from minsup on of the product of one or two nodes, and its value there. */
static __device__ TailSums
SumTail(const Node &x, const Node *y, const double *suffixes, uint32_t minsup, double2 *of_warps)
{
	TailSums	sums = {0, 0, 0, 0};
	double2		tail = make_double2(0, 0);
	double2		point = make_double2(0, 0);

	for (uint32_t i = threadIdx.x; i < x.n * PIECE; i += MERGE_THREADS)
	{
		int64_t		rest = (int64_t) minsup - x.offset - i - (y != nullptr ? y->offset : 0);
		int64_t		n = y != nullptr ? (int64_t) y->n * PIECE : 1;

		if (rest >= n)
			continue;
		AddProductTo(tail, x.pieces[i], y != nullptr ? suffixes[rest > 0 ? rest : 0] : 1);
		if (rest >= 0)
			AddProductTo(point, x.pieces[i], y != nullptr ? y->pieces[rest] : 1);
	}
	tail = SumOfBlock(tail, of_warps);
	point = SumOfBlock(point, of_warps);
	sums.tail = tail.x + tail.y;
	sums.point = point.x + point.y;
	return sums;
}

/* A block for each itemset. */
static __global__ void __launch_bounds__(MERGE_THREADS)
RootKernel(TailShare share, TailNodes nodes, TailNodes scratch, uint32_t minsup)
{
	__shared__ double2 of_warps[MERGE_THREADS / 32];
	__shared__ double2 of_threads[MERGE_THREADS];
	uint32_t	first = share.above[blockIdx.x];
	bool		two = share.above[blockIdx.x + 1] - first == 2;
	double	   *suffixes = scratch.slots + (uint64_t) first * scratch.slot_pieces * PIECE;
	Node		x = NodeIn(nodes, first);
	Node		y = two ? NodeIn(nodes, first + 1) : x;
	NodeSums	of_x = SumNode(x, of_warps);
	NodeSums	of_y = {{1, 0}, {0, 0}, 0};
	double2		mean = {0, 0};
	TailSums	sums;

	if (two)
	{
		of_y = SumNode(y, of_warps);
		SumSuffixes(y, suffixes, of_threads);
	}
	sums = SumTail(x, two ? &y : nullptr, suffixes, minsup, of_warps);
	for (uint32_t i = share.start[blockIdx.x] + threadIdx.x; i < share.start[blockIdx.x + 1]; i += MERGE_THREADS)
		AddTo(mean, share.means[i]);
	mean = SumOfBlock(mean, of_warps);
	if (threadIdx.x == 0)
	{
		double2		mass = Product(of_x.mass, of_y.mass);
		double2		about = Product(of_x.mean, of_y.mass);
		double2		part;

		AddTo(about, Product(of_x.mass, of_y.mean));
		/* the true mean, about the same place */
		AddTo(mean, -(double) (of_x.center + of_y.center));
		part = Product(mean, mass);
		AddTo(about, -part.x);
		about.y -= part.y;
		sums.mass = (mass.x - 1) + mass.y;
		sums.mean = about.x + about.y;
		share.sums[blockIdx.x] = sums;
	}
}

/* ---- the host's side ---- */

cudaError_t
LaunchSegments(GpuDevice *device, const TailShare *share, uint32_t from, uint32_t n)
{
	SegmentKernel<<<n, THREADS, 0, device->streams[GPU_COUNT]>>>(*share, from);
	return GpuLaunched(device, "convolving distributions");
}

cudaError_t
LaunchMerges(GpuDevice *device, const TailShare *share, const TailNodes *nodes, const TailNodes *above,
			 uint32_t from, uint32_t n)
{
	dim3		grid(n, GpuBlocks(above->slot_pieces, MERGE_THREADS));

	MergeKernel<<<grid, MERGE_THREADS, 0, device->streams[GPU_COUNT]>>>(*share, *nodes, *above, from);
	return GpuLaunched(device, "convolving distributions");
}

cudaError_t
LaunchRoots(GpuDevice *device, const TailShare *share, const TailNodes *nodes, const TailNodes *scratch,
			uint32_t minsup)
{
	RootKernel<<<share->n, MERGE_THREADS, 0, device->streams[GPU_COUNT]>>>(*share, *nodes, *scratch, minsup);
	return GpuLaunched(device, "summing distributions");
}

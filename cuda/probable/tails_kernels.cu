/*-------------------------------------------------------------------------
 *
 * tails_kernels.cu
 *	  Tails by trees: the distributions of branches, merging the nodes of a level, and sums at the roots.
 *
 * A thread computes the distribution of its leaf in registers.  The leaves of a branch
 * are merged in shared memory, where a thread computes an octet of a product at a time:
 * octet g of the product of two nodes x and y is the sum over a of the products of x's
 * octet a with y's octets g - a and g - a - 1.  Above the branches, a launch merges the nodes of a
 * level of all trees.  The last one sums the nodes below the roots.
 *
 *-------------------------------------------------------------------------
 */
#include "probable/probable_device.h"

#define THREADS			TAIL_THREADS
#define STRIDE			(OCTET + 1) /* of octets in shared memory, so that neighbours are in different banks */
#define LEAVES			(TAIL_BRANCH / TAIL_LEAF)	/* of a branch */
#define BRANCHES		(THREADS / LEAVES)	/* of a block */
#define LEAF_OCTETS		((TAIL_LEAF + 1) / OCTET)	/* of a leaf */
#define BLOCK_OCTETS	(LEAF_OCTETS * THREADS)	/* in shared memory, on each level */

static_assert(LEAF_OCTETS * OCTET == TAIL_LEAF + 1, "a leaf's coefficients fill its octets");
static_assert((LEAVES & (LEAVES - 1)) == 0, "a branch's leaves are merged two by two");
static_assert(32 % LEAVES == 0, "a warp has the leaves of whole branches");

/* ---- branches: octets ---- */

static __device__ __forceinline__ void
ReadOctet(const double *octets, uint32_t octet, double (&to)[OCTET])
{
#pragma unroll
	for (int i = 0; i < OCTET; i++)
		to[i] = octets[octet * STRIDE + i];
}

static __device__ __forceinline__ void
ClearOctet(double (&octet)[OCTET])
{
#pragma unroll
	for (int i = 0; i < OCTET; i++)
		octet[i] = 0;
}

/*
 * Adds to octet g of a product what octet "a" of one node adds to it.  "high" is the other node's octet
 * g - a, and "low" the one before that.
 */
static __device__ __forceinline__ void
AddProduct(double (&sum)[OCTET], const double (&a)[OCTET], const double (&low)[OCTET],
		   const double (&high)[OCTET])
{
#pragma unroll
	for (int s = 0; s < OCTET; s++)
	{
		double		terms = 0;

#pragma unroll
		for (int i = 0; i < OCTET; i++)
			terms = fma(a[i], i <= s ? high[s - i] : low[OCTET + s - i], terms);
		sum[s] += terms;
	}
}

static __device__ __forceinline__ bool
IsKept(const double (&octet)[OCTET])
{
	double		greatest = octet[0];

#pragma unroll
	for (int i = 1; i < OCTET; i++)
		greatest = fmax(greatest, octet[i]);
	return greatest >= TAIL_DROPPED;
}

/* ---- branches: products ---- */

/* Computes octet g of the product of two nodes. */
static __device__ __forceinline__ void
OctetOfProduct(const NodeBulk &x, const NodeBulk &y, uint32_t g, double (&sum)[OCTET])
{
	uint32_t	from = g > y.n ? g - y.n : 0;
	uint32_t	end = g < x.n ? g + 1 : x.n;
	double		high[OCTET];

	ClearOctet(sum);
	ClearOctet(high);
	if (g - from < y.n)
		ReadOctet(y.octets, g - from, high);
	for (uint32_t i = from; i < end; i++)
	{
		double		a[OCTET];
		double		low[OCTET];

		ReadOctet(x.octets, i, a);
		ClearOctet(low);
		if (g > i)
			ReadOctet(y.octets, g - i - 1, low);
		AddProduct(sum, a, low, high);
#pragma unroll
		for (int s = 0; s < OCTET; s++)
			high[s] = low[s];
	}
}

/* The product that an octet belongs to: the last of n that begins at the octet or before it. */
static __device__ __forceinline__ uint32_t
NodeAt(const uint32_t *before, uint32_t n, uint32_t octet)
{
	uint32_t	low = 0;
	uint32_t	high = n;

	while (high - low > 1)
	{
		uint32_t	middle = (low + high) / 2;

		if (before[middle] <= octet)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* ---- branches ---- */

struct BranchState
{
	/* nodes of a level, [side], and of the one above, [!side], as in TailNodes */
	uint32_t	offset[2][THREADS];
	uint32_t	first[2][THREADS];
	uint32_t	end[2][THREADS];
	uint32_t	before[THREADS + 1]; /* number of octets of all products before each one */
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
StoreLeaf(BranchState *state, double *slots, const double (&c)[TAIL_LEAF + 1])
{
	uint32_t	first = LEAF_OCTETS;
	uint32_t	end = 0;

#pragma unroll
	for (int octet = 0; octet < LEAF_OCTETS; octet++)
	{
		bool		kept = false;

#pragma unroll
		for (int i = 0; i < OCTET; i++)
		{
			kept |= c[octet * OCTET + i] >= TAIL_DROPPED;
			slots[(threadIdx.x * LEAF_OCTETS + octet) * STRIDE + i] = c[octet * OCTET + i];
		}
		if (kept && first == LEAF_OCTETS)
			first = octet;
		if (kept)
			end = octet + 1;
	}
	state->offset[0][threadIdx.x] = 0;
	state->first[0][threadIdx.x] = first;
	state->end[0][threadIdx.x] = end;
}

/* A node of a level whose slots have slot_octets octets each. */
static __device__ __forceinline__ NodeBulk
NodeOf(const BranchState *state, int side, const double *slots, uint32_t slot_octets, uint32_t node)
{
	uint32_t	first = state->first[side][node];
	NodeBulk	bulk;

	bulk.octets = slots + (node * slot_octets + first) * STRIDE;
	bulk.n = state->end[side][node] - first;
	bulk.offset = state->offset[side][node] + first * OCTET;
	return bulk;
}

/* Sets state->before for the n products of a level: each has the octets of both nodes that it is made of. */
static __device__ void
CountOctets(BranchState *state, int side, uint32_t n)
{
	if (threadIdx.x < 32)
	{
		uint32_t	sum = 0;

		for (uint32_t from = 0; from < n; from += 32)
		{
			uint32_t	node = from + threadIdx.x;
			uint32_t	octets = 0;
			uint32_t	below;

			for (uint32_t i = 2 * node; node < n && i < 2 * node + 2; i++)
				octets += state->end[side][i] - state->first[side][i];
			below = SumBelow(octets);
			if (node < n)
				state->before[node] = sum + below;
			sum += __shfl_sync(ALL_LANES, below + octets, 31);
		}
		if (threadIdx.x == 0)
			state->before[n] = sum;
	}
}

/* Merges 2n nodes of a level, whose slots have slot_octets octets each, to n nodes of the level above. */
static __device__ void
MergeLevel(BranchState *state, int side, const double *from, double *to, uint32_t slot_octets, uint32_t n)
{
	if (threadIdx.x < n)
	{
		state->first[!side][threadIdx.x] = UINT32_MAX;
		state->end[!side][threadIdx.x] = 0;
	}
	CountOctets(state, side, n);
	__syncthreads();
	for (uint32_t octet = threadIdx.x; octet < state->before[n]; octet += THREADS)
	{
		uint32_t	node = NodeAt(state->before, n, octet);
		uint32_t	g = octet - state->before[node];
		NodeBulk	x = NodeOf(state, side, from, slot_octets, 2 * node);
		NodeBulk	y = NodeOf(state, side, from, slot_octets, 2 * node + 1);
		double		sum[OCTET];

		OctetOfProduct(x, y, g, sum);
#pragma unroll
		for (int i = 0; i < OCTET; i++)
			to[(node * 2 * slot_octets + g) * STRIDE + i] = sum[i];
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

/* The sum over the threads that have a branch's leaves, for each of them. */
static __device__ __forceinline__ double2
SumOfBranch(double2 sum)
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
BranchKernel(TailShare share, uint32_t first, uint32_t end)
{
	__shared__ double half[2][BLOCK_OCTETS * STRIDE];
	__shared__ BranchState state;
	uint32_t	branch = first + blockIdx.x * BRANCHES + threadIdx.x / LEAVES;
	uint32_t	leaf = threadIdx.x % LEAVES;
	const TailNodes &nodes = share.nodes[0];
	double	   *slot = nodes.slots + (uint64_t) branch * nodes.slot_octets * OCTET;
	double2		mean;
	int			side = 0;
	NodeBulk	root;

	{
		double		c[TAIL_LEAF + 1];

		mean = ComputeLeaf(branch < end ? share.lists.list + (uint64_t) branch * TAIL_BRANCH + leaf :
						   nullptr, c);
		StoreLeaf(&state, half[0], c);
	}
	mean = SumOfBranch(mean);
	__syncthreads();
	for (uint32_t n = THREADS / 2; n >= BRANCHES; n /= 2)
	{
		MergeLevel(&state, side, half[side], half[!side], BLOCK_OCTETS / 2 / n, n);
		side = !side;
	}
	if (branch >= end)
		return;
	root = NodeOf(&state, side, half[side], BLOCK_OCTETS / BRANCHES, threadIdx.x / LEAVES);
	for (uint32_t i = leaf; i < root.n * OCTET; i += LEAVES)
		slot[i] = root.octets[i / OCTET * STRIDE + i % OCTET];
	if (leaf > 0)
		return;
	share.means[branch] = mean;
	nodes.offset[branch] = root.offset;
	nodes.first[branch] = 0;
	nodes.end[branch] = root.n;
}

cudaError_t
LaunchBranches(GpuDevice *device, const TailShare *share, uint32_t from, uint32_t n)
{
	BranchKernel<<<GpuBlocks(n, BRANCHES), THREADS, 0, device->streams[GPU_COUNT]>>>(*share, from, from + n);
	return GpuLaunched(device, "convolving distributions");
}

/* ---- levels ---- */

/*
 * A warp computes a tile of the product of two nodes x and y: 16 rows of 16 or 32
 * coefficients.  Let R be the length of a row, and f the number of the tile's first
 * coefficient in the product.  Then coefficient s of row r is the sum over u of
 *
 * 	x[s + u] * y[f + R r - u]
 *
 * That is a product of matrices: the left one has y[f + R r - u] in row r and column u, the
 * right one x[s + u] in row u and column s.  So tensor cores can do it.  They round each
 * step as fma() does (PTX ISA, mma with .f64).  Other GPUs multiply the same terms one by
 * one.
 */

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
	static constexpr int row = 8 * PARTS; /* coefficients of a row */
	static constexpr int size = ROWS * row;
	static constexpr int stored_row = row + 4; /* in shared memory, so that rows are in different banks */

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

/* ---- levels: products ---- */

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

/* A coefficient of a node's bulk; 0 outside of it. */
static __device__ __forceinline__ double
CoefficientOf(const NodeBulk &node, int at)
{
	return at >= 0 && at < (int) node.n * OCTET ? node.octets[at] : 0;
}

/*
 * Copies N coefficients of a node from "from" on to shared memory, in rows of ROW coefficients, PITCH
 * apart.  All reads are begun before the first value is stored, so that they do not wait for one another.
 */
template <int N, int NTHREADS, int ROW, int PITCH>
static __device__ __forceinline__ void
Stage(double *to, const NodeBulk &node, int from)
{
	constexpr int each = (N + NTHREADS - 1) / NTHREADS;
	double		values[each];

#pragma unroll
	for (int i = 0; i < each; i++)
		values[i] = CoefficientOf(node, from + (int) threadIdx.x + i * NTHREADS);
#pragma unroll
	for (int i = 0; i < each; i++)
	{
		int			at = threadIdx.x + i * NTHREADS;

		if (at < N)
			to[at / ROW * PITCH + at % ROW] = values[i];
	}
}

/*
 * Whether any of the values of u from "from" on, as many as a row has coefficients, has a term in the
 * tile whose first coefficient is "first".
 */
template <int PARTS>
static __device__ __forceinline__ bool
IsUsed(const NodeBulk &x, const NodeBulk &y, int first, int from)
{
	constexpr int row = Tile<PARTS>::row;

	return from < (int) x.n * OCTET && from <= first + Tile<PARTS>::size - row &&
		from + row > first - (int) y.n * OCTET + 1;
}

/* Computes the warp's tile of a product.  The first coefficient of the block's tiles is "base". */
template <int BLOCK_WARPS, int PARTS>
static __device__ __forceinline__ void
MultiplyNodes(const NodeBulk &x, const NodeBulk &y, int base, Tile<PARTS> &sum)
{
	constexpr int threads = BLOCK_WARPS * 32;
	constexpr int row = Tile<PARTS>::row;
	constexpr int stored_row = Tile<PARTS>::stored_row;
	constexpr int block_rows = BLOCK_WARPS * ROWS;
	constexpr int stored_rows = block_rows + TAIL_SUBTOTAL / row - 1;
	__shared__ double of_x[TAIL_SUBTOTAL + row];
	__shared__ double of_y[stored_rows * stored_row];
	int			warp = threadIdx.x / 32;
	int			own_row = warp * ROWS + LaneNumber() / 4;
	int			from = max(base - (int) y.n * OCTET + 1, -row) & ~(row - 1);
	int			end = min((int) x.n * OCTET, base + (block_rows - 1) * row + 1);

	static_assert(row % TAIL_TERMS == 0 && TAIL_SUBTOTAL % row == 0, "rows, sums and subtotals fit together");
	ClearTile(sum);
	for (int first = from; first < end; first += TAIL_SUBTOTAL)
	{
		Tile<PARTS> subtotal;

		Stage<TAIL_SUBTOTAL + row, threads, row, row>(of_x, x, first);
		Stage<stored_rows * row, threads, row, stored_row>(of_y, y, base - first - TAIL_SUBTOTAL + 1);
		__syncthreads();
		ClearTile(subtotal);
		for (int u = 0; u < TAIL_SUBTOTAL; u += row)
			if (IsUsed<PARTS>(x, y, base + warp * Tile<PARTS>::size, first + u))
				AddRow(subtotal, of_x + u, of_y + (own_row + (TAIL_SUBTOTAL - u) / row - 1) * stored_row + row - 1);
		AddTile(sum, subtotal);
		__syncthreads();
	}
}

/* ---- levels: nodes ---- */

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
 * noctets octets before its ends are dropped.  Extends the node's bulk by the tile's octets that are
 * not negligible.
 */
template <int PARTS>
static __device__ __forceinline__ void
StoreTile(const TailNodes &nodes, uint32_t number, uint32_t noctets, uint32_t first, const Tile<PARTS> &tile)
{
	double	   *slot = nodes.slots + (uint64_t) number * nodes.slot_octets * OCTET;
	uint32_t	kept_first = UINT32_MAX;
	uint32_t	kept_end = 0;

#pragma unroll
	for (int i = 0; i < 2 * PARTS; i++)
	{
		const double (&two)[2] = tile.of[i % PARTS][i / PARTS];
		uint32_t	row = LaneNumber() / 4 + i / PARTS * 8;
		uint32_t	octet = first / OCTET + row * PARTS + i % PARTS;
		double		greatest = fmax(two[0], two[1]);

		if (octet < noctets)
			*(double2 *) (slot + octet * OCTET + LaneNumber() % 4 * 2) = make_double2(two[0], two[1]);
		greatest = fmax(greatest, __shfl_xor_sync(ALL_LANES, greatest, 1));
		greatest = fmax(greatest, __shfl_xor_sync(ALL_LANES, greatest, 2));
		if (greatest >= TAIL_DROPPED)
		{
			kept_first = min(kept_first, octet);
			kept_end = max(kept_end, octet + 1);
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
CopyNode(const TailNodes &nodes, uint32_t number, const NodeBulk &node, uint32_t base, uint32_t n)
{
	double	   *to = nodes.slots + (uint64_t) number * nodes.slot_octets * OCTET;

	for (uint32_t i = base + threadIdx.x; i < base + n && i < node.n * OCTET; i += blockDim.x)
		to[i] = node.octets[i];
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
	NodeBulk	x = NodeIn(nodes, share.start[itemset] + (StaysSame(n) ? of : 2 * of));
	NodeBulk	y;
	Tile<PARTS> tile;

	if (StaysSame(n) || 2 * of + 1 == n)
	{
		CopyNode(above, number, x, base, size);
		return;
	}
	y = NodeIn(nodes, share.start[itemset] + 2 * of + 1);
	if (base >= (x.n + y.n) * OCTET)
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
	dim3		grid(n, GpuBlocks(above.slot_octets * OCTET, BLOCK_WARPS * Tile<PARTS>::size));

	MergeKernel<BLOCK_WARPS, PARTS><<<grid, BLOCK_WARPS * 32, 0, stream>>>(share, nodes, above, from);
}

cudaError_t
LaunchMerges(GpuDevice *device, const TailShare *share, const TailNodes *nodes, const TailNodes *above,
			 uint32_t from, uint32_t n)
{
	int			coefficients = above->slot_octets * OCTET;
	cudaStream_t stream = device->streams[GPU_COUNT];

	if (coefficients <= FEW_WARPS * Tile<NARROW>::size)
		Merge<FEW_WARPS, NARROW>(stream, *share, *nodes, *above, from, n);
	else if (coefficients <= WARPS * Tile<NARROW>::size)
		Merge<WARPS, NARROW>(stream, *share, *nodes, *above, from, n);
	else
		Merge<WARPS, WIDE>(stream, *share, *nodes, *above, from, n);
	return GpuLaunched(device, "convolving distributions");
}

/* ---- roots: the sums of distributions, from the one or two nodes below ---- */

#define ROOT_THREADS			128

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

/* The sum over a block, which thread 0 gets.  of_warps is shared memory with room for a sum of each warp. */
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

/* The mass and mean of a node's distribution. */
struct NodeSums
{
	double2		mass;			/* the sum of all values */
	double2		mean;			/* the sum of (s - center) times the value at s */
	int64_t		center;			/* the middle of the node's bulk */
};

static __device__ NodeSums
SumNode(const NodeBulk &node, double2 *of_warps)
{
	NodeSums	sums = {{0, 0}, {0, 0}, 0};
	int64_t		middle = (int64_t) node.n * OCTET / 2;

	sums.center = node.offset + middle;
	for (int64_t i = threadIdx.x; i < (int64_t) node.n * OCTET; i += ROOT_THREADS)
	{
		AddTo(sums.mass, node.octets[i]);
		AddProductTo(sums.mean, (double) (i - middle), node.octets[i]);
	}
	sums.mass = SumOfBlock(sums.mass, of_warps);
	sums.mean = SumOfBlock(sums.mean, of_warps);
	return sums;
}

/*
 * Writes the suffix sums of a node's coefficients: to[i] becomes the sum of coefficient i and all
 * after it.
 */
static __device__ void
SumSuffixes(const NodeBulk &node, double *to, double2 *of_threads)
{
	uint32_t	n = node.n * OCTET;
	uint32_t	each = (n + ROOT_THREADS - 1) / ROOT_THREADS;
	uint32_t	begin = min(threadIdx.x * each, n);
	uint32_t	end = min(begin + each, n);
	double2		sum = make_double2(0, 0);

	for (uint32_t i = begin; i < end; i++)
		AddTo(sum, node.octets[i]);
	of_threads[threadIdx.x] = sum;
	__syncthreads();
	sum = make_double2(0, 0);
	for (uint32_t thread = ROOT_THREADS - 1; thread > threadIdx.x; thread--)
		AddTo(sum, of_threads[thread]);
	for (uint32_t i = end; i > begin; i--)
	{
		AddTo(sum, node.octets[i - 1]);
		to[i - 1] = sum.x + sum.y;
	}
	__syncthreads();
}

/*
 * The tail and the point of the distribution that is the product of x and y, or x itself if y is NULL;
 * thread 0 gets the result.  "suffixes" has the suffix sums of y.
 */
static __device__ TailSums
SumTail(const NodeBulk &x, const NodeBulk *y, const double *suffixes, uint32_t minsup, double2 *of_warps)
{
	TailSums	sums = {0, 0, 0, 0};
	double2		tail = make_double2(0, 0);
	double2		point = make_double2(0, 0);

	for (uint32_t i = threadIdx.x; i < x.n * OCTET; i += ROOT_THREADS)
	{
		int64_t		rest = (int64_t) minsup - x.offset - i - (y != nullptr ? y->offset : 0);
		int64_t		n = y != nullptr ? (int64_t) y->n * OCTET : 1;

		if (rest >= n)
			continue;
		AddProductTo(tail, x.octets[i], y != nullptr ? suffixes[rest > 0 ? rest : 0] : 1);
		if (rest >= 0)
			AddProductTo(point, x.octets[i], y != nullptr ? y->octets[rest] : 1);
	}
	tail = SumOfBlock(tail, of_warps);
	point = SumOfBlock(point, of_warps);
	sums.tail = tail.x + tail.y;
	sums.point = point.x + point.y;
	return sums;
}

/* A block for each itemset. */
static __global__ void __launch_bounds__(ROOT_THREADS)
RootKernel(TailShare share, TailNodes nodes, TailNodes scratch, uint32_t minsup)
{
	__shared__ double2 of_warps[ROOT_THREADS / 32];
	__shared__ double2 of_threads[ROOT_THREADS];
	uint32_t	first = share.above[blockIdx.x];
	bool		two = share.above[blockIdx.x + 1] - first == 2;
	double	   *suffixes = scratch.slots + (uint64_t) first * scratch.slot_octets * OCTET;
	NodeBulk	x = NodeIn(nodes, first);
	NodeBulk	y = two ? NodeIn(nodes, first + 1) : x;
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
	for (uint32_t i = share.start[blockIdx.x] + threadIdx.x; i < share.start[blockIdx.x + 1]; i += ROOT_THREADS)
		AddTo(mean, share.means[i]);
	mean = SumOfBlock(mean, of_warps);
	if (threadIdx.x == 0)
	{
		double2		mass = Product(of_x.mass, of_y.mass);
		double2		about = Product(of_x.mean, of_y.mass);
		double2		part;

		AddTo(about, Product(of_x.mass, of_y.mean));
		/* the mean becomes the true mean, relative to the same center */
		AddTo(mean, -(double) (of_x.center + of_y.center));
		part = Product(mean, mass);
		AddTo(about, -part.x);
		about.y -= part.y;
		sums.mass = (mass.x - 1) + mass.y;
		sums.mean = about.x + about.y;
		share.sums[blockIdx.x] = sums;
	}
}

cudaError_t
LaunchRoots(GpuDevice *device, const TailShare *share, const TailNodes *nodes, const TailNodes *scratch,
			uint32_t minsup)
{
	RootKernel<<<share->n, ROOT_THREADS, 0, device->streams[GPU_COUNT]>>>(*share, *nodes, *scratch, minsup);
	return GpuLaunched(device, "summing distributions");
}

/*-------------------------------------------------------------------------
 *
 * tails_roots.cu
 *	  The sums of itemsets' distributions, from the nodes below the roots of their trees, see tails.h.
 *
 *-------------------------------------------------------------------------
 */
#include "probable/tails_device.h"
#include "probable/two_doubles.h"

#define THREADS			128

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
	int64_t		center;			/* the middle of the node's window */
};

static __device__ NodeSums
SumNode(const NodeWindow &node, double2 *of_warps)
{
	NodeSums	sums = {{0, 0}, {0, 0}, 0};
	int64_t		middle = (int64_t) node.n * PIECE / 2;

	sums.center = node.offset + middle;
	for (int64_t i = threadIdx.x; i < (int64_t) node.n * PIECE; i += THREADS)
	{
		AddTo(sums.mass, node.pieces[i]);
		AddProductTo(sums.mean, (double) (i - middle), node.pieces[i]);
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
SumSuffixes(const NodeWindow &node, double *to, double2 *of_threads)
{
	uint32_t	n = node.n * PIECE;
	uint32_t	each = (n + THREADS - 1) / THREADS;
	uint32_t	begin = min(threadIdx.x * each, n);
	uint32_t	end = min(begin + each, n);
	double2		sum = make_double2(0, 0);

	for (uint32_t i = begin; i < end; i++)
		AddTo(sum, node.pieces[i]);
	of_threads[threadIdx.x] = sum;
	__syncthreads();
	sum = make_double2(0, 0);
	for (uint32_t thread = THREADS - 1; thread > threadIdx.x; thread--)
		AddTo(sum, of_threads[thread]);
	for (uint32_t i = end; i > begin; i--)
	{
		AddTo(sum, node.pieces[i - 1]);
		to[i - 1] = sum.x + sum.y;
	}
	__syncthreads();
}

/*
 * The tail and the point of the distribution that is the product of x and y, or x itself if y is NULL;
 * thread 0 gets the result.  "suffixes" has the suffix sums of y.
 */
static __device__ TailSums
SumTail(const NodeWindow &x, const NodeWindow *y, const double *suffixes, uint32_t minsup, double2 *of_warps)
{
	TailSums	sums = {0, 0, 0, 0};
	double2		tail = make_double2(0, 0);
	double2		point = make_double2(0, 0);

	for (uint32_t i = threadIdx.x; i < x.n * PIECE; i += THREADS)
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
static __global__ void __launch_bounds__(THREADS)
RootKernel(TailShare share, TailNodes nodes, TailNodes scratch, uint32_t minsup)
{
	__shared__ double2 of_warps[THREADS / 32];
	__shared__ double2 of_threads[THREADS];
	uint32_t	first = share.above[blockIdx.x];
	bool		two = share.above[blockIdx.x + 1] - first == 2;
	double	   *suffixes = scratch.slots + (uint64_t) first * scratch.slot_pieces * PIECE;
	NodeWindow	x = NodeIn(nodes, first);
	NodeWindow	y = two ? NodeIn(nodes, first + 1) : x;
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
	for (uint32_t i = share.start[blockIdx.x] + threadIdx.x; i < share.start[blockIdx.x + 1]; i += THREADS)
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
	RootKernel<<<share->n, THREADS, 0, device->streams[GPU_COUNT]>>>(*share, *nodes, *scratch, minsup);
	return GpuLaunched(device, "summing distributions");
}

/*-------------------------------------------------------------------------
 *
 * few_kernels.cu
 *	  The dynamic programme for itemsets of few transactions, see few.h.
 *
 * A warp computes the tail of one itemset.  Lane l has, for each of the four supports
 * 4 l .. 4 l + 3, the probability that exactly so many of the transactions up to now hold
 * the itemset.  Each further transaction moves a part of each of these probabilities to
 * the next support.  What it moves from minsup - 1 to minsup is added to the tail.
 *
 *-------------------------------------------------------------------------
 */
#include "probable/few.h"
#include "probable/lines.h"
#include "probable/two_doubles.h"

#define WARPS		4
#define STATES		4			/* supports of a lane */

static_assert(STATES * 32 == FIM_FEW_TRANSACTIONS, "lanes have all supports below the most transactions");

static __device__ __forceinline__ double2
FromLane(double2 x, uint32_t lane)
{
	return make_double2(__shfl_sync(ALL_LANES, x.x, lane), __shfl_sync(ALL_LANES, x.y, lane));
}

/* The value x of the lane below; 0 in the first lane. */
static __device__ __forceinline__ double2
FromBelow(double2 x)
{
	double2		below = FromLane(x, LaneNumber() - 1);

	return LaneNumber() > 0 ? below : make_double2(0, 0);
}

/*
 * The probability in transaction first + LaneNumber() of the itemset's n; 0 if there is no such
 * transaction.
 */
static __device__ __forceinline__ double2
ReadPart(const ProbabilityLists &lists, uint32_t itemset, uint32_t first, uint32_t n)
{
	uint64_t	at = (uint64_t) itemset * FIM_FEW_TRANSACTIONS + first + LaneNumber();

	if (first + LaneNumber() >= n)
		return make_double2(0, 0);
	return make_double2(lists.list[at], lists.rest != nullptr ? lists.rest[at] : 0);
}

/*
 * Updates the probabilities of the lane's supports for one more transaction, which holds the itemset
 * with p.
 */
static __device__ __forceinline__ void
AddTransaction(double2 (&f)[STATES], double2 p)
{
	double2		rest = RestOf(p);
	double2		below = FromBelow(f[STATES - 1]);

#pragma unroll
	for (int s = STATES - 1; s >= 0; s--)
		f[s] = OrderedSum(OrderedProduct(f[s], rest), OrderedProduct(s > 0 ? f[s - 1] : below, p));
}

static __global__ void __launch_bounds__(WARPS * 32)
FewKernel(FewShare share, uint32_t minsup, uint32_t first, uint32_t end)
{
	uint32_t	itemset = first + blockIdx.x * WARPS + threadIdx.x / 32;
	uint32_t	last = (minsup - 1) % STATES;	/* support minsup - 1 is number "last" ... */
	uint32_t	owner = (minsup - 1) / STATES;	/* ... of lane "owner" */
	double2		tail = make_double2(0, 0);
	double2		f[STATES];
	uint32_t	n;

	if (itemset >= end)
		return;
	n = share.lists.filled[itemset];
#pragma unroll
	for (int s = 0; s < STATES; s++)
		f[s] = make_double2(s == 0 && LaneNumber() == 0 ? 1 : 0, 0);
	for (uint32_t from = 0; from < n; from += 32)
	{
		double2		part = ReadPart(share.lists, itemset, from, n);

		for (uint32_t i = 0; i < 32 && from + i < n; i++)
		{
			double2		p = FromLane(part, i);

#pragma unroll
			for (int s = 0; s < STATES; s++)
				if (s == last)
					tail = OrderedSum(tail, OrderedProduct(f[s], p));
			AddTransaction(f, p);
		}
	}
	if (LaneNumber() == owner)
		share.tails[itemset] = FewTail {tail.x, tail.y};
}

cudaError_t
LaunchFew(GpuDevice *device, const FewShare *share, uint32_t minsup, uint32_t from, uint32_t n)
{
	FewKernel<<<GpuBlocks(n, WARPS), WARPS * 32, 0, device->streams[GPU_COUNT]>>>
		(*share, minsup, from, from + n);
	return GpuLaunched(device, "summing distributions");
}

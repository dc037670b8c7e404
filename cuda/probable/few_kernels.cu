/*-------------------------------------------------------------------------
 *
 * few_kernels.cu
 *	  The dynamic programme for itemsets of few transactions, see few.h.
 *
 * A warp has an itemset: each lane the probabilities of four supports below minsup,
 * that so many of the transactions so far hold it.  A transaction moves a part of each
 * to the next support, and what leaves minsup - 1 adds to the tail.
 *
 *-------------------------------------------------------------------------
 */
#include "probable/few.h"
#include "probable/lines.h"
#include "probable/two_doubles.h"

#define WARPS		4
#define STATES		4			/* of a lane */

static_assert(STATES * 32 == FIM_FEW_TRANSACTIONS, "lanes have all supports below the most transactions");

static __device__ __forceinline__ double2
FromLane(double2 x, uint32_t lane)
{
	return make_double2(__shfl_sync(ALL_LANES, x.x, lane), __shfl_sync(ALL_LANES, x.y, lane));
}

/* What the lane below has; 0 in the first lane. */
static __device__ __forceinline__ double2
FromBelow(double2 x)
{
	double2		below = FromLane(x, LaneNumber() - 1);

	return LaneNumber() > 0 ? below : make_double2(0, 0);
}

/* The lane's part of the transactions first .. first + 31, those that there are. */
static __device__ __forceinline__ double2
ReadPart(const ProbabilityLists &lists, uint32_t itemset, uint32_t first, uint32_t n)
{
	uint64_t	at = (uint64_t) itemset * FIM_FEW_TRANSACTIONS + first + LaneNumber();

	if (first + LaneNumber() >= n)
		return make_double2(0, 0);
	return make_double2(lists.list[at], lists.rest != nullptr ? lists.rest[at] : 0);
}

/* What a transaction of probability p makes of the lane's supports. */
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
	uint32_t	last = (minsup - 1) % STATES;	/* minsup - 1 is in this state ... */
	uint32_t	owner = (minsup - 1) / STATES;	/* ... of this lane */
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

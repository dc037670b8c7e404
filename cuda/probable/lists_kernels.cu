/*-------------------------------------------------------------------------
 *
 * lists_kernels.cu
 *	  Listing the probabilities of itemsets, and the tails of those in few transactions; see probable.h.
 *
 *-------------------------------------------------------------------------
 */
#include "probable/probable.h"
#include "probable/probable_device.h"

/* ---- lists ---- */

#define WARPS			16
#define THREADS			(WARPS * 32)

/*
 * To be called by all warps of a block, each with the number of values that it appends
 * to the itemset's list.  Returns the place in the list at which the warp's own values
 * begin, and adds the values of all warps to "filled", the length of the list.  "counts"
 * is shared memory.
 */
static __device__ __forceinline__ uint32_t
PlaceOfWarp(uint32_t count, uint32_t *counts, uint32_t &filled)
{
	uint32_t	warp = threadIdx.x / 32;
	uint32_t	to = filled;

	if (LaneNumber() == 0)
		counts[warp] = count;
	__syncthreads();
	for (uint32_t w = 0; w < WARPS; w++)
	{
		to += w < warp ? counts[w] : 0;
		filled += counts[w];
	}
	__syncthreads();
	return to;
}

/* The number of bits set in a word below the lane's bit. */
static __device__ __forceinline__ uint32_t
BitsBelow(uint32_t word)
{
	return __popc(word & ((1u << LaneNumber()) - 1));
}

/* Writes the values of the warp's slab as doubles, from list[0] on. */
template <bool BY_ENTRY>
static __device__ __forceinline__ void
WriteValues(const UncertainSheet &sheet, uint32_t slab, const uint32_t *columns, uint32_t length,
			uint32_t word, double *list)
{
	uint32_t	below = SumBelow(__popc(word));
	double		p[LINE_WORDS];

	ReadProbabilities<BY_ENTRY>(sheet, slab, columns, length, word, p);
#pragma unroll
	for (int i = 0; i < LINE_WORDS; i++)
	{
		uint32_t	bits = __shfl_sync(ALL_LANES, word, i);
		uint32_t	before = __shfl_sync(ALL_LANES, below, i);

		if (bits >> LaneNumber() & 1)
			list[before + BitsBelow(bits)] = p[i];
	}
}

/*
 * Writes the values of the warp's slab as sums of two doubles, from list[0] and rest[0]
 * on.  The itemset has few transactions, so most words of the slab have none and are
 * skipped.
 */
static __device__ __forceinline__ void
WriteProducts(const UncertainSheet &sheet, uint32_t slab, const uint32_t *columns, uint32_t length,
			  uint32_t word, double *list, double *rest)
{
	for (uint32_t filled = __ballot_sync(ALL_LANES, word != 0); filled != 0; filled &= filled - 1)
	{
		int			i = __ffs(filled) - 1;
		uint32_t	bits = __shfl_sync(ALL_LANES, word, i);
		bool		has = HasBit(word, i);
		double2		p = make_double2(1, 0);

		for (uint32_t c = 0; c < length; c++)
		{
			double		factor = ValueIn(ReadValuedLine(sheet, slab, columns[c]), i, has);

			p = OrderedProduct(p, make_double2(factor, 0));
		}
		if (has)
		{
			list[BitsBelow(bits)] = p.x;
			rest[BitsBelow(bits)] = p.y;
		}
		list += __popc(bits);
		rest += __popc(bits);
	}
}

/* How many columns an itemset has; GPU_NONE fills up the rest. */
static __device__ __forceinline__ uint32_t
LengthOf(const uint32_t *columns, uint32_t longest)
{
	uint32_t	length = longest;

	while (length > 0 && columns[length - 1] == GPU_NONE)
		length--;
	return length;
}

/* What a list's values are, and in which form they are written. */
enum Values
{
	OF_ROWS,					/* transactions' probabilities */
	PRODUCTS,					/* products of entries' probabilities, as doubles */
	EXACT_PRODUCTS				/* the same as sums of two doubles */
};

/* A block of threads for each itemset; a warp does a slab at a time. */
template <Values VALUES>
static __global__ void __launch_bounds__(THREADS)
ListKernel(UncertainSheet sheet, ProbabilityLists lists, uint32_t first)
{
	__shared__ uint32_t counts[WARPS];
	uint32_t	itemset = first + blockIdx.x;
	const uint32_t *columns = lists.columns + (uint64_t) itemset * lists.length;
	uint32_t	length = LengthOf(columns, lists.length);
	uint64_t	at = (lists.start != nullptr ? lists.start[itemset] : itemset) * (uint64_t) lists.grain;
	uint32_t	filled = lists.filled[itemset];

	for (uint32_t from = 0; from < sheet.nslabs; from += WARPS)
	{
		uint32_t	slab = from + threadIdx.x / 32;
		uint32_t	word = slab < sheet.nslabs ? CommonWord(sheet, slab, columns, length) : 0;
		uint32_t	count = SumOverLanes(__popc(word));
		uint64_t	to = at + PlaceOfWarp(count, counts, filled);

		if (count == 0)
			continue;
		if (VALUES == EXACT_PRODUCTS)
			WriteProducts(sheet, slab, columns, length, word, lists.list + to, lists.rest + to);
		else
			WriteValues<VALUES == PRODUCTS>(sheet, slab, columns, length, word, lists.list + to);
	}
	if (threadIdx.x == 0)
		lists.filled[itemset] = filled;
}

cudaError_t
LaunchLists(GpuDevice *device, const UncertainSheet *sheet, const ProbabilityLists *lists, uint32_t from,
			uint32_t n)
{
	cudaStream_t stream = device->streams[GPU_COUNT];

	if (sheet->row_p != NULL)
		ListKernel<OF_ROWS><<<n, THREADS, 0, stream>>>(*sheet, *lists, from);
	else if (lists->rest == NULL)
		ListKernel<PRODUCTS><<<n, THREADS, 0, stream>>>(*sheet, *lists, from);
	else
		ListKernel<EXACT_PRODUCTS><<<n, THREADS, 0, stream>>>(*sheet, *lists, from);
	return GpuLaunched(device, "listing probabilities");
}

/* ---- the dynamic programme for itemsets of few transactions ---- */

/*
 * A warp computes the tail of one itemset.  Lane l has, for each of the four supports
 * 4 l .. 4 l + 3, the probability that exactly so many of the transactions up to now hold
 * the itemset.  Each further transaction moves a part of each of these probabilities to
 * the next support.  What it moves from minsup - 1 to minsup is added to the tail.
 */

#define FEW_WARPS		4
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

static __global__ void __launch_bounds__(FEW_WARPS * 32)
FewKernel(FewShare share, uint32_t minsup, uint32_t first, uint32_t end)
{
	uint32_t	itemset = first + blockIdx.x * FEW_WARPS + threadIdx.x / 32;
	uint32_t	last = (minsup - 1) % STATES; /* support minsup - 1 is number "last" ... */
	uint32_t	owner = (minsup - 1) / STATES; /* ... of lane "owner" */
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
	FewKernel<<<GpuBlocks(n, FEW_WARPS), FEW_WARPS * 32, 0, device->streams[GPU_COUNT]>>>
		(*share, minsup, from, from + n);
	return GpuLaunched(device, "summing distributions");
}

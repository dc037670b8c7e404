/*-------------------------------------------------------------------------
 *
 * tables_kernels.cu
 *	  Tables of all sets of a class's members, see tables.h.
 *
 * A table is filled (tables_fill.h), supports are added up (tables_spread.h), sets that are not
 * closed or not maximal are marked (tables_wanted.h), and the others are counted or listed.
 *
 *-------------------------------------------------------------------------
 */
#include "itemsets/tables_fill.h"
#include "itemsets/tables_spread.h"
#include "itemsets/tables_wanted.h"

#define BLOCKS			2048	/* enough to fill any device */

/*
 * A warp makes tables of few members, and of a few more if there are only few
 * transactions to go through.
 */
#define SMALL_MEMBERS	7
#define SMALL_SLABS		64
#define SHORT_MEMBERS	9
#define SHORT_SLABS		8

/*
 * Count the wanted sets by their length.  A warp has 32 sets that differ in their lowest five
 * members alone, of which a set can have 0 to 5.  So each of six lanes counts the votes of the
 * sets that have a certain number of these members.
 */
template <int GROUP, FimKind KIND, class Work>
static __device__ void
CountLengths(const Tables &tables, uint32_t c, Work &work, uint32_t n, uint32_t thread)
{
	uint32_t	lane = thread % 32;
	uint32_t	mine = 0;

#pragma unroll
	for (uint32_t length = 0; length <= 5; length++)
	{
		uint32_t	lanes = __ballot_sync(ALL_LANES, __popc(lane) == length);

		mine = lane == length ? lanes : mine;
	}
	for (uint32_t base = 0; base < 1u << n; base += GROUP)
	{
		uint32_t	set = base + thread;
		uint32_t	votes = __ballot_sync(ALL_LANES, IsWanted<KIND> (tables, work, n, set));

		if ((votes & mine) != 0)
			atomicAdd(&work.lengths[lane + __popc(set >> 5)], __popc(votes & mine));
	}
	Sync<GROUP> ();
	if (thread >= 1 && thread <= n && work.lengths[thread] > 0)
		atomicAdd(tables.counts.counts + (size_t) tables.counts.nperfect[c] * tables.counts.lengths +
				  tables.counts.depth[c] + thread, (unsigned long long) work.lengths[thread]);
}

/* The number of threads of the group before this one that say yes.  Sets *total to how many do in all. */
template <int GROUP, class Work>
static __device__ __forceinline__ uint32_t
Rank(Work &work, bool yes, uint32_t thread, uint32_t *total)
{
	uint32_t	votes = __ballot_sync(ALL_LANES, yes);
	uint32_t	rank = __popc(votes & ((1u << thread % 32) - 1));

	*total = __popc(votes);
	if (GROUP == 32)
		return rank;
	__syncthreads();
	if (thread % 32 == 0)
		work.sums[thread / 32] = *total;
	__syncthreads();
	*total = 0;
	for (uint32_t w = 0; w < TABLE_WARPS; w++)
	{
		rank += w < thread / 32 ? work.sums[w] : 0;
		*total += work.sums[w];
	}
	return rank;
}

template <int GROUP, FimKind KIND, class Work>
static __device__ void
ListSets(const Tables &tables, uint32_t c, Work &work, uint32_t n, uint32_t thread)
{
	uint32_t	found = 0;
	uint32_t	total;
	unsigned long long at;

	for (uint32_t base = 0; base < 1u << n; base += GROUP)
	{
		(void) Rank<GROUP> (work, IsWanted<KIND> (tables, work, n, base + thread), thread, &total);
		found += total;
	}
	Sync<GROUP> ();
	if (thread == 0)
		work.at = atomicAdd(tables.patterns.count, (unsigned long long) found);
	Sync<GROUP> ();
	at = work.at;
	for (uint32_t base = 0; base < 1u << n; base += GROUP)
	{
		uint32_t	set = base + thread;
		bool		wanted = IsWanted<KIND> (tables, work, n, set);
		uint32_t	rank = Rank<GROUP> (work, wanted, thread, &total);

		if (wanted)
		{
			tables.patterns.pattern[at + rank] = (uint64_t) c << 32 | set;
			tables.patterns.support[at + rank] = work.table[set];
		}
		at += total;
	}
}

/* Which kernel makes the class's table, as the number of members that this kernel has room for. */
static __device__ __forceinline__ int
RoomFor(const FimCompaction &class_)
{
	uint32_t	n = class_.to.rows - class_.to.skip;

	if (n <= SMALL_MEMBERS && class_.from.slabs <= SMALL_SLABS)
		return SMALL_MEMBERS;
	if (n <= SHORT_MEMBERS && class_.from.slabs <= SHORT_SLABS)
		return SHORT_MEMBERS;
	return FIM_TABLE_MEMBERS;
}

template <int GROUP, int MEMBERS, FimKind KIND>
static __global__ void __launch_bounds__(TABLE_THREADS)
TableKernel(Tables tables)
{
	extern __shared__ uint32_t shared[];
	Work<MEMBERS, KIND> &work = ((Work<MEMBERS, KIND> *) shared)[threadIdx.x / GROUP];
	uint32_t	thread = threadIdx.x % GROUP;
	uint32_t	group = blockIdx.x * (TABLE_THREADS / GROUP) + threadIdx.x / GROUP;

	for (uint32_t c = tables.first + group; c < tables.end; c += gridDim.x * (TABLE_THREADS / GROUP))
	{
		FimCompaction class_ = tables.classes[c];
		uint32_t	n = class_.to.rows - class_.to.skip;

		if (RoomFor(class_) != MEMBERS)
			continue;
		BeginTable<GROUP, KIND> (tables, class_, work, n, thread);
		FillTable<GROUP, MEMBERS, KIND> (tables, class_, work, n, thread);
		SpreadSupersets<GROUP, Add> (work.table, n, thread);
		if constexpr (KIND == FIM_CLOSED)
			MarkCovered<GROUP, MEMBERS> (tables, class_, work, n, thread);
		if constexpr (KIND == FIM_MAXIMAL)
			MarkExtended<GROUP> (tables, class_, work, n, thread);
		if (tables.counts.counts != NULL)
			CountLengths<GROUP, KIND> (tables, c, work, n, thread);
		else
			ListSets<GROUP, KIND> (tables, c, work, n, thread);
		Sync<GROUP> ();
	}
}

template <int GROUP, int MEMBERS, FimKind KIND>
static cudaError_t
LaunchTables(const Tables &tables, cudaStream_t stream)
{
	uint32_t	groups = TABLE_THREADS / GROUP;
	uint32_t	blocks = (tables.end - tables.first + groups - 1) / groups;
	size_t		size = sizeof(Work<MEMBERS, KIND>) * groups;
	cudaError_t error = cudaFuncSetAttribute(TableKernel<GROUP, MEMBERS, KIND>,
											 cudaFuncAttributeMaxDynamicSharedMemorySize, (int) size);

	if (error != cudaSuccess)
		return error;
	TableKernel<GROUP, MEMBERS, KIND> <<<blocks < BLOCKS ? blocks : BLOCKS, TABLE_THREADS, size,
		stream>>>(tables);
	return cudaGetLastError();
}

/* Launch a kernel for each size of tables. */
template <FimKind KIND>
static cudaError_t
LaunchSizes(const Tables &tables, cudaStream_t stream)
{
	cudaError_t error = LaunchTables<32, SMALL_MEMBERS, KIND> (tables, stream);

	if (error == cudaSuccess)
		error = LaunchTables<32, SHORT_MEMBERS, KIND> (tables, stream);
	if (error == cudaSuccess)
		error = LaunchTables<TABLE_THREADS, FIM_TABLE_MEMBERS, KIND> (tables, stream);
	return error;
}

cudaError_t
FimMineTables(const void *from, const FimCompaction *classes, const uint32_t *source,
			  uint32_t first, uint32_t end, uint32_t minsup, FimKind kind,
			  const FimPatterns *patterns, const FimPatternCounts *counts, cudaStream_t stream)
{
	Tables		tables = {(const uint32_t *) from, classes, source, first, end, minsup,
	*patterns, *counts};

	if (first == end)
		return cudaSuccess;
	switch (kind)
	{
		case FIM_CLOSED:
			return LaunchSizes<FIM_CLOSED> (tables, stream);
		case FIM_MAXIMAL:
			return LaunchSizes<FIM_MAXIMAL> (tables, stream);
		default:
			return LaunchSizes<FIM_ALL> (tables, stream);
	}
}

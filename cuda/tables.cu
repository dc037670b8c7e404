/*-------------------------------------------------------------------------
 *
 * tables.cu
 *	  Tables of all sets of a class's members, see tables.h.
 *
 * Small tables are a warp's, the others a block's; both are a group of threads
 * that does the same.
 *
 *-------------------------------------------------------------------------
 */
#include "tables.h"

#define THREADS			256
#define WARPS			(THREADS / 32)
#define BLOCKS			2048	/* fill any device; each takes what is next */
#define LINE_WORDS		32
#define FULL_MASK		0xffffffffu

/* What a warp takes: few members, and few transactions to go through. */
#define WARP_MEMBERS	7
#define WARP_SUPPORT	65536

typedef struct Tables
{
	const uint32_t *lines;
	const FimCompact *classes;
	const uint32_t *source;
	uint32_t	first;
	uint32_t	end;
	uint32_t	minsup;
	FimPatterns patterns;
	FimPatternCounts counts;
} Tables;

/* A group's shared memory. */
template <int MEMBERS>
struct Work
{
	uint32_t	table[1 << MEMBERS];
	uint32_t	lengths[MEMBERS + 1];
	uint32_t	rows[MEMBERS];
	uint32_t	sums[WARPS];
	unsigned long long at;
};

template <int GROUP>
static __device__ __forceinline__ void
Sync()
{
	if (GROUP == 32)
		__syncwarp();
	else
		__syncthreads();
}

/* Count the transactions of 32 that have exactly each set. */
template <int MEMBERS>
static __device__ __forceinline__ void
CountWord(Work<MEMBERS> &work, uint32_t tids, const uint32_t *words)
{
	for (; tids != 0; tids &= tids - 1)
	{
		uint32_t	bit = __ffs(tids) - 1;
		uint32_t	set = 0;

#pragma unroll
		for (int i = 0; i < MEMBERS; i++)
			set |= (words[i] >> bit & 1) << i;
		atomicAdd(&work.table[set], 1);
	}
}

template <int GROUP, int MEMBERS>
static __device__ void
FillTable(const Tables &tables, const FimCompact &class_, Work<MEMBERS> &work, uint32_t thread)
{
	const FimClass &from = class_.from;
	uint32_t	n = class_.to.rows;
	uint32_t	prefix = class_.prefix - from.first;

	for (uint32_t set = thread; set < 1u << n; set += GROUP)
		work.table[set] = 0;
	if (thread < n)
		work.rows[thread] = tables.source[class_.members + thread] - from.first;
	if (thread <= n)
		work.lengths[thread] = 0;
	Sync<GROUP> ();
	for (uint32_t w = thread; w < from.slabs * LINE_WORDS; w += GROUP)
	{
		const uint32_t *slab = tables.lines + w % LINE_WORDS +
			(from.line + (uint64_t) (w / LINE_WORDS) * from.rows) * LINE_WORDS;
		uint32_t	tids = __ldg(slab + (size_t) prefix * LINE_WORDS);
		uint32_t	words[MEMBERS];

		if (tids == 0)
			continue;
#pragma unroll
		for (int i = 0; i < MEMBERS; i++)
			words[i] = i < n ? __ldg(slab + (size_t) work.rows[i] * LINE_WORDS) : 0;
		CountWord<MEMBERS> (work, tids, words);
	}
	Sync<GROUP> ();
}

/* From exactly to at least: each member's supersets are added in turn. */
template <int GROUP, int MEMBERS>
static __device__ void
AddSupersets(Work<MEMBERS> &work, uint32_t n, uint32_t thread)
{
	for (uint32_t i = 0; i < n; i++)
	{
		for (uint32_t half = thread; half < 1u << (n - 1); half += GROUP)
		{
			uint32_t	set = (half >> i << (i + 1)) | (half & ((1u << i) - 1));

			work.table[set] += work.table[set | 1u << i];
		}
		Sync<GROUP> ();
	}
}

template <int GROUP, int MEMBERS>
static __device__ void
CountLengths(const Tables &tables, uint32_t c, Work<MEMBERS> &work, uint32_t n, uint32_t thread)
{
	for (uint32_t set = thread + 1; set < 1u << n; set += GROUP)
		if (work.table[set] >= tables.minsup)
			atomicAdd(&work.lengths[__popc(set)], 1);
	Sync<GROUP> ();
	if (thread >= 1 && thread <= n && work.lengths[thread] > 0)
		atomicAdd(tables.counts.counts + (size_t) tables.counts.nperfect[c] * tables.counts.lengths +
				  tables.counts.depth[c] + thread, (unsigned long long) work.lengths[thread]);
}

/* How many threads of the group before this one say yes; *total: how many do. */
template <int GROUP, int MEMBERS>
static __device__ __forceinline__ uint32_t
Rank(Work<MEMBERS> &work, bool yes, uint32_t thread, uint32_t *total)
{
	uint32_t	votes = __ballot_sync(FULL_MASK, yes);
	uint32_t	rank = __popc(votes & ((1u << thread % 32) - 1));

	*total = __popc(votes);
	if (GROUP == 32)
		return rank;
	__syncthreads();
	if (thread % 32 == 0)
		work.sums[thread / 32] = *total;
	__syncthreads();
	*total = 0;
	for (uint32_t w = 0; w < WARPS; w++)
	{
		rank += w < thread / 32 ? work.sums[w] : 0;
		*total += work.sums[w];
	}
	return rank;
}

/* Sets that are frequent, but for the empty one. */
template <int GROUP, int MEMBERS>
static __device__ void
ListSets(const Tables &tables, uint32_t c, Work<MEMBERS> &work, uint32_t n, uint32_t thread)
{
	uint32_t	found = 0;
	uint32_t	total;
	unsigned long long at;

	for (uint32_t base = 0; base < 1u << n; base += GROUP)
	{
		uint32_t	set = base + thread;

		(void) Rank<GROUP> (work, set > 0 && set < 1u << n && work.table[set] >= tables.minsup,
							thread, &total);
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
		bool		frequent = set > 0 && set < 1u << n && work.table[set] >= tables.minsup;
		uint32_t	rank = Rank<GROUP> (work, frequent, thread, &total);

		if (frequent)
		{
			tables.patterns.pattern[at + rank] = (uint64_t) c << 32 | set;
			tables.patterns.support[at + rank] = work.table[set];
		}
		at += total;
	}
}

static __device__ __forceinline__ bool
IsWarps(const Tables &tables, const FimCompact &class_)
{
	return class_.to.rows <= WARP_MEMBERS && class_.from.slabs <= WARP_SUPPORT / FIM_SLAB_BITS;
}

template <int GROUP, int MEMBERS>
static __global__ void __launch_bounds__(THREADS)
TableKernel(Tables tables)
{
	__shared__ Work<MEMBERS> works[THREADS / GROUP];
	Work<MEMBERS> &work = works[threadIdx.x / GROUP];
	uint32_t	thread = threadIdx.x % GROUP;
	uint32_t	group = blockIdx.x * (THREADS / GROUP) + threadIdx.x / GROUP;

	for (uint32_t c = tables.first + group; c < tables.end; c += gridDim.x * (THREADS / GROUP))
	{
		FimCompact	class_ = tables.classes[c];

		if (IsWarps(tables, class_) != (GROUP == 32))
			continue;
		FillTable<GROUP> (tables, class_, work, thread);
		AddSupersets<GROUP> (work, class_.to.rows, thread);
		if (tables.counts.counts != NULL)
			CountLengths<GROUP> (tables, c, work, class_.to.rows, thread);
		else
			ListSets<GROUP> (tables, c, work, class_.to.rows, thread);
		Sync<GROUP> ();
	}
}

cudaError_t
FimMineTables(const void *from, const FimCompact *classes, const uint32_t *source,
			  uint32_t first, uint32_t end, uint32_t minsup, const FimPatterns *patterns,
			  const FimPatternCounts *counts, cudaStream_t stream)
{
	Tables		tables = {(const uint32_t *) from, classes, source, first, end, minsup,
	*patterns, *counts};
	uint32_t	n = end - first;

	if (n == 0)
		return cudaSuccess;
	TableKernel<32, WARP_MEMBERS> <<<n / WARPS + 1 < BLOCKS ? n / WARPS + 1 : BLOCKS, THREADS, 0,
		stream>>>(tables);
	TableKernel<THREADS, FIM_TABLE_MEMBERS> <<<n < BLOCKS ? n : BLOCKS, THREADS, 0, stream>>>(tables);
	return cudaGetLastError();
}

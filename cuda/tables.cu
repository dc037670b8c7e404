/*-------------------------------------------------------------------------
 *
 * tables.cu
 *	  Tables of all sets of a class's members, see tables.h.
 *
 * Small tables are a warp's, the others a block's; both are a group of threads
 * that does the same.  For closed sets a table has a second part: which excluded
 * members all transactions of a set have, found like the supports, with AND in
 * place of adding.  For maximal sets, of which there are few, those that no member
 * of the table extends are counted with the excluded members one by one.
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

#define COMMON_WORDS	(FIM_TABLE_EXCLUDED / 32)

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

/* Words that a set has beside its support. */
static constexpr __host__ __device__ int
WordsOfSet(FimKind kind)
{
	return kind == FIM_CLOSED ? COMMON_WORDS : kind == FIM_MAXIMAL ? 1 : 0;
}

/* A group's shared memory. */
template <int MEMBERS, FimKind KIND>
struct Work
{
	unsigned long long at;
	uint32_t	table[1 << MEMBERS];
	uint32_t	common[KIND == FIM_ALL ? 1 : WordsOfSet(KIND)][KIND == FIM_ALL ? 1 : 1 << MEMBERS];
	uint32_t	lengths[MEMBERS + 1];
	uint32_t	rows[MEMBERS + FIM_TABLE_EXCLUDED]; /* to extend by, then excluded */
	uint32_t	sums[WARPS];
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

/* The set that a transaction has, given words of the members. */
template <int MEMBERS>
static __device__ __forceinline__ uint32_t
SetOf(const uint32_t *words, uint32_t bit)
{
	uint32_t	set = 0;

#pragma unroll
	for (int i = 0; i < MEMBERS; i++)
		set |= (words[i] >> bit & 1) << i;
	return set;
}

/* Words of the first n of the listed rows, then zeros; returns those of the prefix. */
template <int MEMBERS>
static __device__ __forceinline__ uint32_t
LoadWords(const Tables &tables, const FimClass &from, uint32_t prefix, uint32_t w,
		  const uint32_t *rows, uint32_t n, uint32_t *words)
{
	const uint32_t *slab = tables.lines + w % LINE_WORDS +
		(from.line + (uint64_t) (w / LINE_WORDS) * from.rows) * LINE_WORDS;
	uint32_t	tids = __ldg(slab + (size_t) prefix * LINE_WORDS);

	if (tids == 0)
		return 0;
#pragma unroll
	for (int i = 0; i < MEMBERS; i++)
		words[i] = i < n ? __ldg(slab + (size_t) rows[i] * LINE_WORDS) : 0;
	return tids;
}

/*
 * Blocks of W x W bits on the diagonal, turned: byte or half c of word k then holds
 * in bit i what it had in bit k of word i (Warren, Hacker's Delight, section 7-3).
 */
template <int W>
static __device__ __forceinline__ void
TurnWords(uint32_t *words)
{
#pragma unroll
	for (int j = W / 2; j > 0; j /= 2)
	{
		const uint32_t low = j == 8 ? 0x00ff00ff : j == 4 ? 0x0f0f0f0f : j == 2 ? 0x33333333 : 0x55555555;

#pragma unroll
		for (int k = 0; k < W; k++)
			if ((k & j) == 0)
			{
				uint32_t	swap = ((words[k] >> j) ^ words[k + j]) & low;

				words[k] ^= swap << j;
				words[k + j] ^= swap;
			}
	}
}

/* List the rows and clear the table. */
template <int GROUP, class Work>
static __device__ void
BeginTable(const Tables &tables, const FimCompact &class_, Work &work, uint32_t n, uint32_t thread)
{
	for (uint32_t set = thread; set < max(1u << n, 32u); set += GROUP)
		work.table[set] = 0;
	for (uint32_t i = thread; i < class_.to.rows; i += GROUP)
		work.rows[i < class_.excluded ? n + i : i - class_.excluded] =
			tables.source[class_.members + i] - class_.from.first;
	if (thread <= n)
		work.lengths[thread] = 0;
	Sync<GROUP> ();
}

/*
 * Count the transactions that have exactly each set, but for the empty one.  The
 * words of the members, turned, are the sets.
 */
template <int GROUP, int MEMBERS, class Work>
static __device__ void
FillTable(const Tables &tables, const FimCompact &class_, Work &work, uint32_t n, uint32_t thread)
{
	constexpr int W = MEMBERS <= 8 ? 8 : 16;
	const FimClass &from = class_.from;

	for (uint32_t w = thread; w < from.slabs * LINE_WORDS; w += GROUP)
	{
		uint32_t	words[W];
		uint32_t	tids = LoadWords<W> (tables, from, class_.prefix - from.first, w, work.rows, n,
										 words);
		uint32_t	any = 0;

		if (tids == 0)
			continue;
#pragma unroll
		for (int i = 0; i < MEMBERS; i++)
			any |= words[i];
		tids &= any;
		TurnWords<W> (words);
#pragma unroll
		for (int bit = 0; bit < 32; bit++)
			if (tids >> bit & 1)
				atomicAdd(&work.table[words[bit % W] >> bit / W * W & ((1u << W) - 1)], 1);
	}
	Sync<GROUP> ();
}

/* What the transactions with exactly each set have in common of 32 excluded members. */
template <int GROUP, int MEMBERS, class Work>
static __device__ void
FillCommon(const Tables &tables, const FimCompact &class_, Work &work, uint32_t n, int part,
		   uint32_t thread)
{
	const FimClass &from = class_.from;
	uint32_t	first = part * 32;
	uint32_t	excluded = class_.excluded > first ? min(class_.excluded - first, 32u) : 0;
	uint32_t   *common = work.common[part];

	for (uint32_t set = thread; set < max(1u << n, 32u); set += GROUP)
		common[set] = excluded == 32 ? ~0u : (1u << excluded) - 1;
	Sync<GROUP> ();
	for (uint32_t w = thread; w < from.slabs * LINE_WORDS && excluded > 0; w += GROUP)
	{
		uint32_t	words[MEMBERS];
		uint32_t	others[32];
		uint32_t	tids = LoadWords<MEMBERS> (tables, from, class_.prefix - from.first, w,
											   work.rows, n, words);

		if (tids == 0)
			continue;
		(void) LoadWords<32> (tables, from, class_.prefix - from.first, w,
							  work.rows + n + first, excluded, others);
		for (; tids != 0; tids &= tids - 1)
		{
			uint32_t	bit = __ffs(tids) - 1;
			uint32_t	set = SetOf<MEMBERS> (words, bit);
			uint32_t	had = common[set];

			/* most have nothing in common soon */
			if (had != 0 && (had & ~SetOf<32> (others, bit)) != 0)
				atomicAnd(&common[set], SetOf<32> (others, bit));
		}
	}
	Sync<GROUP> ();
}

struct Add
{
	static __device__ __forceinline__ uint32_t Of(uint32_t a, uint32_t b) { return a + b; }
};

struct And
{
	static __device__ __forceinline__ uint32_t Of(uint32_t a, uint32_t b) { return a & b; }
};

/* Bits 0 .. 4 of the sets, for as many as there are: a warp has 32 neighbors. */
template <int GROUP, class Op>
static __device__ void
SpreadLanes(uint32_t *values, uint32_t n, uint32_t thread)
{
	uint32_t	bits = min(n, 5u);

	for (uint32_t set = thread; set < max(1u << n, 32u); set += GROUP)
	{
		uint32_t	value = values[set];

		for (uint32_t i = 0; i < bits; i++)
		{
			uint32_t	other = __shfl_xor_sync(FULL_MASK, value, 1 << i);

			if ((set >> i & 1) == 0)
				value = Op::Of(value, other);
		}
		values[set] = value;
	}
	Sync<GROUP> ();
}

/* BITS bits of the sets, from bit "first" on: a thread has all that differ in these. */
template <int GROUP, int BITS, class Op>
static __device__ void
SpreadBits(uint32_t *values, uint32_t first, uint32_t n, uint32_t thread)
{
	for (uint32_t rest = thread; rest < 1u << (n - BITS); rest += GROUP)
	{
		uint32_t	base = (rest >> first << (first + BITS)) | (rest & ((1u << first) - 1));
		uint32_t	value[1 << BITS];

#pragma unroll
		for (int s = 0; s < 1 << BITS; s++)
			value[s] = values[base | s << first];
#pragma unroll
		for (int i = 0; i < BITS; i++)
#pragma unroll
			for (int s = 0; s < 1 << BITS; s++)
				if ((s >> i & 1) == 0)
					value[s] = Op::Of(value[s], value[s | 1 << i]);
#pragma unroll
		for (int s = 0; s < 1 << BITS; s++)
			values[base | s << first] = value[s];
	}
	Sync<GROUP> ();
}

/* From exactly to at least: to each set the values of its supersets, member by member. */
template <int GROUP, class Op>
static __device__ void
SpreadSupersets(uint32_t *values, uint32_t n, uint32_t thread)
{
	uint32_t	first = 5;

	SpreadLanes<GROUP, Op> (values, n, thread);
	for (; first + 4 <= n; first += 4)
		SpreadBits<GROUP, 4, Op> (values, first, n, thread);
	if (first + 3 <= n)
		SpreadBits<GROUP, 3, Op> (values, first, n, thread);
	else if (first + 2 <= n)
		SpreadBits<GROUP, 2, Op> (values, first, n, thread);
	else if (first + 1 <= n)
		SpreadBits<GROUP, 1, Op> (values, first, n, thread);
}

template <int GROUP, FimKind KIND, class Work>
static __device__ void
AddSupersets(Work &work, uint32_t n, uint32_t thread)
{
	SpreadSupersets<GROUP, Add> (work.table, n, thread);
	if (KIND == FIM_CLOSED)
		for (int part = 0; part < COMMON_WORDS; part++)
			SpreadSupersets<GROUP, And> (work.common[part], n, thread);
}

/* No member of the table is frequent with a frequent set, nor in all of its transactions. */
template <FimKind KIND, class Work>
static __device__ __forceinline__ bool
IsExtended(const Tables &tables, const Work &work, uint32_t n, uint32_t set)
{
	for (uint32_t i = 0; i < n; i++)
		if ((set >> i & 1) == 0 &&
			work.table[set | 1u << i] >= (KIND == FIM_CLOSED ? work.table[set] : tables.minsup))
			return true;
	return false;
}

/* A warp: some excluded member is frequent with the set. */
template <class Work>
static __device__ bool
HasExcluded(const Tables &tables, const FimCompact &class_, const Work &work, uint32_t n,
			uint32_t set)
{
	const FimClass &from = class_.from;
	uint32_t	prefix = class_.prefix - from.first;
	bool		found = false;

	for (uint32_t base = 0; base < class_.excluded && !found; base += 32)
	{
		uint32_t	y = base + threadIdx.x % 32;
		uint32_t	count = 0;

		for (uint32_t w = 0; w < from.slabs * LINE_WORDS; w++)
		{
			const uint32_t *slab = tables.lines + w % LINE_WORDS +
				(from.line + (uint64_t) (w / LINE_WORDS) * from.rows) * LINE_WORDS;
			uint32_t	tids = __ldg(slab + (size_t) prefix * LINE_WORDS);

			for (uint32_t left = set; left != 0 && tids != 0; left &= left - 1)
				tids &= __ldg(slab + (size_t) work.rows[__ffs(left) - 1] * LINE_WORDS);
			if (tids != 0 && y < class_.excluded)
				count += __popc(tids & __ldg(slab + (size_t) work.rows[n + y] * LINE_WORDS));
		}
		found = __any_sync(FULL_MASK, count >= tables.minsup);
	}
	return found;
}

/* common[0] becomes 0 for the maximal sets, else 1. */
template <int GROUP, class Work>
static __device__ void
MarkMaximal(const Tables &tables, const FimCompact &class_, Work &work, uint32_t n, uint32_t thread)
{
	for (uint32_t set = thread; set < 1u << n; set += GROUP)
		work.common[0][set] = set == 0 || work.table[set] < tables.minsup ||
			IsExtended<FIM_MAXIMAL> (tables, work, n, set);
	Sync<GROUP> ();
	for (uint32_t set = thread / 32; set < 1u << n && class_.excluded > 0; set += GROUP / 32)
		if (work.common[0][set] == 0)
		{
			bool		extended = HasExcluded(tables, class_, work, n, set);

			__syncwarp();
			if (thread % 32 == 0)
				work.common[0][set] = extended;
		}
	Sync<GROUP> ();
}

/* The set is one of those that are asked for. */
template <FimKind KIND, class Work>
static __device__ __forceinline__ bool
IsWanted(const Tables &tables, const Work &work, uint32_t n, uint32_t set)
{
	if (set == 0 || set >= 1u << n || work.table[set] < tables.minsup)
		return false;
	for (int part = 0; part < WordsOfSet(KIND); part++)
		if (work.common[part][set] != 0)
			return false;
	return KIND != FIM_CLOSED || !IsExtended<KIND> (tables, work, n, set);
}

template <int GROUP, FimKind KIND, class Work>
static __device__ void
CountLengths(const Tables &tables, uint32_t c, Work &work, uint32_t n, uint32_t thread)
{
	for (uint32_t set = thread; set < 1u << n; set += GROUP)
		if (IsWanted<KIND> (tables, work, n, set))
			atomicAdd(&work.lengths[__popc(set)], 1);
	Sync<GROUP> ();
	if (thread >= 1 && thread <= n && work.lengths[thread] > 0)
		atomicAdd(tables.counts.counts + (size_t) tables.counts.nperfect[c] * tables.counts.lengths +
				  tables.counts.depth[c] + thread, (unsigned long long) work.lengths[thread]);
}

/* How many threads of the group before this one say yes; *total: how many do. */
template <int GROUP, class Work>
static __device__ __forceinline__ uint32_t
Rank(Work &work, bool yes, uint32_t thread, uint32_t *total)
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

static __device__ __forceinline__ bool
IsWarps(const FimCompact &class_)
{
	return class_.to.rows - class_.excluded <= WARP_MEMBERS &&
		class_.from.slabs <= WARP_SUPPORT / FIM_SLAB_BITS;
}

template <int GROUP, int MEMBERS, FimKind KIND>
static __global__ void __launch_bounds__(THREADS)
TableKernel(Tables tables)
{
	extern __shared__ uint32_t shared[];
	Work<MEMBERS, KIND> &work = ((Work<MEMBERS, KIND> *) shared)[threadIdx.x / GROUP];
	uint32_t	thread = threadIdx.x % GROUP;
	uint32_t	group = blockIdx.x * (THREADS / GROUP) + threadIdx.x / GROUP;

	for (uint32_t c = tables.first + group; c < tables.end; c += gridDim.x * (THREADS / GROUP))
	{
		FimCompact	class_ = tables.classes[c];
		uint32_t	n = class_.to.rows - class_.excluded;

		if (IsWarps(class_) != (GROUP == 32))
			continue;
		BeginTable<GROUP> (tables, class_, work, n, thread);
		FillTable<GROUP, MEMBERS> (tables, class_, work, n, thread);
		if (KIND == FIM_CLOSED)
			for (int part = 0; part < COMMON_WORDS; part++)
				FillCommon<GROUP, MEMBERS> (tables, class_, work, n, part, thread);
		AddSupersets<GROUP, KIND> (work, n, thread);
		if (KIND == FIM_MAXIMAL)
			MarkMaximal<GROUP> (tables, class_, work, n, thread);
		if (tables.counts.counts != NULL)
			CountLengths<GROUP, KIND> (tables, c, work, n, thread);
		else
			ListSets<GROUP, KIND> (tables, c, work, n, thread);
		Sync<GROUP> ();
	}
}

/* Groups take what is next until nothing is left. */
template <int GROUP, int MEMBERS, FimKind KIND>
static cudaError_t
LaunchTables(const Tables &tables, cudaStream_t stream)
{
	uint32_t	groups = THREADS / GROUP;
	uint32_t	blocks = (tables.end - tables.first + groups - 1) / groups;
	size_t		size = sizeof(Work<MEMBERS, KIND>) * groups;
	cudaError_t error = cudaFuncSetAttribute(TableKernel<GROUP, MEMBERS, KIND>,
											 cudaFuncAttributeMaxDynamicSharedMemorySize, (int) size);

	if (error != cudaSuccess)
		return error;
	TableKernel<GROUP, MEMBERS, KIND> <<<blocks < BLOCKS ? blocks : BLOCKS, THREADS, size,
		stream>>>(tables);
	return cudaGetLastError();
}

/* Both sizes of tables. */
template <FimKind KIND>
static cudaError_t
LaunchBoth(const Tables &tables, cudaStream_t stream)
{
	cudaError_t error = LaunchTables<32, WARP_MEMBERS, KIND> (tables, stream);

	return error != cudaSuccess ? error : LaunchTables<THREADS, FIM_TABLE_MEMBERS, KIND> (tables, stream);
}

cudaError_t
FimMineTables(const void *from, const FimCompact *classes, const uint32_t *source,
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
			return LaunchBoth<FIM_CLOSED> (tables, stream);
		case FIM_MAXIMAL:
			return LaunchBoth<FIM_MAXIMAL> (tables, stream);
		default:
			return LaunchBoth<FIM_ALL> (tables, stream);
	}
}

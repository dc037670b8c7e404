/*-------------------------------------------------------------------------
 *
 * tables_kernels.cu
 *	  Tables of all sets of a class's members, see itemsets.h.
 *
 * A table is filled, supports are added up, sets that are not closed or not maximal are marked, and the
 * others are counted or listed.
 *
 *-------------------------------------------------------------------------
 */
#include "itemsets/itemsets.h"
#include "lanes.h"

/*
 * What the threads that make a table of sets share.
 *
 * A small table is made by a warp, a larger one by a thread block; either is called a gang, of
 * GANG threads.  MEMBERS is the number of members that a table has room for, n the number that
 * it has.
 */

#define TABLE_THREADS	256
#define TABLE_WARPS		(TABLE_THREADS / 32)

typedef struct Tables
{
	const uint32_t *lines;
	const FimCompaction *classes;
	const uint32_t *source;
	uint32_t	first;
	uint32_t	end;
	uint32_t	minsup;
	FimPatterns patterns;
	FimPatternCounts counts;
} Tables;

/* What a gang has in shared memory. */
template <int MEMBERS, FimKind KIND>
struct Work
{
	unsigned long long at;		/* where the gang's sets begin in the list */
	uint32_t	table[1 << MEMBERS]; /* the support of each set */
	uint32_t	common[KIND == FIM_CLOSED ? 1 << MEMBERS : 1]; /* of each set: bits of other rows */
	uint32_t	out[KIND == FIM_ALL ? 1 : (1 << MEMBERS) / 32]; /* a bit for each set that is not wanted */
	uint32_t	lengths[MEMBERS + 1]; /* wanted sets by length */
	uint32_t	rows[MEMBERS];	/* the members' rows in the parent */
	uint32_t	sums[TABLE_WARPS];

	/*
	 * The numbers of some words that have transactions with the full set, and these
	 * transactions; then the rows of excluded members that may cover a set.
	 */
	uint32_t	nsamples;
	uint32_t	sample[KIND == FIM_CLOSED ? 32 : 1];
	uint32_t	sample_full[KIND == FIM_CLOSED ? 32 : 1];
	uint32_t	others[KIND == FIM_CLOSED ? 64 : 1];
};

template <int GANG>
static __device__ __forceinline__ void
Sync()
{
	if (GANG == 32)
		__syncwarp();
	else
		__syncthreads();
}

/*
 * Load word w of the first n listed rows into words[], and fill the rest of words[] with
 * zeros.  Returns word w of the prefix; if that is zero, nothing is loaded.
 */
template <int MEMBERS>
static __device__ __forceinline__ uint32_t
LoadWords(const Tables &tables, const FimCompaction &class_, uint32_t w, const uint32_t *rows,
		  uint32_t n, uint32_t *words)
{
	const uint32_t *first = FimWord(tables.lines, class_.from, w);
	uint32_t	tids = __ldg(first + (size_t) (class_.prefix - class_.from.first) * FIM_LINE_WORDS);

	if (tids == 0)
		return 0;
#pragma unroll
	for (int i = 0; i < MEMBERS; i++)
		words[i] = i < n ? __ldg(first + (size_t) rows[i] * FIM_LINE_WORDS) : 0;
	return tids;
}

/* The parent's row of the class's member y.  Excluded members come first. */
static __device__ __forceinline__ uint32_t
MemberRow(const Tables &tables, const FimCompaction &class_, uint32_t y)
{
	return __ldg(&tables.source[class_.members + y]) - class_.from.first;
}

/* The number of words that have a bit for each set. */
static __device__ __forceinline__ uint32_t
WordsOfSets(uint32_t n)
{
	return ((1u << n) + 31) / 32;
}

/*
 * Filling tables: how many transactions have exactly each set of members, and what rows these transactions
 * have in common.
 */

/*
 * Transpose W x W bits at a time.  These are the same W bits of W words: a byte of each, or
 * half of each if W is 16, or all of each if W is 32.  Bit i of them in word k becomes what
 * bit k was in word i (Warren, Hacker's Delight, section 7-3).
 */
template <int W>
static __device__ __forceinline__ void
TurnWords(uint32_t *words)
{
#pragma unroll
	for (int j = W / 2; j > 0; j /= 2)
	{
		const uint32_t low = j == 16 ? 0x0000ffff : j == 8 ? 0x00ff00ff : j == 4 ? 0x0f0f0f0f :
			j == 2 ? 0x33333333 : 0x55555555;

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

/* Begin a table: list the rows of its members and clear its sums. */
template <int GANG, FimKind KIND, class Work>
static __device__ void
BeginTable(const Tables &tables, const FimCompaction &class_, Work &work, uint32_t n, uint32_t thread)
{
	for (uint32_t set = thread; set < max(1u << n, 32u); set += GANG)
		work.table[set] = 0;
	for (uint32_t i = thread; KIND != FIM_ALL && i < WordsOfSets(n); i += GANG)
		work.out[i] = 0;
	if (thread < n)
		work.rows[thread] = MemberRow(tables, class_, class_.to.skip + thread);
	if (thread <= n)
		work.lengths[thread] = 0;
	Sync<GANG> ();
}

/*
 * Of a word's transactions, *tids, return those that have all members, and leave in *tids those
 * that have some members, but not all.
 */
template <int MEMBERS>
static __device__ __forceinline__ uint32_t
TakeFull(const uint32_t *words, uint32_t n, uint32_t *tids)
{
	uint32_t	any = 0;
	uint32_t	full = *tids;

#pragma unroll
	for (int i = 0; i < MEMBERS; i++)
	{
		any |= words[i];
		full &= i < n ? words[i] : ~0u;
	}
	*tids &= any & ~full;
	return full;
}

/* The set of members that transaction "bit" has, from words that TurnWords() has transposed. */
template <int W>
static __device__ __forceinline__ uint32_t
SetOf(const uint32_t *words, int bit)
{
	return words[bit % W] >> bit / W * W & ((1u << W) - 1);
}

/*
 * Called by a warp.  Each lane may have a sample: the number of a word, and those of its
 * transactions that have the full set.  Keep all samples; a lane whose "full" is 0 has none.
 */
template <class Work>
static __device__ __forceinline__ void
KeepSamples(Work &work, uint32_t word, uint32_t full)
{
	uint32_t	votes = __ballot_sync(ALL_LANES, full != 0);
	uint32_t	at = __popc(votes & ((1u << threadIdx.x % 32) - 1));

	if (full != 0)
	{
		work.sample[at] = word;
		work.sample_full[at] = full;
	}
	if (threadIdx.x % 32 == 0)
		work.nsamples = __popc(votes);
}

/*
 * Count the transactions that have exactly each set, but for the empty one.  The words of the
 * members, transposed, are the sets.  Where members are alike, most transactions have the full
 * set.  So that is counted word by word, lest the atomics of all threads wait for one another.
 */
template <int GANG, int MEMBERS, FimKind KIND, class Work>
static __device__ void
FillTable(const Tables &tables, const FimCompaction &class_, Work &work, uint32_t n, uint32_t thread)
{
	constexpr int W = MEMBERS <= 8 ? 8 : 16;
	uint32_t	nfull = 0;
	uint32_t	sample = 0;
	uint32_t	sample_full = 0;

	for (uint32_t w = thread; w < class_.from.slabs * FIM_LINE_WORDS; w += GANG)
	{
		uint32_t	words[W];
		uint32_t	tids = LoadWords<W> (tables, class_, w, work.rows, n, words);
		uint32_t	full;

		if (tids == 0)
			continue;
		full = TakeFull<MEMBERS> (words, n, &tids);
		nfull += __popc(full);
		sample = full != 0 ? w : sample;
		sample_full = full != 0 ? full : sample_full;
		TurnWords<W> (words);
#pragma unroll
		for (int bit = 0; bit < 32; bit++)
			if (tids >> bit & 1)
				atomicAdd(&work.table[SetOf<W> (words, bit)], 1);
	}
	if (nfull > 0)
		atomicAdd(&work.table[(1u << n) - 1], nfull);
	if (KIND == FIM_CLOSED && thread < 32)
		KeepSamples(work, sample, sample_full);
	Sync<GANG> ();
}

/* Find out for each set which of up to 32 other rows are in all transactions that have exactly this set. */
template <int GANG, int MEMBERS, class Work>
static __device__ void
FillCommon(const Tables &tables, const FimCompaction &class_, Work &work, uint32_t n, uint32_t other_rows,
		   uint32_t thread)
{
	constexpr int W = MEMBERS <= 8 ? 8 : 16;
	uint32_t	everything = other_rows == 32 ? ~0u : (1u << other_rows) - 1;
	uint32_t	of_full = everything;

	for (uint32_t set = thread; set < max(1u << n, 32u); set += GANG)
		work.common[set] = everything;
	Sync<GANG> ();
	for (uint32_t w = thread; w < class_.from.slabs * FIM_LINE_WORDS; w += GANG)
	{
		uint32_t	words[W];
		uint32_t	others[32];
		uint32_t	tids = LoadWords<W> (tables, class_, w, work.rows, n, words);
		uint32_t	full;

		if (tids == 0)
			continue;
		full = TakeFull<MEMBERS> (words, n, &tids);
		(void) LoadWords<32> (tables, class_, w, work.others, other_rows, others);
#pragma unroll
		for (int y = 0; y < 32; y++)
			of_full &= (full & ~others[y]) != 0 ? ~(1u << y) : ~0u;
		if (tids == 0)
			continue;
		TurnWords<W> (words);
		TurnWords<32> (others);
#pragma unroll
		for (int bit = 0; bit < 32; bit++)
			/* soon most sets have nothing in common any more, and the atomic is saved */
			if ((tids >> bit & 1) != 0 && (work.common[SetOf<W> (words, bit)] & ~others[bit]) != 0)
				atomicAnd(&work.common[SetOf<W> (words, bit)], others[bit]);
	}
	if (of_full != everything)
		atomicAnd(&work.common[(1u << n) - 1], of_full);
	Sync<GANG> ();
}

/*
 * Sums over all supersets, which turn values of transactions with exactly a set into values of transactions
 * with at least the set.
 */

struct Add
{
	static __device__ __forceinline__ uint32_t Of(uint32_t a, uint32_t b) { return a + b; }
};

struct And
{
	static __device__ __forceinline__ uint32_t Of(uint32_t a, uint32_t b) { return a & b; }
};

/*
 * Add to each set the values of its supersets, for members 0 to 4, or for all if there are
 * fewer.  A warp has 32 sets that differ in these members.
 */
template <int GANG, class Op>
static __device__ void
SpreadLanes(uint32_t *values, uint32_t n, uint32_t thread)
{
	uint32_t	bits = min(n, 5u);

	for (uint32_t set = thread; set < max(1u << n, 32u); set += GANG)
	{
		uint32_t	value = values[set];

		for (uint32_t i = 0; i < bits; i++)
		{
			uint32_t	other = __shfl_xor_sync(ALL_LANES, value, 1 << i);

			if ((set >> i & 1) == 0)
				value = Op::Of(value, other);
		}
		values[set] = value;
	}
	Sync<GANG> ();
}

/* Do the same for BITS members from "first" on.  A thread has all sets that differ in these members. */
template <int GANG, int BITS, class Op>
static __device__ void
SpreadBits(uint32_t *values, uint32_t first, uint32_t n, uint32_t thread)
{
	for (uint32_t rest = thread; rest < 1u << (n - BITS); rest += GANG)
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
	Sync<GANG> ();
}

/* Add to each set the values of its supersets, member by member: from "exactly" to "at least". */
template <int GANG, class Op>
static __device__ void
SpreadSupersets(uint32_t *values, uint32_t n, uint32_t thread)
{
	uint32_t	first = 5;

	SpreadLanes<GANG, Op> (values, n, thread);
	for (; first + 4 <= n; first += 4)
		SpreadBits<GANG, 4, Op> (values, first, n, thread);
	if (first + 3 <= n)
		SpreadBits<GANG, 3, Op> (values, first, n, thread);
	else if (first + 2 <= n)
		SpreadBits<GANG, 2, Op> (values, first, n, thread);
	else if (first + 1 <= n)
		SpreadBits<GANG, 1, Op> (values, first, n, thread);
}

/*
 * Which sets of a table are wanted: all frequent ones, closed or maximal ones.
 *
 * For closed sets a table has a second part, which says which excluded members are in all
 * transactions of a set.  It is found like the supports, with AND in place of adding, for 32
 * excluded members at a time.  For maximal sets there is no such part: few sets are extended by
 * no member of the table, and these are counted with the excluded members one by one.
 */

/* Mark the sets for which unwanted(set) is true. */
template <int GANG, class Work, class Unwanted>
static __device__ __forceinline__ void
MarkSets(Work &work, uint32_t n, uint32_t thread, Unwanted unwanted)
{
	for (uint32_t base = 0; base < 1u << n; base += GANG)
	{
		uint32_t	set = base + thread;
		uint32_t	votes = __ballot_sync(ALL_LANES, set < 1u << n && unwanted(set));

		if (thread % 32 == 0 && votes != 0)
			work.out[set / 32] |= votes;
	}
	Sync<GANG> ();
}

/* Mark the sets that one of the first "other_rows" listed rows covers, and take these rows off the list. */
template <int GANG, int MEMBERS, class Work>
static __device__ void
CoverBy(const Tables &tables, const FimCompaction &class_, Work &work, uint32_t n, uint32_t other_rows,
		uint32_t thread)
{
	uint32_t	left;

	Sync<GANG> ();
	FillCommon<GANG, MEMBERS> (tables, class_, work, n, other_rows, thread);
	SpreadSupersets<GANG, And> (work.common, n, thread);
	MarkSets<GANG> (work, n, thread, [&](uint32_t set) { return work.common[set] != 0; });
	left = work.others[32 + thread % 32];
	Sync<GANG> ();
	if (thread < 32)
		work.others[thread] = left;
	Sync<GANG> ();
}

/* Whether the row has the transactions of the full set that are in the samples. */
template <class Work>
static __device__ __forceinline__ bool
HasFull(const Tables &tables, const FimCompaction &class_, const Work &work, uint32_t row)
{
	for (uint32_t i = 0; i < work.nsamples; i++)
		if ((work.sample_full[i] & ~__ldg(FimWord(tables.lines, class_.from, work.sample[i]) +
										  (size_t) row * FIM_LINE_WORDS)) != 0)
			return false;
	return true;
}

/*
 * Mark the sets that an excluded member covers.  A transaction of the full set has all other
 * sets, too.  So an excluded member that lacks such a transaction covers no set, and few
 * excluded members are left.  All warps of a gang look for these, so that each knows how many
 * there are.
 */
template <int GANG, int MEMBERS, class Work>
static __device__ void
MarkCovered(const Tables &tables, const FimCompaction &class_, Work &work, uint32_t n, uint32_t thread)
{
	uint32_t	lane = thread % 32;
	uint32_t	other_rows = 0;

	for (uint32_t base = 0; base < class_.to.skip; base += 32)
	{
		uint32_t	y = base + lane;
		uint32_t	row = y < class_.to.skip ? MemberRow(tables, class_, y) : 0;
		bool		found = y < class_.to.skip && HasFull(tables, class_, work, row);
		uint32_t	votes = __ballot_sync(ALL_LANES, found);

		if (found && thread < 32)
			work.others[other_rows + __popc(votes & ((1u << lane) - 1))] = row;
		other_rows += __popc(votes);
		if (other_rows < 32)
			continue;
		CoverBy<GANG, MEMBERS> (tables, class_, work, n, 32, thread);
		other_rows -= 32;
	}
	if (other_rows > 0)
		CoverBy<GANG, MEMBERS> (tables, class_, work, n, other_rows, thread);
}

/* Whether a member of the table is frequent with the set or, for closed sets, in all of its transactions. */
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

/* Called by a warp: whether some excluded member is frequent with the set. */
template <class Work>
static __device__ bool
HasExcluded(const Tables &tables, const FimCompaction &class_, const Work &work, uint32_t n,
			uint32_t set)
{
	uint32_t	prefix = class_.prefix - class_.from.first;
	bool		found = false;

	for (uint32_t base = 0; base < class_.to.skip && !found; base += 32)
	{
		uint32_t	y = base + threadIdx.x % 32;
		uint32_t	row = y < class_.to.skip ? MemberRow(tables, class_, y) : prefix;
		uint32_t	count = 0;

		for (uint32_t w = 0; w < class_.from.slabs * FIM_LINE_WORDS; w++)
		{
			const uint32_t *first = FimWord(tables.lines, class_.from, w);
			uint32_t	tids = __ldg(first + (size_t) prefix * FIM_LINE_WORDS);

			for (uint32_t left = set; left != 0 && tids != 0; left &= left - 1)
				tids &= __ldg(first + (size_t) work.rows[__ffs(left) - 1] * FIM_LINE_WORDS);
			if (tids != 0 && y < class_.to.skip)
				count += __popc(tids & __ldg(first + (size_t) row * FIM_LINE_WORDS));
		}
		found = __any_sync(ALL_LANES, count >= tables.minsup);
	}
	return found;
}

/* Mark the sets that are not maximal.  Only the sets that are left are counted with excluded members. */
template <int GANG, class Work>
static __device__ void
MarkExtended(const Tables &tables, const FimCompaction &class_, Work &work, uint32_t n, uint32_t thread)
{
	MarkSets<GANG> (work, n, thread, [&](uint32_t set)
	{
		return set == 0 || work.table[set] < tables.minsup ||
			IsExtended<FIM_MAXIMAL> (tables, work, n, set);
	});
	for (uint32_t w = thread / 32; w < WordsOfSets(n) && class_.to.skip > 0; w += GANG / 32)
	{
		uint32_t	out = work.out[w];

		for (uint32_t set = w * 32; set < min(w * 32 + 32, 1u << n); set++)
			if ((out >> set % 32 & 1) == 0 && HasExcluded(tables, class_, work, n, set))
				out |= 1u << set % 32;
		__syncwarp();
		if (thread % 32 == 0)
			work.out[w] = out;
	}
	Sync<GANG> ();
}

/* Whether the set is one of those that are asked for. */
template <FimKind KIND, class Work>
static __device__ __forceinline__ bool
IsWanted(const Tables &tables, const Work &work, uint32_t n, uint32_t set)
{
	if (set == 0 || set >= 1u << n || work.table[set] < tables.minsup)
		return false;
	if (KIND != FIM_ALL && (work.out[set / 32] >> set % 32 & 1) != 0)
		return false;
	return KIND != FIM_CLOSED || !IsExtended<KIND> (tables, work, n, set);
}

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
template <int GANG, FimKind KIND, class Work>
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
	for (uint32_t base = 0; base < 1u << n; base += GANG)
	{
		uint32_t	set = base + thread;
		uint32_t	votes = __ballot_sync(ALL_LANES, IsWanted<KIND> (tables, work, n, set));

		if ((votes & mine) != 0)
			atomicAdd(&work.lengths[lane + __popc(set >> 5)], __popc(votes & mine));
	}
	Sync<GANG> ();
	if (thread >= 1 && thread <= n && work.lengths[thread] > 0)
		atomicAdd(tables.counts.counts + (size_t) tables.counts.nperfect[c] * tables.counts.lengths +
				  tables.counts.depth[c] + thread, (unsigned long long) work.lengths[thread]);
}

/* The number of threads of the gang before this one that say yes.  Sets *total to how many do in all. */
template <int GANG, class Work>
static __device__ __forceinline__ uint32_t
Rank(Work &work, bool yes, uint32_t thread, uint32_t *total)
{
	uint32_t	votes = __ballot_sync(ALL_LANES, yes);
	uint32_t	rank = __popc(votes & ((1u << thread % 32) - 1));

	*total = __popc(votes);
	if (GANG == 32)
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

template <int GANG, FimKind KIND, class Work>
static __device__ void
ListSets(const Tables &tables, uint32_t c, Work &work, uint32_t n, uint32_t thread)
{
	uint32_t	found = 0;
	uint32_t	total;
	unsigned long long at;

	for (uint32_t base = 0; base < 1u << n; base += GANG)
	{
		(void) Rank<GANG> (work, IsWanted<KIND> (tables, work, n, base + thread), thread, &total);
		found += total;
	}
	Sync<GANG> ();
	if (thread == 0)
		work.at = atomicAdd(tables.patterns.count, (unsigned long long) found);
	Sync<GANG> ();
	at = work.at;
	for (uint32_t base = 0; base < 1u << n; base += GANG)
	{
		uint32_t	set = base + thread;
		bool		wanted = IsWanted<KIND> (tables, work, n, set);
		uint32_t	rank = Rank<GANG> (work, wanted, thread, &total);

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

template <int GANG, int MEMBERS, FimKind KIND>
static __global__ void __launch_bounds__(TABLE_THREADS)
TableKernel(Tables tables)
{
	extern __shared__ uint32_t shared[];
	Work<MEMBERS, KIND> &work = ((Work<MEMBERS, KIND> *) shared)[threadIdx.x / GANG];
	uint32_t	thread = threadIdx.x % GANG;
	uint32_t	gang = blockIdx.x * (TABLE_THREADS / GANG) + threadIdx.x / GANG;

	for (uint32_t c = tables.first + gang; c < tables.end; c += gridDim.x * (TABLE_THREADS / GANG))
	{
		FimCompaction class_ = tables.classes[c];
		uint32_t	n = class_.to.rows - class_.to.skip;

		if (RoomFor(class_) != MEMBERS)
			continue;
		BeginTable<GANG, KIND> (tables, class_, work, n, thread);
		FillTable<GANG, MEMBERS, KIND> (tables, class_, work, n, thread);
		SpreadSupersets<GANG, Add> (work.table, n, thread);
		if constexpr (KIND == FIM_CLOSED)
			MarkCovered<GANG, MEMBERS> (tables, class_, work, n, thread);
		if constexpr (KIND == FIM_MAXIMAL)
			MarkExtended<GANG> (tables, class_, work, n, thread);
		if (tables.counts.counts != NULL)
			CountLengths<GANG, KIND> (tables, c, work, n, thread);
		else
			ListSets<GANG, KIND> (tables, c, work, n, thread);
		Sync<GANG> ();
	}
}

template <int GANG, int MEMBERS, FimKind KIND>
static cudaError_t
LaunchTables(const Tables &tables, cudaStream_t stream)
{
	uint32_t	gangs = TABLE_THREADS / GANG;
	uint32_t	blocks = (tables.end - tables.first + gangs - 1) / gangs;
	size_t		size = sizeof(Work<MEMBERS, KIND>) * gangs;
	cudaError_t error = cudaFuncSetAttribute(TableKernel<GANG, MEMBERS, KIND>,
											 cudaFuncAttributeMaxDynamicSharedMemorySize, (int) size);

	if (error != cudaSuccess)
		return error;
	TableKernel<GANG, MEMBERS, KIND> <<<blocks < BLOCKS ? blocks : BLOCKS, TABLE_THREADS, size,
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

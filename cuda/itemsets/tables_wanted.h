/*-------------------------------------------------------------------------
 *
 * tables_wanted.h
 *	  Which sets of a table are wanted: all frequent ones, closed or maximal ones.
 *
 * For closed sets a table has a second part, which says which excluded members are in all
 * transactions of a set.  It is found like the supports, with AND in place of adding, for 32
 * excluded members at a time.  For maximal sets there is no such part: few sets are extended by
 * no member of the table, and these are counted with the excluded members one by one.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TABLES_WANTED_H
#define FIM_TABLES_WANTED_H

#include "itemsets/tables_fill.h"
#include "itemsets/tables_spread.h"

/* Mark the sets for which unwanted(set) is true. */
template <int GROUP, class Work, class Unwanted>
static __device__ __forceinline__ void
MarkSets(Work &work, uint32_t n, uint32_t thread, Unwanted unwanted)
{
	for (uint32_t base = 0; base < 1u << n; base += GROUP)
	{
		uint32_t	set = base + thread;
		uint32_t	votes = __ballot_sync(ALL_LANES, set < 1u << n && unwanted(set));

		if (thread % 32 == 0 && votes != 0)
			work.out[set / 32] |= votes;
	}
	Sync<GROUP> ();
}

/* Mark the sets that one of the first "other_rows" listed rows covers, and take these rows off the list. */
template <int GROUP, int MEMBERS, class Work>
static __device__ void
CoverBy(const Tables &tables, const FimCompaction &class_, Work &work, uint32_t n, uint32_t other_rows,
		uint32_t thread)
{
	uint32_t	left;

	Sync<GROUP> ();
	FillCommon<GROUP, MEMBERS> (tables, class_, work, n, other_rows, thread);
	SpreadSupersets<GROUP, And> (work.common, n, thread);
	MarkSets<GROUP> (work, n, thread, [&](uint32_t set) { return work.common[set] != 0; });
	left = work.others[32 + thread % 32];
	Sync<GROUP> ();
	if (thread < 32)
		work.others[thread] = left;
	Sync<GROUP> ();
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
 * excluded members are left.  All warps of a group look for these, so that each knows how many
 * there are.
 */
template <int GROUP, int MEMBERS, class Work>
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
		CoverBy<GROUP, MEMBERS> (tables, class_, work, n, 32, thread);
		other_rows -= 32;
	}
	if (other_rows > 0)
		CoverBy<GROUP, MEMBERS> (tables, class_, work, n, other_rows, thread);
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
template <int GROUP, class Work>
static __device__ void
MarkExtended(const Tables &tables, const FimCompaction &class_, Work &work, uint32_t n, uint32_t thread)
{
	MarkSets<GROUP> (work, n, thread, [&](uint32_t set)
	{
		return set == 0 || work.table[set] < tables.minsup ||
			IsExtended<FIM_MAXIMAL> (tables, work, n, set);
	});
	for (uint32_t w = thread / 32; w < WordsOfSets(n) && class_.to.skip > 0; w += GROUP / 32)
	{
		uint32_t	out = work.out[w];

		for (uint32_t set = w * 32; set < min(w * 32 + 32, 1u << n); set++)
			if ((out >> set % 32 & 1) == 0 && HasExcluded(tables, class_, work, n, set))
				out |= 1u << set % 32;
		__syncwarp();
		if (thread % 32 == 0)
			work.out[w] = out;
	}
	Sync<GROUP> ();
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

#endif							/* FIM_TABLES_WANTED_H */

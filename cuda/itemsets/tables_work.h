/*-------------------------------------------------------------------------
 *
 * tables_work.h
 *	  What the threads that make a table of sets share, see tables.h.
 *
 * A small table is made by a warp, a larger one by a thread block; either is called a group, of
 * GROUP threads.  MEMBERS is the number of members that a table has room for, n the number that
 * it has.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TABLES_WORK_H
#define FIM_TABLES_WORK_H

#include "itemsets/tables.h"
#include "lanes.h"

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

/* What a group has in shared memory. */
template <int MEMBERS, FimKind KIND>
struct Work
{
	unsigned long long at;		/* where the group's sets begin in the list */
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

template <int GROUP>
static __device__ __forceinline__ void
Sync()
{
	if (GROUP == 32)
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

#endif							/* FIM_TABLES_WORK_H */

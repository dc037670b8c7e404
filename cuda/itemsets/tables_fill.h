/*-------------------------------------------------------------------------
 *
 * tables_fill.h
 *	  Filling tables: how many transactions have exactly each set of members, and what rows these
 *	  transactions have in common.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TABLES_FILL_H
#define FIM_TABLES_FILL_H

#include "itemsets/tables_work.h"

/*
 * Transpose blocks of W x W bits.  Each block is the same W bits of W words: a byte of each, or
 * half of each if W is 16, or all of each if W is 32.  Bit i of the block in word k becomes
 * what bit k was in word i (Warren, Hacker's Delight, section 7-3).
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
template <int GROUP, FimKind KIND, class Work>
static __device__ void
BeginTable(const Tables &tables, const FimCompaction &class_, Work &work, uint32_t n, uint32_t thread)
{
	for (uint32_t set = thread; set < max(1u << n, 32u); set += GROUP)
		work.table[set] = 0;
	for (uint32_t i = thread; KIND != FIM_ALL && i < WordsOfSets(n); i += GROUP)
		work.out[i] = 0;
	if (thread < n)
		work.rows[thread] = MemberRow(tables, class_, class_.to.skip + thread);
	if (thread <= n)
		work.lengths[thread] = 0;
	Sync<GROUP> ();
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
template <int GROUP, int MEMBERS, FimKind KIND, class Work>
static __device__ void
FillTable(const Tables &tables, const FimCompaction &class_, Work &work, uint32_t n, uint32_t thread)
{
	constexpr int W = MEMBERS <= 8 ? 8 : 16;
	uint32_t	nfull = 0;
	uint32_t	sample = 0;
	uint32_t	sample_full = 0;

	for (uint32_t w = thread; w < class_.from.slabs * FIM_LINE_WORDS; w += GROUP)
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
	Sync<GROUP> ();
}

/* Find out for each set which of up to 32 other rows are in all transactions that have exactly this set. */
template <int GROUP, int MEMBERS, class Work>
static __device__ void
FillCommon(const Tables &tables, const FimCompaction &class_, Work &work, uint32_t n, uint32_t other_rows,
		   uint32_t thread)
{
	constexpr int W = MEMBERS <= 8 ? 8 : 16;
	uint32_t	everything = other_rows == 32 ? ~0u : (1u << other_rows) - 1;
	uint32_t	of_full = everything;

	for (uint32_t set = thread; set < max(1u << n, 32u); set += GROUP)
		work.common[set] = everything;
	Sync<GROUP> ();
	for (uint32_t w = thread; w < class_.from.slabs * FIM_LINE_WORDS; w += GROUP)
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
	Sync<GROUP> ();
}

#endif							/* FIM_TABLES_FILL_H */

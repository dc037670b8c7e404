/*-------------------------------------------------------------------------
 *
 * tables_spread.h
 *	  Sums over all supersets, which turn values of transactions with exactly a set into values of
 *	  transactions with at least the set.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TABLES_SPREAD_H
#define FIM_TABLES_SPREAD_H

#include "itemsets/tables_work.h"

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
			uint32_t	other = __shfl_xor_sync(ALL_LANES, value, 1 << i);

			if ((set >> i & 1) == 0)
				value = Op::Of(value, other);
		}
		values[set] = value;
	}
	Sync<GROUP> ();
}

/* Do the same for BITS members from "first" on.  A thread has all sets that differ in these members. */
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

/* Add to each set the values of its supersets, member by member: from "exactly" to "at least". */
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

#endif							/* FIM_TABLES_SPREAD_H */

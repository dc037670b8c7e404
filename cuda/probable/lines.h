/*-------------------------------------------------------------------------
 *
 * lines.h
 *	  Reading an itemset's transactions and probabilities in a slab, by a warp.
 *
 * Lane l of the warp has word l of a line in a register.  Of each word, it works on
 * transaction l.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_LINES_H
#define FIM_LINES_H

#include "lanes.h"
#include "probable/layout.h"

static __device__ __forceinline__ uint32_t
LaneNumber(void)
{
	return threadIdx.x % 32;
}

/* The lane's word of a column's line in a slab. */
static __device__ __forceinline__ uint32_t
LineWord(const UncertainBlock &block, uint32_t slab, uint32_t column)
{
	return block.lines[((uint64_t) slab * block.ncolumns + column) * LINE_WORDS + LaneNumber()];
}

/* The lane's word of the intersection of n columns' lines: the transactions that have all of the columns. */
static __device__ __forceinline__ uint32_t
CommonWord(const UncertainBlock &block, uint32_t slab, const uint32_t *columns, uint32_t n)
{
	uint32_t	word = 0xffffffffu;

	for (uint32_t i = 0; i < n; i++)
		word &= LineWord(block, slab, columns[i]);
	return word;
}

/* The sum of the values that lower lanes have. */
static __device__ __forceinline__ uint32_t
SumBelow(uint32_t value)
{
	return SumUpTo(value) - value;
}

/* A column's line, with its values: that of a bit is values[number of bits set before it]. */
struct ValuedLine
{
	uint32_t	word;			/* the lane's word */
	uint32_t	rank;			/* number of bits set in the words of lower lanes */
	const double *values;		/* of the whole line */
};

static __device__ __forceinline__ ValuedLine
ReadValuedLine(const UncertainBlock &block, uint32_t slab, uint32_t column)
{
	ValuedLine	line;

	line.word = LineWord(block, slab, column);
	line.rank = SumBelow(__popc(line.word));
	line.values = block.values + block.value_at[(uint64_t) slab * block.ncolumns + column];
	return line;
}

/* The value of the lane's transaction in word i; 0 unless "has", which says that its bit is set. */
static __device__ __forceinline__ double
ValueIn(const ValuedLine &line, int i, bool has)
{
	uint32_t	word = __shfl_sync(ALL_LANES, line.word, i);
	uint32_t	rank = __shfl_sync(ALL_LANES, line.rank, i);

	return has ? line.values[rank + __popc(word & ((1u << LaneNumber()) - 1))] : 0;
}

/* Whether the lane's transaction in word i is set. */
static __device__ __forceinline__ bool
HasBit(uint32_t word, int i)
{
	return __shfl_sync(ALL_LANES, word, i) >> LaneNumber() & 1;
}

/*
 * Reads the probabilities of an itemset of n columns in a slab: p[i] becomes that of the
 * lane's transaction in word i, or 0 if the transaction lacks one of the columns.  "word"
 * is the lane's CommonWord() of the columns.
 */
template <bool BY_ENTRY>
static __device__ __forceinline__ void
ReadProbabilities(const UncertainBlock &block, uint32_t slab, const uint32_t *columns, uint32_t n,
				  uint32_t word, double (&p)[LINE_WORDS])
{
	uint32_t	filled = __ballot_sync(ALL_LANES, word != 0);
	const double *row_p = block.row_p + (uint64_t) slab * FIM_SLAB_BITS + LaneNumber();

#pragma unroll
	for (int i = 0; i < LINE_WORDS; i++)
	{
		p[i] = 0;
		if (filled >> i & 1)
		{
			bool		has = HasBit(word, i);

			if (has)
				p[i] = BY_ENTRY ? 1 : row_p[i * 32];
		}
	}
	if constexpr (BY_ENTRY)
		for (uint32_t c = 0; c < n; c++)
		{
			ValuedLine	line = ReadValuedLine(block, slab, columns[c]);

#pragma unroll
			for (int i = 0; i < LINE_WORDS; i++)
				if (filled >> i & 1)
					p[i] *= ValueIn(line, i, p[i] > 0);
		}
}

#endif							/* FIM_LINES_H */

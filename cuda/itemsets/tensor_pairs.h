/*-------------------------------------------------------------------------
 *
 * tensor_pairs.h
 *	  Device code for a member and its row of counts.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TENSOR_PAIRS_H
#define FIM_TENSOR_PAIRS_H

#include "itemsets/tables.h"
#include "itemsets/tensor_level.h"
#include "itemsets/tensor_verdict.h"

/* A member and its row of counts. */
struct Pairs
{
	const uint32_t *count;		/* [members of the class] the counts with each of them */
	uint32_t	c;				/* the class */
	uint32_t	self;			/* the number of the member in its class */
	uint32_t	end;			/* the number of the class's members; 0 if it has no counts */
};

static __device__ __forceinline__ Pairs
PairsOf(const StepCounts &counts, const LevelMembers &of, uint32_t x)
{
	uint32_t	c = of.class_of[x];
	const FimMatrix &class_ = of.classes[c].to;
	uint32_t	self = x - class_.first;

	return Pairs {counts.count + (class_.count - counts.from) +
		(size_t) (self - max(counts.begin, class_.skip)) * class_.rows, c, self,
		class_.slabs > 0 ? class_.rows : 0};
}

/* The first member of the class whose count matters. */
static __device__ __forceinline__ uint32_t
FirstOf(const Pairs &pairs, FimKind kind)
{
	return kind == FIM_ALL ? pairs.self + 1 : 0;
}

/*
 * The length of a member's path with the items that are fixed; and the number of items that are
 * kept apart from the path.
 */
static __device__ __forceinline__ uint32_t
DepthOf(const LevelMembers &of, uint32_t c, FimKind kind, uint32_t fixed)
{
	return of.depth[c] + 1 + (kind == FIM_ALL ? 0 : fixed);
}

static __device__ __forceinline__ uint32_t
PerfectOf(const LevelMembers &of, uint32_t c, FimKind kind, uint32_t fixed)
{
	return of.nperfect[c] + (kind == FIM_ALL ? fixed : 0);
}

static __device__ __forceinline__ void
CountItemset(const FimPatternCounts &counts, uint32_t depth, uint32_t nperfect)
{
	atomicAdd(counts.counts + (size_t) nperfect * counts.lengths + depth, 1ULL);
}

#endif							/* FIM_TENSOR_PAIRS_H */

/*-------------------------------------------------------------------------
 *
 * tensor_judge.h
 *	  Inside the judging of members, whose kernels are in two files: what they share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPU_ITEMSETS_TENSOR_JUDGE_H
#define GPU_ITEMSETS_TENSOR_JUDGE_H

#include "itemsets/tensor.h"

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

/*
 * The length of a member's path.  The items that are fixed, since all of the member's transactions
 * have them, belong to it unless all itemsets are mined.
 */
static __device__ __forceinline__ uint32_t
DepthOf(const LevelMembers &of, uint32_t c, FimKind kind, uint32_t fixed)
{
	return of.depth[c] + 1 + (kind == FIM_ALL ? 0 : fixed);
}

/* The number of items that are kept apart from the path. */
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

/* What the class or table of a member takes, or those of all members before it. */
typedef struct Placement
{
	ClassPlace	classes;
	uint32_t	tables;
	uint32_t	table_members;
	uint32_t	fixed;
	uint32_t	unused;
} Placement;

/* What a step's kernels share, in device memory, as long as the step. */
typedef struct StepArrays
{
	uint32_t	first;			/* the first of the step's members */
	uint32_t	n;				/* their number */
	Verdict    *verdicts;		/* [n] */
	Placement  *places;			/* [n + 1] */
	uint32_t   *marks;			/* [n] */
	uint32_t   *supports;		/* [n] if maximal itemsets are mined: the supports of itemsets that
								 * MARK_TOGETHER marks; otherwise NULL */
} StepArrays;

/*
 * tensor_ahead.cu: Looking ahead from members: whether a member and everything that extends it are frequent together.
 */

/* At most this many members may extend one that is looked ahead from. */
#define AHEAD_MEMBERS	256

/* The members that are to be looked ahead from. */
typedef struct Ahead
{
	uint32_t   *members;		/* their numbers, counted from the step's first member; NULL if there is no
								 * look ahead */
	unsigned long long *n;		/* the number of these members */
} Ahead;

/*
 * Looks ahead from the members that are to have a class or a table.  If a member turns out to
 * need neither, its placement and marks are changed.  "adds" says whether this device counts
 * the itemsets of the step's members.  Called only if all frequent itemsets are counted on the
 * device, or if maximal itemsets are mined.
 */
extern void TensorLookAhead(Tensor *t, const ClassStep *step, const StepCounts *counts, const StepArrays *arrays,
							Ahead ahead, bool adds);

#endif							/* GPU_ITEMSETS_TENSOR_JUDGE_H */

/*-------------------------------------------------------------------------
 *
 * tensor_ahead.h
 *	  Looking ahead from members: whether all that extends a member is frequent together.
 *
 * Included by tensor_judge.cu.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TENSOR_AHEAD_H
#define FIM_TENSOR_AHEAD_H

#include "itemsets/tensor_place.h"
#include "itemsets/tensor_state.h"
#include "itemsets/tensor_verdict.h"

/* Classes that more members would extend are not looked ahead from. */
#define AHEAD_MEMBERS	256

/* The members that are to be looked ahead from. */
typedef struct Ahead
{
	uint32_t   *members;		/* counted from the step's first one; NULL if there is no look ahead */
	unsigned long long *n;		/* how many they are */
} Ahead;

/* What a step's kernels share, in device memory, for the length of it. */
typedef struct StepArrays
{
	uint32_t	first;			/* member */
	uint32_t	n;				/* members */
	Verdict    *verdicts;		/* [n] */
	Placement  *places;			/* [n + 1] */
	uint32_t   *marks;			/* [n] */
	uint32_t   *supports;		/* [n] of maximal itemsets that MARK_TOGETHER marks; NULL if
								 * itemsets are of another kind */
} StepArrays;

/*
 * Looks ahead from the members that are to have a class or a table.  A member that shows to
 * need neither gets another placement and other marks.  adds says whether this device counts
 * the step's itemsets.  Itemsets are all that are frequent, and counted on the device, or
 * those that are maximal.
 */
extern void TensorLookAhead(Tensor *t, const ClassStep *step, const StepCounts *counts,
							const StepArrays *arrays, Ahead ahead, bool adds);

#endif							/* FIM_TENSOR_AHEAD_H */

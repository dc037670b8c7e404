/*-------------------------------------------------------------------------
 *
 * tensor_ahead.h
 *	  Looking ahead from members: whether a member and everything that extends it are frequent together.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TENSOR_AHEAD_H
#define FIM_TENSOR_AHEAD_H

#include "itemsets/tensor_place.h"
#include "itemsets/tensor_state.h"
#include "itemsets/tensor_verdict.h"

/* Members that more than this many other members extend are not looked ahead from. */
#define AHEAD_MEMBERS	256

/* The members that are to be looked ahead from. */
typedef struct Ahead
{
	uint32_t   *members;		/* their numbers, counted from the step's first member; NULL if there is no
								 * look ahead */
	unsigned long long *n;		/* the number of these members */
} Ahead;

/* What a step's kernels share, in device memory, as long as the step. */
typedef struct StepArrays
{
	uint32_t	first;			/* member */
	uint32_t	n;				/* members */
	Verdict    *verdicts;		/* [n] */
	Placement  *places;			/* [n + 1] */
	uint32_t   *marks;			/* [n] */
	uint32_t   *supports;		/* [n] if maximal itemsets are mined: the supports of itemsets that
								 * MARK_TOGETHER marks; otherwise NULL */
} StepArrays;

/*
 * Looks ahead from the members that are to have a class or a table.  If a member turns out to
 * need neither, its placement and marks are changed.  "adds" says whether this device counts
 * the itemsets of the step's members.  Called only if all frequent itemsets are counted on the
 * device, or if maximal itemsets are mined.
 */
extern void TensorLookAhead(Tensor *t, const ClassStep *step, const StepCounts *counts,
							const StepArrays *arrays, Ahead ahead, bool adds);

#endif							/* FIM_TENSOR_AHEAD_H */

/*-------------------------------------------------------------------------
 *
 * tensor_judge.h
 *	  What the pairs of a step's members say: what is given out, and what is below.
 *
 * Included by tensor.cu, which goes down the levels, and by tensor_emit.h.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TENSOR_JUDGE_H
#define FIM_TENSOR_JUDGE_H

#include "itemsets/tensor_state.h"
#include "itemsets/tensor_verdict.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* What the host knows of what a step's pairs say. */
typedef struct Judgement
{
	uint32_t   *marks;			/* [nmembers]; NULL if the device counts itemsets */
	uint32_t   *supports;		/* if maximal itemsets are listed: [nmembers] of those that are
								 * given out together with all that extends them */
	uint32_t   *fixed;			/* if itemsets are listed: the members' fixed items, one
								 * member after the other */
	ClassLevel	classes;		/* what is below */
	ClassLevel	tables;
} Judgement;

/*
 * Looks at the members of a step, and makes those of the classes below that are shared
 * in this way, and the tables.  Takes memory from the bottom for what is below, and from
 * the top for the length of the step.
 */
extern void TensorJudge(Tensor *t, const ClassStep *step, const StepCounts *pairs, Sharing below,
						Judgement *to);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_TENSOR_JUDGE_H */

/*-------------------------------------------------------------------------
 *
 * tensor_judge.h
 *	  What the pairs of a step's members say: which itemsets are given out, and which classes and
 *	  tables there are below.
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

/* What the host knows of a step that has been judged. */
typedef struct StepJudgement
{
	uint32_t   *marks;			/* [nmembers]; NULL if the device counts itemsets */
	uint32_t   *supports;		/* if maximal itemsets are listed: [nmembers] the supports of itemsets that
								 * are given out together with everything that extends them */
	uint32_t   *fixed;			/* if itemsets are listed: the members' fixed items, one
								 * member after the other */
	ClassLevel	classes;		/* the classes below */
	ClassLevel	tables;			/* the tables below */
} StepJudgement;

/*
 * Judges the members of a step, and makes the tables and those of the classes below that are
 * shared in the way "below".  Takes memory for these from the bottom, and memory that is needed
 * as long as the step from the top.
 */
extern void TensorJudge(Tensor *t, const ClassStep *step, const StepCounts *pairs, Sharing below,
						StepJudgement *to);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_TENSOR_JUDGE_H */

/*-------------------------------------------------------------------------
 *
 * judge.h
 *	  Which candidates are selected, and the probabilities of those that are given.
 *
 * Included by the files of cuda/probable that search and by results.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_JUDGE_H
#define FIM_JUDGE_H

#include "probable/moments.h"
#include "probable/settle.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* What is known of a candidate. */
typedef struct Judgement
{
	double		low;			/* its probability is not below */
	uint8_t		verdict;		/* a FimVerdict */
	uint8_t		rule;			/* a FimProbableRule */
	bool		is_value;		/* low is the value to show */
	double		expected;		/* expected support, if the host has computed it; otherwise 0 */
} Judgement;

typedef struct Judge
{
	FimGoal		goal;			/* unless by expectation */
	Settler		settler;
} Judge;

extern void JudgeInit(const ProbableJob *job, Judge *judge);
extern void JudgeEnd(Judge *judge);

/* Judges a batch whose moments are known.  None is left open. */
extern cudaError_t JudgeBatch(ProbableJob *job, Transactions *t, Judge *judge, const MomentBatch *batch,
							  Judgement *judgements);

/* An itemset whose value is wanted, with what is known of it. */
typedef struct Wanted
{
	const uint32_t *columns;
	uint32_t	length;			/* columns */
	FimMoments	moments;
	double		low;			/* its probability is not below; becomes the value */
	bool		reaches;		/* whether it is selected, where that was open */
	uint8_t		rule;			/* and by which rule that was settled */
	bool		is_value;		/* low is the value to show */
	double		expected;		/* expected support, if that was open; otherwise 0 */
} Wanted;

/* Computes the values of n itemsets. */
extern cudaError_t JudgeValues(ProbableJob *job, Transactions *t, Judge *judge, Wanted *wanted, uint32_t n);

/* Decides those candidates of a batch that are left open, which are n. */
extern cudaError_t JudgeDoubts(ProbableJob *job, Transactions *t, Judge *judge, const MomentBatch *batch,
							   Judgement *judgements, uint32_t n);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_JUDGE_H */

/*-------------------------------------------------------------------------
 *
 * judge.h
 *	  Which candidates are selected, and the probabilities that are shown with results.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_JUDGE_H
#define FIM_JUDGE_H

#include "probable/moments.h"
#include "probable/probable_job.h"

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * Settling what the devices leave in doubt, on the host and with as many digits as it takes.
 */

/* The data by column, in host memory.  It is made when the first itemset is to be settled. */
typedef struct Settler
{
	uint64_t   *column_at;		/* [ncolumns + 1], into rows; NULL if not made yet */
	uint32_t   *rows;			/* the rows that have a column, ascending in each column */
	double	   *factors;		/* under attribute uncertainty: the item's probability in each of "rows" */
	FimWorkspace workspace;
	bool		open;			/* the workspace has been set up */

	/* of the itemset that is being settled */
	uint32_t   *common;			/* the rows that have all of its columns */
	double	   *p;				/* its probabilities in these rows */
	uint32_t   *places;			/* [its rows][its columns] where the row is among the column's; NULL under
								 * tuple uncertainty */
	uint64_t	common_room;
	uint64_t	p_room;
	uint64_t	place_room;
} Settler;

/* Sets *reaches to whether the itemset is selected by its expected support, which *expected becomes. */
extern cudaError_t SettleExpectation(ProbableJob *job, Settler *settler, const uint32_t *columns,
									 uint32_t n, bool *reaches, double *expected);

/*
 * Only under attribute uncertainty: sets *certain to whether "column", which is one of the
 * itemset's n columns, has probability 1 in all transactions of the itemset.
 */
extern cudaError_t SettleCertain(ProbableJob *job, Settler *settler, const uint32_t *columns, uint32_t n,
								 uint32_t column, bool *certain);

/* What is known of a candidate. */
typedef struct Judgement
{
	double		low;			/* a lower bound of its probability */
	uint8_t		verdict;		/* a FimVerdict */
	uint8_t		rule;			/* a FimProbableRule */
	bool		is_value;		/* "low" is the value to show */
	double		expected;		/* expected support, if the host has computed it; otherwise 0 */
} Judgement;

/* What it takes to judge, for the whole job. */
typedef struct Judge
{
	FimGoal		goal;			/* not set if the job selects by expected support */
	Settler		settler;
} Judge;

extern void JudgeInit(const ProbableJob *job, Judge *judge);
extern void JudgeEnd(Judge *judge);

/* Judges the candidates of a batch whose moments have been summed.  No verdict stays FIM_OPEN. */
extern cudaError_t JudgeBatch(ProbableJob *job, Transactions *t, Judge *judge, const MomentBatch *batch,
							  Judgement *judgements);

/* An itemset whose value or verdict is to be computed.  The first three fields are given. */
typedef struct Wanted
{
	const uint32_t *columns;
	uint32_t	length;			/* columns */
	FimMoments	moments;
	double		low;			/* a lower bound of its probability; becomes the value */
	bool		reaches;		/* result, if a verdict was asked for: it is selected */
	uint8_t		rule;			/* result, if a verdict was asked for: what settled that */
	bool		is_value;		/* result: "low" is the value to show */
	double		expected;		/* result: expected support if its verdict was open, otherwise 0 */
} Wanted;

/* Computes the values of n itemsets. */
extern cudaError_t JudgeValues(ProbableJob *job, Transactions *t, Judge *judge, Wanted *wanted, uint32_t n);

/* Decides the n candidates of a batch whose verdict is FIM_OPEN. */
extern cudaError_t JudgeDoubts(ProbableJob *job, Transactions *t, Judge *judge, const MomentBatch *batch,
							   Judgement *judgements, uint32_t n);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_JUDGE_H */

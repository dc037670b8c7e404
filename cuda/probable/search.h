/*-------------------------------------------------------------------------
 *
 * search.h
 *	  The level-wise search that all strategies of this family share.
 *
 * All subsets of a selected itemset are selected, since the support of a superset is
 * never greater.  So each candidate is the union of two members of a class of the level
 * before (Agrawal and Srikant, VLDB 1994, section 2.1.1).
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_SEARCH_H
#define FIM_GPU_SEARCH_H

#include "probable/level.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Candidates that are judged together. */
typedef struct ProbableBatch
{
	MomentBatch moments;		/* their columns and their sums */
	uint32_t   *member;			/* [candidates] the level's member that the candidate extends */
	uint32_t   *partner;		/* [candidates] the member whose last column it is extended by */
	Judgement  *judgements;		/* [candidates] */
	uint32_t	room;			/* candidates that the arrays have room for */
} ProbableBatch;

/* The functions of a strategy.  "of" is the strategy's own state. */
typedef struct ProbableStrategy
{
	/* How many candidates of "length" columns can be judged together; 0 if there is too little memory. */
	uint32_t	(*room) (const ProbableJob *job, const Transactions *t, void *of, uint32_t length);

	/* Judges a batch; "level" has the members that its candidates extend. */
	cudaError_t (*judge) (ProbableJob *job, Transactions *t, Judge *judge, void *of,
						  const ProbableLevel *level, ProbableBatch *batch);

	/*
	 * Called after a batch: its selected candidates have become the members of the next
	 * level from "first" on.  May be NULL.
	 */
	cudaError_t (*taken) (ProbableJob *job, Transactions *t, void *of, const ProbableBatch *batch,
						  const ProbableLevel *next, uint64_t first);

	/* Called after the last batch of a level: "next" is complete.  May be NULL. */
	cudaError_t (*end_level) (ProbableJob *job, void *of, const ProbableLevel *next);
} ProbableStrategy;

/* Finds all itemsets that the job wants, and gives them out. */
extern cudaError_t Search(ProbableJob *job, Transactions *t, const ProbableStrategy *strategy, void *of);

/* The strategies; see papriori.h for the other one. */
extern const ProbableStrategy search_by_bounds;

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_SEARCH_H */

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
#include "records.h"

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * Giving out the itemsets of levels.
 *
 * Itemsets whose values are still to be computed wait, over several levels, until there
 * are enough to keep the devices busy.
 */

typedef struct Results
{
	GpuRecords	records;

	/* itemsets that wait for their values */
	uint32_t	n;
	uint64_t	transactions;	/* sum of their numbers of transactions */
	Wanted	   *wanted;			/* [n]; their pointers to columns are not set before GiveWaiting() */
	uint64_t	wanted_room;
	uint32_t   *columns;		/* [ncolumns] columns of all of them, one itemset after the other */
	uint64_t	ncolumns;
	uint64_t	column_room;
} Results;

/*
 * Gives out the members of a level that the job wants, or has them wait.  If it wants
 * closed or maximal itemsets, the next level must have set the members' flags.
 */
extern cudaError_t GiveLevel(ProbableJob *job, Transactions *t, Judge *judge, const ProbableLevel *level,
							 Results *results);

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

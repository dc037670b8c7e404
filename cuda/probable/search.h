/*-------------------------------------------------------------------------
 *
 * search.h
 *	  The level-wise search that all strategies of this family share.
 *
 * Selected itemsets have only selected subsets, since a superset's support is never
 * greater.  So the candidates of a level are two members of a class put together
 * (Agrawal and Srikant, VLDB 1994, section 2.1.1).
 *
 * Included by probable.c and by the strategies.
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
typedef struct CandidateBatch
{
	MomentBatch moments;		/* their columns, and what is summed of them */
	uint32_t   *member;			/* [candidates] the member of the level that each extends ... */
	uint32_t   *partner;		/* [candidates] ... and the one whose last column it is extended by */
	Judgement  *judgements;		/* [candidates] */
	uint32_t	room;			/* candidates */
	uint32_t	column_room;	/* words, for all nodes together */
} CandidateBatch;

/* What a strategy does.  "of" is the strategy's own. */
typedef struct SearchStrategy
{
	/* How many candidates of so many columns can be judged together; 0 if there is too little memory. */
	uint32_t	(*room) (const ProbableJob *job, const Transactions *t, void *of, uint32_t length);

	/* Judges a batch; "level" has the members that its candidates extend. */
	cudaError_t (*judge) (ProbableJob *job, Transactions *t, Judge *judge, void *of, const Level *level,
						  CandidateBatch *batch);

	/*
	 * A batch has been taken: its selected candidates are the members of the next level
	 * from "first" on.  And all of a level's batches have been, so that the next level is
	 * complete.  Both may be NULL.
	 */
	cudaError_t (*taken) (ProbableJob *job, Transactions *t, void *of, const CandidateBatch *batch,
						  const Level *next, uint64_t first);
	cudaError_t (*end_level) (ProbableJob *job, void *of, const Level *next);
} SearchStrategy;

extern cudaError_t Search(ProbableJob *job, Transactions *t, const SearchStrategy *strategy, void *of);

/* The strategies; see papriori.h for the other one. */
extern const SearchStrategy search_by_bounds;

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_SEARCH_H */

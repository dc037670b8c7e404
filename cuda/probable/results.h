/*-------------------------------------------------------------------------
 *
 * results.h
 *	  Giving out the itemsets of levels.
 *
 * Itemsets whose values are to be computed wait until there are enough to keep the
 * devices busy, those of several levels together.
 *
 * Included by search.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_RESULTS_H
#define FIM_GPU_RESULTS_H

#include "probable/level.h"
#include "records.h"

#ifdef __cplusplus
extern "C"
{
#endif

typedef struct Results
{
	GpuRecords	records;

	/* itemsets that wait for their values */
	uint32_t	n;
	uint64_t	transactions;	/* of all of them */
	Wanted	   *wanted;			/* [n] but for their columns, ... */
	uint64_t	wanted_room;
	uint32_t   *columns;		/* ... which are here, one itemset's after the other's */
	uint64_t	ncolumns;
	uint64_t	column_room;
} Results;

extern void ResultsInit(const ProbableJob *job, Results *results);

/*
 * Gives out the members of a level that the job wants, or has them wait.  By kind, all
 * supersets must have been seen.
 */
extern cudaError_t GiveLevel(ProbableJob *job, Transactions *t, Judge *judge, const Level *level,
							 Results *results);

/* Gives out those that wait. */
extern cudaError_t GiveWaiting(ProbableJob *job, Transactions *t, Judge *judge, Results *results);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_RESULTS_H */

/*-------------------------------------------------------------------------
 *
 * results.h
 *	  Giving out the itemsets of levels.
 *
 * Itemsets whose values are still to be computed wait, over several levels, until there
 * are enough to keep the devices busy.
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
	uint64_t	transactions;	/* sum of their numbers of transactions */
	Wanted	   *wanted;			/* [n]; their pointers to columns are not set before GiveWaiting() */
	uint64_t	wanted_room;
	uint32_t   *columns;		/* [ncolumns] columns of all of them, one itemset after the other */
	uint64_t	ncolumns;
	uint64_t	column_room;
} Results;

extern void ResultsInit(const ProbableJob *job, Results *results);

/*
 * Gives out the members of a level that the job wants, or has them wait.  If it wants
 * closed or maximal itemsets, the next level must have set the members' flags.
 */
extern cudaError_t GiveLevel(ProbableJob *job, Transactions *t, Judge *judge, const ProbableLevel *level,
							 Results *results);

/* Computes the values of the itemsets that wait, and gives these out. */
extern cudaError_t GiveWaiting(ProbableJob *job, Transactions *t, Judge *judge, Results *results);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_RESULTS_H */

/*-------------------------------------------------------------------------
 *
 * results.h
 *	  Giving out the itemsets of a level.
 *
 * Included by search.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_RESULTS_H
#define FIM_GPU_RESULTS_H

#include "probable/level.h"

/*
 * Gives out the members of a level that the job wants, with their values, which are
 * computed for those that have none yet.  By kind, all supersets must have been seen.
 */
extern cudaError_t GiveLevel(ProbableJob *job, Transactions *t, Judge *judge, Level *level);

#endif							/* FIM_GPU_RESULTS_H */

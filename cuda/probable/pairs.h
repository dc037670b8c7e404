/*-------------------------------------------------------------------------
 *
 * pairs.h
 *	  Which pairs of items are in enough transactions.
 *
 * All pairs of a level's members are counted at once, as a product of the matrix of
 * the transactions' lines with itself.  Most pairs of sparse data need not be looked at
 * any further.
 *
 * Included by search.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PAIRS_H
#define FIM_PAIRS_H

#include "probable/level.h"

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * Gives the members of the first level the partners with which they are in enough
 * transactions.  Does nothing where there are few members, or too little memory.
 */
extern cudaError_t PairsFind(ProbableJob *job, Transactions *t, Level *level);

/* ---- among the module's own files ---- */

/* Scratch for SelectPairs(), for so many counts. */
extern cudaError_t SelectionScratch(uint64_t ncounts, size_t *bytes);

/* The numbers of the counts that are not 0, and how many there are, ascending; all is device memory. */
extern cudaError_t SelectPairs(GpuDevice *device, const uint32_t *counts, uint64_t ncounts, uint64_t *pairs,
							   uint64_t *npairs, void *scratch, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_PAIRS_H */

/*-------------------------------------------------------------------------
 *
 * pairs.h
 *	  Which pairs of items are in enough transactions.
 *
 * All pairs of the first level's members are counted at once: the block's lines are a bit
 * matrix, which is multiplied with itself.  In sparse data most pairs are in too few
 * transactions, and no candidates are made of them.
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
 * Sets the partners of each member of the first level: the later members with which it is
 * in at least job->least_count transactions.  Does nothing where there are few members or
 * very many columns, where the devices do not have all transactions at once, where counting
 * would take too long for one launch, or where there is too little memory.
 */
extern cudaError_t PairsFind(ProbableJob *job, Transactions *t, ProbableLevel *level);

/* ---- among the module's own files ---- */

/* Sets *bytes to the scratch memory that SelectPairs() needs for ncounts counts. */
extern cudaError_t SelectionScratch(uint64_t ncounts, size_t *bytes);

/*
 * Writes the numbers of the counts that are not 0 to "pairs", ascending, and how many there are to
 * *npairs.  All addresses are of device memory.
 */
extern cudaError_t SelectPairs(GpuDevice *device, const uint32_t *counts, uint64_t ncounts, uint64_t *pairs,
							   uint64_t *npairs, void *scratch, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_PAIRS_H */

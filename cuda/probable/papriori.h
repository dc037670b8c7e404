/*-------------------------------------------------------------------------
 *
 * papriori.h
 *	  Strategies "fft" and "fft_loop": GPU pApriori of Kozawa, Amagasa and Kitagawa,
 *	  "GPU acceleration of probabilistic frequent itemset mining from uncertain
 *	  databases" (CIKM 2012).
 *
 * doc/papriori.md says which function is which section, and what was changed.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PAPRIORI_H
#define FIM_PAPRIORI_H

#include "probable/search.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* The least memory of the device that these strategies need beside that for all transactions. */
extern uint64_t PaprioriLeast(const ProbableJob *job);

/* Mines the job.  It is an error if the transactions do not fit into one block. */
extern cudaError_t PaprioriMine(ProbableJob *job, Transactions *t);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_PAPRIORI_H */

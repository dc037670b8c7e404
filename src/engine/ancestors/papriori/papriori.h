/*-------------------------------------------------------------------------
 *
 * papriori.h
 *	  Mining level by level as pApriori does it, with a given way to compute tails.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_ANCESTORS_PAPRIORI_H
#define FIM_ANCESTORS_PAPRIORI_H

#include "engine/probable/miner.h"

/*
 * Computes P(support >= k) for independent transactions of probabilities p[n], 1 <= k <= n,
 * and by how much it may be off.
 */
typedef FimResult (*PaprioriTail) (void *state, const double *p, uint32_t n, uint32_t k,
								   double *tail, double *error);

/*
 * Do all of a task, which is one unit.  Decisions are certain: what the error leaves open
 * is decided as strategy "bounds" does it.  Memory grows with the number of itemsets of a
 * level, each of which has a bit string of all rows.
 */
extern void MinePapriori(ProbableMiner *m, PaprioriTail tail, void *state);

/*
 * fft_tail.c: The tail of a support's distribution by a tree of FFT convolutions.
 *
 * FftTailOf() is there only if FIM_KISSFFT is defined.
 */

/* Memory for distributions.  To be set to zeros before the first use, except for the host. */
typedef struct FftTail
{
	FimHost    *host;
	double	   *block;
	size_t		room;			/* doubles in it */
} FftTail;

/*
 * A PaprioriTail whose state is a FftTail.  The paper's third section: the transactions'
 * generating functions 1 - p + p x are multiplied in pairs, then the products in pairs, and
 * so on.
 */
extern FimResult FftTailOf(void *state, const double *p, uint32_t n, uint32_t k, double *tail,
						   double *error);
extern void FftTailFree(FftTail *tree);

#endif							/* FIM_ANCESTORS_PAPRIORI_H */

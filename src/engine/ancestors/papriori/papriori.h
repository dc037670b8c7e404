/*-------------------------------------------------------------------------
 *
 * papriori.h
 *	  Mining level by level as pApriori does it, with a given way to compute tails.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PAPRIORI_H
#define FIM_PAPRIORI_H

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

#endif							/* FIM_PAPRIORI_H */

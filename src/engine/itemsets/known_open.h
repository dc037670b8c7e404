/*-------------------------------------------------------------------------
 *
 * known_open.h
 *	  Items of classes that are not done, and whether they extend an itemset.
 *
 * Included by known.c, and by what makes the classes of maximal itemsets.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_KNOWN_OPEN_H
#define FIM_KNOWN_OPEN_H

#include "known_state.h"

/* Whether the class has passed the item of the class that this worker is in. */
static inline bool
KnownHasPassed(const Known *known, uint32_t class)
{
	return known->passed[class] <= known->class_rank;
}

extern bool KnownIsOpen(const Miner *m, uint32_t item);

/*
 * Make the search's witness from a matrix whose first columns are those of the search.
 * witness_open[] and witness_item[] must have been set.  Memory is from the arena.
 */
extern void KnownWitness(Miner *m, const BitMatrix *rows, uint32_t ncolumns);

/* Items whose classes have passed this class's item are not open any more. */
extern void KnownDropPassed(Miner *m);

/* Whether an open item extends the path, so that its class or a rarer one has a superset. */
extern bool KnownOpenExtends(Miner *m);

#endif							/* FIM_KNOWN_OPEN_H */

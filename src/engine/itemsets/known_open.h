/*-------------------------------------------------------------------------
 *
 * known_open.h
 *	  Items of classes that are not done, and whether they extend an itemset.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_KNOWN_OPEN_H
#define FIM_KNOWN_OPEN_H

#include "known_state.h"

/* Whether a class has passed the item of the class that this worker mines. */
static inline bool
KnownHasPassed(const Known *known, uint32_t class)
{
	return known->passed[class] <= known->class_rank;
}

/* Whether an item, by its number in the database, is open.  It must be frequent, and rarer than the class's. */
static inline bool
KnownIsOpen(const Miner *m, uint32_t item)
{
	return !KnownHasPassed(m->known, m->db->nitems - item);
}

/* Set known->any_open, and forget classes that are done. */
extern void KnownFindOpen(Known *known);

/*
 * Make the search's witness from a matrix whose first columns are those of the search.  The
 * caller has set nwitness_open, witness_open[] and witness_item[].  Memory is from the
 * miner's arena.
 */
extern void KnownWitness(Miner *m, const BitMatrix *rows, uint32_t ncolumns);

/* Drop the open items, those of the witness, too, whose classes have passed this class's item since. */
extern void KnownDropPassed(Miner *m);

/* Whether an open item extends the path, so that its class or that of a rarer item has a superset of the path. */
extern bool KnownOpenExtends(Miner *m);

#endif							/* FIM_KNOWN_OPEN_H */

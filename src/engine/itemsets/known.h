/*-------------------------------------------------------------------------
 *
 * known.h
 *	  The maximal itemsets found so far.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_KNOWN_H
#define FIM_KNOWN_H

#include "known_ring.h"
#include "node.h"

/*
 * A search's known itemsets, as sets of its columns.
 */

/*
 * Begin a search below the path, whose columns are the given items.  The search's sets are
 * the known itemsets that hold the path and class_item, the item of the class, which is on
 * the path or one of the columns.  Returns false if one of the sets holds all columns, so
 * that there is nothing to find.  All items are the caller's.
 */
extern bool KnownBeginSearch(Miner *m, uint32_t class_item, const uint32_t *items,
							 uint32_t ncolumns);

/*
 * Items of classes that are not done, and whether they extend an itemset.
 */

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

/*
 * Make the search's witness from a matrix whose first columns are those of the search.  The
 * caller has set nwitness_open, witness_open[] and witness_item[].  Memory is from the
 * miner's arena.
 */
extern void KnownWitness(Miner *m, const BitMatrix *rows, uint32_t ncolumns);

/*
 * KnownInit() is called before anything else here.  It returns false if the worker comes too
 * late to know everything; then the worker must take no class.  KnownFree() gives back what
 * the known itemsets take from the host, and may be called without KnownInit().
 *
 * KnownBeginClass() and KnownEndClass() are called before and after class number "taken" is
 * mined, whose item is the database's nitems - taken.
 *
 * KnownShare() exchanges known itemsets with the other workers.  It is called for the node at
 * the top of a search, when the node's columns from j on have been searched.  column[] says
 * which of the search's columns the node's are.  "whole" says that the node is that of the
 * whole class.
 *
 * KnownFound() is called when the path is in no known itemset and has no frequent extension
 * in its class.  It adds the path to the known itemsets, and gives it out unless an open item
 * extends it.
 */
extern bool KnownInit(Miner *m);
extern void KnownFree(Miner *m);
extern void KnownBeginClass(Miner *m, uint32_t taken);
extern void KnownEndClass(Miner *m);
extern void KnownShare(Miner *m, const Node *node, const uint32_t *column, uint32_t j, bool whole);
extern void KnownFound(Miner *m, uint32_t support);

#endif							/* FIM_KNOWN_H */

/*-------------------------------------------------------------------------
 *
 * known_sets.h
 *	  A search's known itemsets, as sets of its columns.
 *
 * Included by known.c and by what begins searches.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_KNOWN_SETS_H
#define FIM_KNOWN_SETS_H

#include "known_state.h"

/*
 * Begin a search below the path, over the given columns.  The search's sets are the
 * known itemsets that hold the path and the item of the class, which may be one of the
 * columns.  Returns false if one of them holds all columns, too, so that there is
 * nothing to find.
 */
extern bool KnownBeginSearch(Miner *m, uint32_t class_item, const uint32_t *items,
							 uint32_t ncolumns);

/*
 * Add what the blocks from number "from" on tell of a node at the top of the search.  It
 * has n columns, which are the items names[] and the search's columns column[].  The rest
 * of the blocks is not read when one of their itemsets has all of these.
 */
extern void KnownAddBlocks(Miner *m, size_t from, const uint32_t *names, const uint32_t *column,
						   uint32_t n);

/* Add the path, which must be within the search. */
extern void KnownAddPath(Miner *m);

#endif							/* FIM_KNOWN_SETS_H */

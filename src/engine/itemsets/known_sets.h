/*-------------------------------------------------------------------------
 *
 * known_sets.h
 *	  A search's known itemsets, as sets of its columns.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_KNOWN_SETS_H
#define FIM_KNOWN_SETS_H

#include "known_state.h"

/*
 * Begin a search below the path, whose columns are the given items.  The search's sets are
 * the known itemsets that hold the path and class_item, the item of the class, which is on
 * the path or one of the columns.  Returns false if one of the sets holds all columns, so
 * that there is nothing to find.  All items are the caller's.
 */
extern bool KnownBeginSearch(Miner *m, uint32_t class_item, const uint32_t *items,
							 uint32_t ncolumns);

/*
 * Add to the search's sets the itemsets of the blocks from number "from" on that hold the
 * path, for a node at the top of the search.  The node has n columns, which are the caller's
 * items names[] and the search's columns column[].  Once an itemset has all of these, the
 * blocks that follow are not read.
 */
extern void KnownAddBlocks(Miner *m, size_t from, const uint32_t *names, const uint32_t *column,
						   uint32_t n);

/* Add the path, which must be within the search, to its sets. */
extern void KnownAddPath(Miner *m);

#endif							/* FIM_KNOWN_SETS_H */

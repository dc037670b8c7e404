/*-------------------------------------------------------------------------
 *
 * known.h
 *	  The maximal itemsets found so far.
 *
 * Included by maximal.c, which searches, and by what hands classes to it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_KNOWN_H
#define FIM_KNOWN_H

#include "node.h"
#include "known_state.h"

/*
 * KnownInit() is called before anything else here.  It returns false if the worker comes too
 * late to know everything; then the worker must take no class.  KnownFree() gives back what
 * the known itemsets take from the host, and may be called without KnownInit().
 */
extern bool KnownInit(Miner *m);
extern void KnownFree(Miner *m);

/* Before and after class number "taken" is mined, whose item is the database's nitems - taken. */
extern void KnownBeginClass(Miner *m, uint32_t taken);
extern void KnownEndClass(Miner *m);

/*
 * Exchange known itemsets with the other workers, from the node at the top of a search, whose
 * columns from j on have been searched.  column[] says which of the search's columns the
 * node's are.  "whole" says that it is the node of the whole class.
 */
extern void KnownShare(Miner *m, const Node *node, const uint32_t *column, uint32_t j, bool whole);

/*
 * The path is in no known itemset and has no frequent extension in its class: add it to the
 * known itemsets, and give it out unless an open item extends it.
 */
extern void KnownFound(Miner *m, uint32_t support);

#endif							/* FIM_KNOWN_H */

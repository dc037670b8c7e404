/*-------------------------------------------------------------------------
 *
 * known.h
 *	  The maximal itemsets found so far.
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

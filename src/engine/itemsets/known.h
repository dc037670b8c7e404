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

extern bool KnownInit(Miner *m);
extern void KnownFree(Miner *m);
extern void KnownBeginClass(Miner *m, uint32_t taken);
extern void KnownEndClass(Miner *m);
extern void KnownShare(Miner *m, const Node *node, const uint32_t *column, uint32_t j, bool whole);
extern bool KnownIsOpen(const Miner *m, uint32_t item);
extern bool KnownBeginSearch(Miner *m, uint32_t class_item, const uint32_t *items,
							 uint32_t ncolumns);
extern void KnownWitness(Miner *m, const BitMatrix *rows, uint32_t ncolumns);
extern void KnownFound(Miner *m, uint32_t support);

#endif							/* FIM_KNOWN_H */

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
extern void KnownFound(Miner *m, uint32_t support);

#endif							/* FIM_KNOWN_H */

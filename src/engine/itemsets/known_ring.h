/*-------------------------------------------------------------------------
 *
 * known_ring.h
 *	  How workers tell each other the maximal itemsets that they find.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_KNOWN_RING_H
#define FIM_KNOWN_RING_H

#include "known_state.h"

/* The size of the ring in the shared state, for a database of this many entries; and how to set it up. */
extern size_t KnownSharedSize(uint64_t entries);
extern void KnownSharedInit(FimShared *shared, const FimDatabase *db);

/* Give this worker a number.  Returns false if it comes too late to know everything. */
extern bool KnownJoin(Miner *m);

/* Tell the others that they need not wait for this worker any more. */
extern void KnownQuit(Miner *m);

/*
 * Publish what this worker has found in the class at hand since the last call.  "passed" says
 * from which item on the class has passed all: 0 if it is done, UINT32_MAX if it has passed
 * no more items than before.
 */
extern void KnownPublish(Miner *m, uint32_t passed);

/*
 * Whether the ring has anything that this worker has not imported yet, and whether that takes
 * more than half of the ring.
 */
extern bool KnownHasNews(const Miner *m);
extern bool KnownLagsBehind(const Miner *m);

/* Add what others have published since the last call.  This worker must have published all that it has found. */
extern void KnownImport(Miner *m);

#endif							/* FIM_KNOWN_RING_H */

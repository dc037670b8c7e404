/*-------------------------------------------------------------------------
 *
 * known_ring.h
 *	  How workers tell each other the maximal itemsets that they find.
 *
 * Included by known.c, and by cpu_engine.c for its part of the shared state.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_KNOWN_RING_H
#define FIM_KNOWN_RING_H

#include "known_state.h"

/* The ring in the shared state: its bytes for a database of so many entries, and how to set it up. */
extern size_t KnownSharedSize(uint64_t entries);
extern void KnownSharedInit(FimShared *shared, const FimDatabase *db);

/* Number this worker.  Returns false if it comes too late to know everything. */
extern bool KnownJoin(Miner *m);

/* Others need not wait for this worker any more. */
extern void KnownQuit(Miner *m);

/* Publish what the class has found since the last time, and what it has passed. */
extern void KnownPublish(Miner *m, uint32_t passed);

/* Whether others have published anything since KnownImport(), and how much of the ring that is. */
extern bool KnownHasNews(const Miner *m);
extern bool KnownLagsBehind(const Miner *m);

/* Add what others have published since the last call.  This worker must have published all of its own. */
extern void KnownImport(Miner *m);

#endif							/* FIM_KNOWN_RING_H */

/*-------------------------------------------------------------------------
 *
 * events.h
 *	  Reading the events of a source.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_EPISODES_EVENTS_H
#define GPUFIM_EPISODES_EVENTS_H

#include "episodes/event_stream.h"
#include "episodes/request.h"

/*
 * Read a source into a stream that has each event once, in the order of partitions and times. All
 * memory is allocated from the ledger.  The call's phase is "encoding" from sorting on.
 */
extern EventStream *ReadEvents(const EventSource *from, MemoryLedger *ledger);

#endif							/* GPUFIM_EPISODES_EVENTS_H */

/*-------------------------------------------------------------------------
 *
 * ending_workers.h
 *	  Workers of this session's earlier calls that have not ended yet.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_ENDING_WORKERS_H
#define GPUFIM_ENDING_WORKERS_H

#include "postgres.h"

#include "postmaster/bgworker.h"
#include "storage/dsm.h"

/*
 * Register a worker of a call.  Returns its handle, or NULL if no slot is free.  The handle
 * is valid until WorkersAreEnding() is called after the call's queues have been detached.
 */
extern BackgroundWorkerHandle *RegisterCallWorker(BackgroundWorker *registration,
												  dsm_segment *queues);

/*
 * Do workers of earlier calls still hold slots?  If so, a slot may come free soon, and this
 * process's latch is set then.  Ask before trying to register: a slot that comes free
 * between the two would be missed otherwise.
 */
extern bool WorkersAreEnding(void);

#endif							/* GPUFIM_ENDING_WORKERS_H */

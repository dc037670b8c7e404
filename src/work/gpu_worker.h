/*-------------------------------------------------------------------------
 *
 * gpu_worker.h
 *	  The background worker that owns the GPUs.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_GPU_WORKER_H
#define GPUFIM_GPU_WORKER_H

#include "postgres.h"
#include "postmaster/bgworker.h"
#include "work/gpu_queue.h"

/* Does the postmaster keep a worker running?  False if its library was not there. */
extern bool GpuWorkerRegistered;

/* In the postmaster: have one worker for all sessions, if its library is there. */
extern void GpuRegisterWorker(void);

/*
 * Fill a registration, except for its main argument.  That is the handle of the segment
 * with the control structure, or DSM_HANDLE_INVALID for the one in shared memory.
 */
extern void GpuDescribeWorker(BackgroundWorker *registration);

extern PGDLLEXPORT void GpufimGpuWorkerMain(Datum main_arg);

#endif							/* GPUFIM_GPU_WORKER_H */

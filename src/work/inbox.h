/*-------------------------------------------------------------------------
 *
 * inbox.h
 *	  Taking what the workers of a job send.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_INBOX_H
#define GPUFIM_INBOX_H

#include "engine/gpu.h"
#include "postmaster/bgworker.h"
#include "storage/shm_mq.h"
#include "work/job_state.h"

/* What has become of a job given to the GPU worker, as far as its messages say. */
typedef struct GpuOutcome
{
	bool		faulted;
	ErrorData  *refusal;		/* its error, if it had no host memory for the job */
	FimGpuFault fault;			/* valid if faulted */
	FimGpuReport report;		/* valid when the worker is done */
} GpuOutcome;

/* A worker, as the backend sees it. */
typedef struct InboxWorker
{
	BackgroundWorkerHandle *handle; /* NULL for the GPU worker */
	shm_mq	   *queue;
	shm_mq_handle *reader;
	bool		done;			/* the worker has said that it is finished */
	bool		terminated;		/* it has said that an administrator terminated it */
	bool		gone;			/* nothing more comes from it, or it never came */
	GpuOutcome *gpu;			/* NULL unless this is the GPU worker */
} InboxWorker;

/*
 * Create a segment of queues that this process reads, and job->workers[] for them.
 * Returns NULL if the system has no room for the segment.
 */
extern dsm_segment *InboxCreate(Job *job, int nqueues);
extern void InboxDetach(Job *job, dsm_segment *queues);

/*
 * Take what a worker has sent, but only a limited number of messages at a time.  Results
 * go to the job's sink, and errors are raised here.  Returns false if there was nothing.
 */
extern bool InboxTake(Job *job, InboxWorker *worker);

/*
 * The same for all workers of the job.  "left" becomes the number of those that may
 * still send something.
 */
extern bool InboxTakeAll(Job *job, int *left);

#endif							/* GPUFIM_INBOX_H */

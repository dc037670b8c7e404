/*-------------------------------------------------------------------------
 *
 * inbox.h
 *	  Taking what the workers of a job send.
 *
 * Included by cpu_job.c and gpu_job.c.
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
	bool		terminated;		/* the worker was, by an administrator */
	ErrorData  *refusal;		/* it had no host memory for the job */
	FimGpuFault fault;			/* valid if faulted */
	FimGpuReport report;		/* valid when the worker is done */
} GpuOutcome;

/* A worker, as the backend sees it. */
typedef struct InboxWorker
{
	BackgroundWorkerHandle *handle; /* NULL for the GPU worker */
	shm_mq	   *queue;
	shm_mq_handle *reader;
	bool		done;			/* it said so */
	bool		gone;			/* it does not, or no longer, take part */
	GpuOutcome *gpu;			/* NULL for others than the GPU worker */
} InboxWorker;

/*
 * A segment of queues that this process reads, and job->workers to go with them.
 * Returns NULL if there is no room for it.
 */
extern dsm_segment *InboxCreate(Job *job, int nqueues);
extern void InboxDetach(Job *job, dsm_segment *queues);

/*
 * Take what a worker has sent, within reason: results go to the job's sink, and
 * errors are raised here.  Returns false if there was nothing.
 */
extern bool InboxTake(Job *job, InboxWorker *worker);

/*
 * The same for all workers of the job.  "left" becomes the number of those that may
 * still send something.
 */
extern bool InboxTakeAll(Job *job, int *left);

#endif							/* GPUFIM_INBOX_H */

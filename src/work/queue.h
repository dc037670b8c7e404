/*-------------------------------------------------------------------------
 *
 * queue.h
 *	  What workers send to the backend that called them.
 *
 * Each worker has a queue (shm_mq) in the job's segment of queues.  A message
 * begins with a byte that says what it is: one of those below, or the protocol's
 * 'E' and 'N' for errors and notices.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_QUEUE_H
#define GPUFIM_QUEUE_H

#include "postgres.h"

#include "storage/shm_mq.h"
#include "work/job_segment.h"

/* In bytes: enough for a worker to go on while the backend is busy with other workers. */
#define JOB_QUEUE_SIZE		((Size) 512 * 1024)

/* Types of messages. */
#define JOB_MSG_BATCH		'b' /* results; the batch's words follow */
#define JOB_MSG_SUMMARY		's' /* the worker's summary follows */
#define JOB_MSG_DONE		'X' /* no unit is left: the worker is finished */
#define JOB_MSG_CROWDED		'm' /* there is no memory for this worker beside the other
								 * processes; no more messages follow */
#define JOB_MSG_REPORT		'r' /* from the GPU worker; a FimGpuReport follows */
#define JOB_MSG_FAULT		'f' /* from the GPU worker; a FimGpuFault follows, and no
								 * more messages */

/* The beginning of our messages.  What follows is aligned, since queues align messages. */
typedef struct JobMessage
{
	char		type;
	char		padding[3];
	uint32		nresults;		/* of a batch */
} JobMessage;

/*
 * Make this process the sender of the queue of this index.  From here on, errors
 * and notices go to it, too.
 */
extern shm_mq_handle *QueueAttach(dsm_segment *queues, int index);

/*
 * Send a message.  Returns false if nobody takes it any more, or if this process is
 * terminated.
 */
extern bool QueueSend(shm_mq_handle *queue, char type, uint32 nresults,
					  const void *data, Size size, bool flush);

/* Send the task's summary, if it has one. */
extern void QueueSendSummary(shm_mq_handle *queue, const FimTask *task);

/* Send the last message: that this worker is finished, or has no memory. */
extern void QueueSendDone(shm_mq_handle *queue);
extern void QueueSendCrowded(shm_mq_handle *queue);

/* A sink that sends batches. */
typedef struct QueueSink
{
	FimSink		sink;			/* must be first */
	shm_mq_handle *queue;
	bool		interruptible;
} QueueSink;

/* If the sink is interruptible, an interrupt may raise an error in its write(). */
extern void QueueSinkInit(QueueSink *sink, shm_mq_handle *queue, bool interruptible);

/* Show in pg_stat_activity which call this worker works for. */
extern void QueueReportActivity(const JobHeader *header);

#endif							/* GPUFIM_QUEUE_H */

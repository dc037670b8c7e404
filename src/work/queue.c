/*-------------------------------------------------------------------------
 *
 * queue.c
 *	  A worker's side of its queue.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "libpq/pqmq.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/latch.h"
#include "tcop/tcopprot.h"
#include "utils/backend_status.h"
#include "utils/wait_event.h"
#include "work/queue.h"

/*
 * A queue can stay full for any time, because its receiver may wait for a client that does not
 * read.  Interrupts must not wait for that, but for a cancel, which has to reach the receiver.
 * What they say meanwhile goes to the server log only, since it must not get into the middle of
 * a message.  If this process is terminated, the message stays unfinished, and nothing may
 * follow it.  That raises no error here, because the caller may be in the middle of the GPU
 * library.
 */
bool
QueueSend(shm_mq_handle *queue, char type, uint32 nresults,
		  const void *data, Size size, bool flush)
{
	JobMessage	head = {type, {0}, nresults};
	shm_mq_iovec parts[2] = {{(char *) &head, sizeof(head)}, {data, size}};
	shm_mq_result result;

	if (whereToSendOutput == DestNone)
		return false;
	while ((result = shm_mq_sendv(queue, parts, 2, true, flush)) == SHM_MQ_WOULD_BLOCK)
	{
		whereToSendOutput = DestNone;
		if (ProcDiePending)
			break;
		HOLD_CANCEL_INTERRUPTS();
		CHECK_FOR_INTERRUPTS();
		RESUME_CANCEL_INTERRUPTS();
		whereToSendOutput = DestRemote;
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH, 0, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
	}
	return result == SHM_MQ_SUCCESS;
}

void
QueueSendSummary(shm_mq_handle *queue, const FimTask *task)
{
	if (task->summary != NULL)
		(void) QueueSend(queue, JOB_MSG_SUMMARY, 0, task->summary, FimSummarySize(task), false);
}

void
QueueSendDone(shm_mq_handle *queue)
{
	(void) QueueSend(queue, JOB_MSG_DONE, 0, NULL, 0, true);
}

void
QueueSendCrowded(shm_mq_handle *queue)
{
	(void) QueueSend(queue, JOB_MSG_CROWDED, 0, NULL, 0, true);
}

static bool
SendBatch(FimSink *sink, const uint32_t *words, size_t nwords, size_t nresults)
{
	QueueSink  *own = (QueueSink *) sink;
	bool		taken = QueueSend(own->queue, JOB_MSG_BATCH, (uint32) nresults,
								  words, nwords * sizeof(uint32), false);

	if (own->interruptible)
		CHECK_FOR_INTERRUPTS();
	return taken;
}

void
QueueSinkInit(QueueSink *sink, shm_mq_handle *queue, bool interruptible)
{
	memset(sink, 0, sizeof(QueueSink));
	sink->sink.write = SendBatch;
	sink->queue = queue;
	sink->interruptible = interruptible;
}

shm_mq_handle *
QueueAttach(dsm_segment *queues, int index)
{
	shm_mq	   *queue = (shm_mq *) ((char *) dsm_segment_address(queues) +
									index * JOB_QUEUE_SIZE);
	shm_mq_handle *handle;

	shm_mq_set_sender(queue, MyProc);
	handle = shm_mq_attach(queue, queues, NULL);
	pq_redirect_to_shm_mq(queues, handle);
	return handle;
}

void
QueueReportActivity(const JobHeader *header)
{
	char		activity[NAMEDATALEN + 64];

	snprintf(activity, sizeof(activity), "mining for %s() of process %d",
			 header->function, header->leader_pid);
	pgstat_report_activity(STATE_RUNNING, activity);
}

/*-------------------------------------------------------------------------
 *
 * queue.c
 *	  What workers send to the backend that called them: a worker's side of its queue, and the
 *	  backend's inbox.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "engine/gpu.h"
#include "lib/stringinfo.h"
#include "libpq/pqmq.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "storage/latch.h"
#include "storage/shm_mq.h"
#include "tcop/tcopprot.h"
#include "utils/backend_status.h"
#include "utils/wait_event.h"
#include "work/workers.h"

/* The beginning of our messages.  What follows is aligned, since queues align messages. */
typedef struct JobMessage
{
	char		type;
	char		padding[3];
	uint32		nresults;		/* of a batch */
} JobMessage;

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

/*
 * Taking what the workers of a job send.
 */

/* Messages to take from one queue before looking at the next. */
#define MESSAGES_PER_TURN		16

bool
InboxCreate(Job *job, int nqueues)
{
	Size		size = mul_size(nqueues, JOB_QUEUE_SIZE);

	job->queues = SegmentCreate(size);
	if (job->queues == NULL)
		return false;
	job->header->queues = dsm_segment_handle(job->queues);
	JobMemoryHold(job->memory, size);
	job->workers = MemoryContextAllocZero(job->context, nqueues * sizeof(InboxWorker));
	for (int i = 0; i < nqueues; i++)
	{
		char	   *address = (char *) dsm_segment_address(job->queues) + i * JOB_QUEUE_SIZE;

		job->workers[i].queue = shm_mq_create(address, JOB_QUEUE_SIZE);
		shm_mq_set_receiver(job->workers[i].queue, MyProc);
	}
	return true;
}

void
InboxDetach(Job *job)
{
	if (job->queues == NULL)
		return;
	JobMemoryHold(job->memory, -(int64) dsm_segment_map_length(job->queues));
	dsm_detach(job->queues);
	job->queues = NULL;
}

/*
 * Pass on an error or notice of a worker as if it were this process's own.  If a worker is
 * terminated, that is only noted: its SQLSTATE would say that this session ends, it may have
 * finished, and the CPU may be able to do a GPU worker's job.  The same holds for a GPU
 * worker that has no memory for the job.  And if there is no memory for all processes, a
 * worker that finds none says nothing new.
 */
static void
RaiseWorkerMessage(const Job *job, InboxWorker *worker, const char *data, Size size)
{
	StringInfoData message;
	ErrorData	error;

	initStringInfo(&message);
	appendBinaryStringInfo(&message, data, size);
	pq_parse_errornotice(&message, &error);
	pfree(message.data);

	if (error.elevel >= FATAL)
	{
		worker->terminated = error.sqlerrcode == ERRCODE_ADMIN_SHUTDOWN;
		return;
	}
	if (job->crowded && error.sqlerrcode == ERRCODE_OUT_OF_MEMORY)
		return;
	if (worker->gpu != NULL && error.sqlerrcode == ERRCODE_OUT_OF_MEMORY)
	{
		worker->gpu->refusal = palloc(sizeof(error));
		*worker->gpu->refusal = error;
		return;
	}

	if (error.context)
		error.context = psprintf("%s\n%s", error.context, "gpufim worker");
	else
		error.context = pstrdup("gpufim worker");
	ThrowErrorData(&error);
}

static void
TakeMessage(Job *job, InboxWorker *worker, char *message, Size size)
{
	const JobMessage *head = (JobMessage *) message;
	const FimTask *task = &job->task;

	switch (message[0])
	{
		case JOB_MSG_BATCH:
			(void) job->sink->write(job->sink, (uint32 *) (head + 1),
									(size - sizeof(*head)) / sizeof(uint32), head->nresults);
			break;
		case JOB_MSG_SUMMARY:
			Assert(size == sizeof(*head) + FimSummarySize(task));
			task->family->summary_add(task, task->summary, head + 1);
			break;
		case JOB_MSG_DONE:
			worker->done = true;
			break;
		case JOB_MSG_CROWDED:
			JobMarkCrowded(job);
			break;
		case JOB_MSG_REPORT:
			memcpy(&worker->gpu->report, head + 1, sizeof(FimGpuReport));
			break;
		case JOB_MSG_FAULT:
			memcpy(&worker->gpu->fault, head + 1, sizeof(FimGpuFault));
			worker->gpu->faulted = true;
			break;
		case 'E':
		case 'N':
			RaiseWorkerMessage(job, worker, message + 1, size - 1);
			break;
		default:
			elog(ERROR, "unrecognized message type %d from gpufim worker", message[0]);
	}
}

/*
 * A worker has detached its queue.  That is as it should be if the worker had finished, or
 * if it never began.  Otherwise it has taken units of work that nobody will do, and nobody
 * knows which.
 */
static void
WorkerGone(const Job *job, InboxWorker *worker)
{
	worker->gone = true;
	if (!worker->done && worker->gpu == NULL && !JobIsVoid(job) &&
		shm_mq_get_sender(worker->queue) != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("a gpufim worker ended before its work was done"),
				 worker->terminated ? errdetail("It was terminated.") :
				 errdetail("The server log may say why."),
				 errhint("Run the call again. Setting \"gpufim.workers\" to 0 mines without workers.")));
}

bool
InboxTake(Job *job, InboxWorker *worker)
{
	for (int i = 0; i < MESSAGES_PER_TURN; i++)
	{
		Size		size;
		void	   *message;

		/* No unit is left, so there is no point in waiting for a worker that has not come. */
		if (job->finished && shm_mq_get_sender(worker->queue) == NULL)
		{
			worker->gone = true;
			return true;
		}
		switch (shm_mq_receive(worker->reader, &size, &message, true))
		{
			case SHM_MQ_SUCCESS:
				TakeMessage(job, worker, message, size);
				break;
			case SHM_MQ_WOULD_BLOCK:
				return i > 0;
			case SHM_MQ_DETACHED:
				WorkerGone(job, worker);
				return true;
		}
	}
	return true;
}

bool
InboxTakeAll(Job *job, int *left)
{
	bool		any = false;

	*left = 0;
	for (int i = 0; i < job->nworkers; i++)
	{
		InboxWorker *worker = &job->workers[i];

		if (!worker->gone && InboxTake(job, worker))
			any = true;
		*left += !worker->gone;
	}
	return any;
}

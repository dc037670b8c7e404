/*-------------------------------------------------------------------------
 *
 * inbox.c
 *	  Taking what the workers of a job send.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "lib/stringinfo.h"
#include "libpq/pqmq.h"
#include "work/inbox.h"
#include "work/queue.h"
#include "work/segment.h"

/* Messages to take from one queue before looking at the next. */
#define MESSAGES_PER_TURN		16

dsm_segment *
InboxCreate(Job *job, int nqueues)
{
	Size		size = mul_size(nqueues, JOB_QUEUE_SIZE);
	dsm_segment *queues = SegmentCreate(size);

	if (queues == NULL)
		return NULL;
	job->header->queues = dsm_segment_handle(queues);
	JobMemoryHold(job->memory, size);
	job->workers = MemoryContextAllocZero(job->context, nqueues * sizeof(InboxWorker));
	for (int i = 0; i < nqueues; i++)
	{
		char	   *address = (char *) dsm_segment_address(queues) + i * JOB_QUEUE_SIZE;

		job->workers[i].queue = shm_mq_create(address, JOB_QUEUE_SIZE);
		shm_mq_set_receiver(job->workers[i].queue, MyProc);
	}
	return queues;
}

void
InboxDetach(Job *job, dsm_segment *queues)
{
	JobMemoryHold(job->memory, -(int64) dsm_segment_map_length(queues));
	dsm_detach(queues);
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

/*-------------------------------------------------------------------------
 *
 * cpu_worker.c
 *	  The background worker that mines a share of a job.
 *
 * A worker sees item numbers, never tables.  It is connected to no database, and has
 * a connection only to be listed in pg_stat_activity and to be terminated like any
 * backend.  Results and errors go through the worker's queue to the backend that
 * started it.  When that backend ends or gives up, the worker finds the job's cancel
 * flag raised or its queue detached, and ends.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "gpufim.h"
#include "postmaster/bgworker.h"
#include "tcop/tcopprot.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "work/cpu_worker.h"
#include "work/queue.h"

static void
Mine(const AttachedJob *job, shm_mq_handle *queue)
{
	const FimTask *task = &job->task;
	QueueSink	sink;
	JobHost		host;
	FimResult	result;

	QueueSinkInit(&sink, queue, true);
	JobHostInit(&host, &job->header->memory);
	host.has_company = true;
	result = task->family->mine(task, &host.host, &sink.sink);
	JobHostFree(&host);

	if (result == FIM_OUT_OF_MEMORY)
	{
		if (!host.crowded)
			JobOutOfMemory();
		QueueSendCrowded(queue);
		return;
	}
	if (result == FIM_STOPPED)
		return;
	QueueSendSummary(queue, task);
	QueueSendDone(queue);
	CHECK_FOR_INTERRUPTS();
}

void
GpufimWorkerMain(Datum main_arg)
{
	AttachedJob job;
	shm_mq_handle *queue;
	int			index;

	pqsignal(SIGTERM, die);
	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnectionByOid(InvalidOid, InvalidOid, 0);

	CurrentResourceOwner = ResourceOwnerCreate(NULL, "gpufim worker");
	CurrentMemoryContext = AllocSetContextCreate(TopMemoryContext, "gpufim worker",
												 ALLOCSET_DEFAULT_SIZES);

	if (!JobAttach(DatumGetUInt32(main_arg), &job))
		return;
	memcpy(&index, MyBgworkerEntry->bgw_extra, sizeof(index));
	queue = QueueAttach(job.queues, index);
	QueueReportActivity(job.header);
	AdoptMemoryLimit(job.header->memory_limit, job.header->max_memory_limit);
	Mine(&job, queue);

	dsm_detach(job.queues);
	dsm_detach(job.data);
	dsm_detach(job.segment);
}

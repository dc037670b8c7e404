/*-------------------------------------------------------------------------
 *
 * cpu_worker.c
 *	  The background worker that mines a share of a job.
 *
 * A worker sees item numbers, never tables.  It is connected to no database; it
 * has a connection at all so that it is listed in pg_stat_activity and can be
 * terminated like any backend.  Results and errors go to the backend that
 * started it through the worker's queue.  When that backend goes away or gives
 * up, the worker finds the job's cancel flag raised or its queue detached, and
 * ends.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "work/job.h"
#include "libpq/pqmq.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "storage/ipc.h"
#include "storage/shm_mq.h"
#include "tcop/tcopprot.h"
#include "utils/backend_status.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

/*
 * Send a message; false if nobody takes it any more.  Interrupts wait until all
 * of it is in the queue: one that ends this process sends a message of its own,
 * which must not land in the middle of another.  The wait is not for long, since
 * the receiver does nothing but take messages, or is gone.
 */
bool
QueueSend(shm_mq_handle *queue, char type, uint32 nitemsets,
		  const void *data, Size size, bool flush)
{
	JobMessage	head = {type, {0}, nitemsets};
	shm_mq_iovec parts[2] = {{(char *) &head, sizeof(head)}, {data, size}};
	shm_mq_result result;

	HOLD_INTERRUPTS();
	result = shm_mq_sendv(queue, parts, 2, false, flush);
	RESUME_INTERRUPTS();
	return result == SHM_MQ_SUCCESS;
}

static bool
SendBatch(FimSink *sink, const uint32_t *words, size_t nwords, size_t nitemsets)
{
	bool		taken = QueueSend(((QueueSink *) sink)->queue, JOB_MSG_BATCH,
								  (uint32) nitemsets, words, nwords * sizeof(uint32), false);

	CHECK_FOR_INTERRUPTS();
	return taken;
}

/* From here on errors and notices go to this queue, like results. */
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

static void
Mine(JobHeader *header, const FimDatabase *db, shm_mq_handle *queue)
{
	const FimJob *job = &header->job;
	QueueSink	sink = {{SendBatch}, queue};
	FimTally   *tally = NULL;
	FimResult	result;
	JobHost		host;

	if (job->count_only)
		tally = JobTally(job, db);

	JobHostInit(&host, &header->memory);
	result = FimCpuEngine.mine(job, db, JobShared(header), &host.host, &sink.sink, tally);
	JobHostFree(&host);

	if (result == FIM_OUT_OF_MEMORY)
		JobOutOfMemory();
	if (result == FIM_STOPPED)
		return;
	if (tally != NULL)
		(void) QueueSend(queue, JOB_MSG_TALLY, 0, tally->counts,
						 tally->lengths * sizeof(FimCount), false);
	(void) QueueSend(queue, JOB_MSG_DONE, 0, NULL, 0, true);
}

void
GpufimWorkerMain(Datum main_arg)
{
	dsm_segment *segment;
	dsm_segment *database;
	dsm_segment *queues;
	JobHeader  *header;
	shm_mq_handle *queue;
	int			index;

	pqsignal(SIGTERM, die);
	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnectionByOid(InvalidOid, InvalidOid, 0);

	CurrentResourceOwner = ResourceOwnerCreate(NULL, "gpufim worker");
	CurrentMemoryContext = AllocSetContextCreate(TopMemoryContext, "gpufim worker",
												 ALLOCSET_DEFAULT_SIZES);

	/* The job may have been finished or given up before this process was there. */
	segment = dsm_attach(DatumGetUInt32(main_arg));
	if (segment == NULL)
		return;
	header = dsm_segment_address(segment);
	if (header->magic != GPUFIM_JOB_MAGIC)
		elog(ERROR, "job segment has an invalid magic number");
	database = dsm_attach(header->database);
	queues = dsm_attach(header->queues);
	if (database == NULL || queues == NULL)
		return;

	memcpy(&index, MyBgworkerEntry->bgw_extra, sizeof(index));
	queue = QueueAttach(queues, index);
	QueueReportActivity(header);
	gpufim_memory_limit = header->memory_limit;
	Mine(header, dsm_segment_address(database), queue);

	dsm_detach(queues);
	dsm_detach(database);
	dsm_detach(segment);
}

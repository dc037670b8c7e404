/*-------------------------------------------------------------------------
 *
 * gpu_job.c
 *	  Doing a job on GPUs: the backend's side.
 *
 * The job lies in shared memory already.  This backend puts it into the worker's
 * queue and takes what comes back.  Until the worker takes the job, the call is
 * in phase "waiting".
 *
 * If the job fails on the GPU, that is an error if gpufim.engine is "gpu".  If it is
 * "auto", there is a warning, and the job starts over on the CPU with the same data.
 * A job also counts as failed if the worker ends in the middle of it.  A job that still
 * waits when the worker ends goes on waiting, for the next worker.
 *
 * Nothing needs to be cleaned up by hand here, either.  When a call is given up, its
 * segment of queues is detached: that takes a waiting job out of the queue, and the
 * cancel flag ends one that the worker has taken.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "gpufim.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "utils/wait_event.h"
#include "work/gpu_queue.h"
#include "work/work.h"
#include "work/workers.h"

/* How long to wait for the worker before looking at everything else, in ms. */
#define TURN_MS			100

typedef struct Submission
{
	GpuControl *control;
	GpuSlot    *slot;
	uint64		ticket;
	int			restarts;
	bool		waiting;
	bool		left;			/* the job has left the queue, so that the CPU does it */
	instr_time	worker_seen;	/* when there was a worker last */
	instr_time	starting;		/* since when the next worker has had time to start */
	InboxWorker *worker;
	GpuOutcome	outcome;
	FimGpuOptions options;		/* in place of the header's, if the job has no segment */
} Submission;

/*
 * The job
 */

/* Say that the GPU did not do the job: an error, or a warning with engine "auto". */
static void
GpuFailed(int sqlstate, const char *message, const char *detail, const char *hint)
{
	bool		last_word = gpufim_engine == GPUFIM_ENGINE_GPU;

	ereport(last_word ? ERROR : WARNING,
			(errcode(sqlstate),
			 last_word ? errmsg_internal("%s", message) :
			 errmsg("%s, so the processor mines instead", message),
			 detail ? errdetail_internal("%s", detail) : 0,
			 hint ? errhint("%s", hint) : 0));
}

static void
GpuFaulted(const FimGpuFault *fault)
{
	const char *error = fault->error[0] ? psprintf(" (%s)", fault->error) : "";

	if (fault->out_of_memory)
		GpuFailed(ERRCODE_OUT_OF_MEMORY,
				  psprintf("out of memory on GPU %d", fault->device),
				  psprintf("%llu bytes were needed for %s, %llu bytes were free%s.",
						   (unsigned long long) fault->needed, fault->what,
						   (unsigned long long) fault->free, error),
				  GpuMemoryLimitCanRise() ?
				  "Raise \"minsup\", raise \"gpufim.gpu_memory_limit\", or set \"gpufim.engine\" to \"cpu\"." :
				  "Raise \"minsup\", or set \"gpufim.engine\" to \"cpu\".");
	else
		GpuFailed(ERRCODE_SYSTEM_ERROR,
				  psprintf("GPU %d failed", fault->device),
				  psprintf("%s while %s.", fault->error, fault->what),
				  fault->sticky ?
				  "The GPU worker starts anew; run the call again, or set \"gpufim.engine\" to \"cpu\"." :
				  "Run the call again, or set \"gpufim.engine\" to \"cpu\".");
}

static void
GpuRefused(const ErrorData *refusal)
{
	GpuFailed(refusal->sqlerrcode, refusal->message, refusal->detail, refusal->hint);
}

static void
GpuLost(const char *detail)
{
	GpuFailed(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
			  "the GPU worker did not do its work", detail,
			  "Run the call again, or set \"gpufim.engine\" to \"cpu\".");
}

/* Called however the call ends: if the job still waits, it leaves the queue. */
static void
LeaveQueue(dsm_segment *queues, Datum slot)
{
	GpuSlot    *own = (GpuSlot *) DatumGetPointer(slot);

	(void) GpuWithdraw(own, pg_atomic_read_u64(&own->ticket));
}

static void
FillOptions(FimGpuOptions *options)
{
	options->memory_limit = (uint64) GpuMemoryLimit() * 1024;
	options->inject.allocation = gpufim_inject_allocation;
	options->inject.launch = gpufim_inject_launch;
	options->inject.device = gpufim_inject_device;
}

static void
ShowPlace(Submission *gpu)
{
	int			waiting;

	CurrentRun->done = GpuPlace(gpu->control, gpu->ticket, &waiting);
	CurrentRun->total = waiting;
}

/*
 * While the job waits, see to it that there is a worker to take it sooner or later.
 * Returns NULL, or the reason why there will be none.  The time in which a worker has to
 * start begins when it has a slot: earlier workers that still hold the slots will end,
 * however long that takes.
 */
static char *
EnsureWorker(Submission *gpu)
{
	bool		has_slot = !GpuControlIsOwn(gpu->control) || GpuOwnWorkerRuns();
	bool		runs = gpu->control->worker != NULL;
	GpuState	state;

	GpuReadState(gpu->control, &state);
	if (state.presence == GPU_ABSENT)
		return psprintf("The GPU worker says: %s.", state.reason);
	if (runs)
		INSTR_TIME_SET_CURRENT(gpu->worker_seen);
	if (!has_slot && !GpuKeepOwnWorker(&gpu->restarts))
		return "It could not be started.";
	if (runs || !has_slot)
		INSTR_TIME_SET_CURRENT(gpu->starting);
	else if (MillisecondsSince(gpu->starting) > GpuStartPatience())
		return "It does not start.";
	return NULL;
}

static bool
TakenFromQueue(const Submission *gpu)
{
	return pg_atomic_read_u64(&gpu->slot->ticket) != gpu->ticket;
}

/*
 * If another session's job keeps the GPUs for too long, or there is no worker, take the
 * job out of the queue, so that the CPU can do it, and return true.  That requires memory
 * for what the CPU engine adds to the data.
 */
static bool
LosesPatience(const Job *job, Submission *gpu)
{
	bool		busy = GpuRunningFor(gpu->control) > job->queue_patience;
	bool		away = MillisecondsSince(gpu->worker_seen) > job->queue_patience + GPU_UNKNOWN_DELAY_MS;

	if (job->queue_patience < 0 || !(busy || away) || !JobDataFitCpu(job))
		return false;
	gpu->left = GpuWithdraw(gpu->slot, gpu->ticket);
	return gpu->left;
}

/* How long to wait before looking at the queue again, in ms. */
static long
QueueTurn(const Job *job)
{
	return job->queue_patience < 0 ? TURN_MS : Max(Min(TURN_MS, (long) job->queue_patience), 1);
}

/*
 * Look after the job until it is done, has failed or has left the queue.  Returns
 * NULL then, or the reason why the worker will not do it.
 */
static char *
Attend(Job *job, Submission *gpu)
{
	InboxWorker *worker = gpu->worker;

	for (;;)
	{
		bool		taken = TakenFromQueue(gpu);
		bool		runs;
		bool		any;

		pg_read_barrier();
		runs = pg_atomic_read_u64(&gpu->control->running) == gpu->ticket;
		CHECK_FOR_INTERRUPTS();
		if (!taken)
		{
			char	   *reason = EnsureWorker(gpu);

			ShowPlace(gpu);
			if (reason != NULL && GpuWithdraw(gpu->slot, gpu->ticket))
				return reason;
			if (LosesPatience(job, gpu))
				return NULL;
			AwaitGpuWorker(QueueTurn(job));
			continue;
		}
		if (gpu->waiting)
			RunEnterPhase(GPUFIM_MINING);
		gpu->waiting = false;

		any = InboxTake(job, worker);
		JobShowProgress(job);
		if (worker->done || gpu->outcome.faulted || gpu->outcome.refusal)
			return NULL;
		if (any && !worker->gone)
			continue;
		if (!runs)
			return worker->terminated ? "It was terminated." :
				"It ended before; the server log may say why.";
		AwaitGpuWorker(TURN_MS);
	}
}

static void
ReportDone(const Job *job, const FimGpuReport *report)
{
	char	   *to = CurrentRun->device;

	CurrentRun->gpu = *report;
	JobShowStrategies(job, report->strategies);
	CurrentRun->workers = Max(job->earlier_workers, 1);
	strlcpy(to, "gpu", sizeof(CurrentRun->device));
	for (int i = 0; i < report->ndevices; i++)
		snprintf(to + strlen(to), sizeof(CurrentRun->device) - strlen(to), "%s%d",
				 i == 0 ? " " : ",", report->devices[i]);
}

static void
Submit(Job *job, Submission *gpu)
{
	gpu->worker = &job->workers[0];
	gpu->worker->gpu = &gpu->outcome;
	gpu->worker->reader = shm_mq_attach(gpu->worker->queue, job->queues, NULL);
	gpu->slot = GpuOwnSlot(gpu->control);
	gpu->control->idle_timeout = gpufim_worker_idle_timeout;
	gpu->waiting = true;
	INSTR_TIME_SET_CURRENT(gpu->worker_seen);
	gpu->starting = gpu->worker_seen;
	on_dsm_detach(job->queues, LeaveQueue, PointerGetDatum(gpu->slot));
	RunEnterPhase(GPUFIM_WAITING);
	JobShare(job);
	gpu->ticket = GpuEnqueue(gpu->control, gpu->slot, dsm_segment_handle(job->segment));
}

/*
 * Is there memory for the queue of the worker's results?  Returns NULL if so.  If not,
 * raises the usual error if no other engine may do the job, and otherwise returns the
 * reason why the worker will not do it.
 */
static char *
CheckQueueMemory(const Job *job)
{
	uint64		used = pg_atomic_read_u64(&job->memory->used);

	if (gpufim_engine == GPUFIM_ENGINE_GPU)
		CheckMemoryLimit(used, JOB_QUEUE_SIZE, "the results of the GPU worker");
	return WithinMemoryLimit(used + JOB_QUEUE_SIZE) ? NULL :
		"\"gpufim.memory_limit\" does not allow the queue of its results.";
}

JobStage
MineOnGpu(Job *job)
{
	Submission	gpu = {.restarts = 0};
	char	   *lost;

	lost = GpuFindUsable(&gpu.control, job->segment ? &job->header->gpu : &gpu.options);
	if (lost == NULL && job->segment != NULL)
		lost = CheckQueueMemory(job);
	if (lost == NULL && (job->segment == NULL || !InboxCreate(job, 1)))
		lost = "There is no shared memory for its job.";
	if (lost == NULL)
	{
		FillOptions(&job->header->gpu);
		Submit(job, &gpu);
		lost = Attend(job, &gpu);
	}
	if (job->queues != NULL)
		InboxDetach(job);
	else
		GpuNotForChange();

	if (lost != NULL)
		GpuLost(lost);
	else if (gpu.outcome.faulted)
		GpuFaulted(&gpu.outcome.fault);
	else if (gpu.outcome.refusal)
		GpuRefused(gpu.outcome.refusal);
	else if (gpu.left)
		job->may_change = job->turns == 0;
	else
	{
		ReportDone(job, &gpu.outcome.report);
		return JOB_DONE;
	}
	return JOB_STARTS_OVER;
}

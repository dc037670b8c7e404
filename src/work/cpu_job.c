/*-------------------------------------------------------------------------
 *
 * cpu_job.c
 *	  Doing a job on the CPU: in this backend, and in workers that it calls, whose side comes last.
 *
 * The backend begins at once.  If the job takes longer than starting workers does,
 * the backend calls them.  They take units of work from the same counter, and the
 * backend goes on mining.  It takes what the workers have sent from time to time,
 * when the engine polls, and in the end.  Nobody can tell from the data beforehand
 * how long a job takes; so nobody has to guess, and small jobs pay for no workers.
 * Where workers or shared memory are not to be had, the backend does all of the
 * work, and nothing else changes.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <unistd.h>

#include "compat.h"
#include "gpufim.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "tcop/tcopprot.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/wait_event.h"
#include "work/gpu_queue.h"
#include "work/workers.h"

/* Bytes that a process that mines takes at least. */
#define PROCESS_BYTES			(UINT64CONST(1024) * 1024)

/* The backend mines alone for this long, because starting processes is not worth it before. */
#define WORKERS_PAY_AFTER_MS	20

/* Where the query waits for the first rows, the backend calls workers and pauses after this time already. */
#define FIRST_ROWS_MS			5

/* While mining, the backend looks after the workers this often. */
#define TURN_INTERVAL_MS		1

/* While only waiting for workers, the backend looks at the progress this often. */
#define PROGRESS_INTERVAL_MS	100

/*
 * A job that pauses and has no workers does so after this time at first, and then after twice as much each
 * time: to come back to mining may cost some milliseconds.
 */
#define FIRST_STINT_MS			20
#define LONGEST_STINT_MS		640

/* When workers mine, the backend may leave its unit after this time, although that makes its work void. */
#define UNIT_PATIENCE_MS		5

/* The backend's host, which looks after the workers, too. */
typedef struct LeaderHost
{
	JobHost		base;			/* must be first */
	Job		   *job;
} LeaderHost;

/* By default as many processes mine as there are cores. */
int
CpuWorkersAllowed(bool mines)
{
	static long cores = 0;		/* asked for once, since the answer is read from a file */
	int			workers;

	if (cores == 0)
		cores = sysconf(_SC_NPROCESSORS_ONLN);
	workers = WorkersLimit(Max(Min(cores - mines, max_parallel_workers), 0));
	return IsUnderPostmaster ? Min(workers, max_worker_processes) : 0;
}

/*
 * How many workers there is memory for beside this process.  Each is assumed to take what the
 * task is known to take, or what this process has taken so far if that is more.  This process
 * is assumed to take as much, too, so what it has not yet taken of that is set aside for it.  All together take no more
 * than the limit divided by "margin".
 */
static int
WorkersThatFit(const LeaderHost *leader, int margin)
{
	const Job  *job = leader->job;
	uint64		limit = (uint64) MemoryLimit() * 1024 / margin;
	uint64		used = pg_atomic_read_u64(&job->memory->used) + PROCESS_BYTES;
	uint64		held = leader->base.context ? MemoryContextMemAllocated(leader->base.context, false) : 0;
	uint64		size = Max(FimWorkerSize(&job->task), held);

	used += size - held;
	if (used >= limit)
		return 0;
	return Min((uint64) job->max_workers,
			   (limit - used) / (JOB_QUEUE_SIZE + PROCESS_BYTES + size));
}

static bool
StartWorker(Job *job, int index)
{
	InboxWorker *worker = &job->workers[index];
	BackgroundWorker registration;

	memset(&registration, 0, sizeof(registration));
	registration.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
	registration.bgw_start_time = BgWorkerStart_ConsistentState;
	registration.bgw_restart_time = BGW_NEVER_RESTART;
	strlcpy(registration.bgw_library_name, "gpufim", sizeof(registration.bgw_library_name));
	strlcpy(registration.bgw_function_name, "GpufimWorkerMain", BGW_MAXLEN);
	strlcpy(registration.bgw_type, "gpufim worker", BGW_MAXLEN);
	snprintf(registration.bgw_name, BGW_MAXLEN, "gpufim worker for PID %d", MyProcPid);
	registration.bgw_main_arg = UInt32GetDatum(dsm_segment_handle(job->segment));
	memcpy(registration.bgw_extra, &index, sizeof(index));
	registration.bgw_notify_pid = MyProcPid;

	worker->handle = RegisterCallWorker(&registration, job->queues);
	if (worker->handle == NULL)
		return false;
	worker->reader = shm_mq_attach(worker->queue, job->queues, worker->handle);
	return true;
}

/* Make queues for as many workers as there is memory for.  Returns false if there are none. */
static bool
PrepareQueues(const LeaderHost *leader)
{
	Job		   *job = leader->job;

	/* what cannot start over must not run short of memory */
	job->nqueues = WorkersThatFit(leader, job->has_paused ? 2 : 1);
	return job->segment != NULL && job->nqueues > 0 && InboxCreate(job, job->nqueues);
}

/*
 * Call for workers.  As many come as there are slots and memory for, perhaps none.  If
 * slots are lacking that workers of an earlier call still hold, the rest are called in a
 * later turn.
 */
static void
CallWorkers(LeaderHost *leader)
{
	Job		   *job = leader->job;
	bool		later;

	job->called = true;
	if (job->queues == NULL && !PrepareQueues(leader))
		return;
	JobShare(job);
	later = WorkersAreEnding();
	while (job->nworkers < job->nqueues && StartWorker(job, job->nworkers))
		job->nworkers++;
	CurrentRun->workers = Max(job->earlier_workers, job->nworkers);
	leader->base.has_company = job->nworkers > 0;
	job->called = job->nworkers == job->nqueues || !later;
}

/* Called however the call ends: its job does not change to a GPU any more. */
static void
StayOffGpu(dsm_segment *segment, Datum arg)
{
	GpuNotForChange();
}

/* How often to look for a free GPU once the CPU has had its time, in ms. */
static int
PatienceStep(void)
{
	return Max(gpufim_gpu_patience, 1);
}

/*
 * Does a GPU take over now?  It may as soon as the CPU has had its time.  If so, the
 * cancel flag ends the mining of this process and of its workers.
 */
static bool
ChangesToGpu(Job *job)
{
	if (!job->may_change || job->segment == NULL ||
		MillisecondsSince(job->started) < job->cpu_patience)
		return false;
	job->cpu_patience += PatienceStep();
	if (!job->asked_gpu)
	{
		JobShare(job);
		on_dsm_detach(job->segment, StayOffGpu, (Datum) 0);
		job->asked_gpu = true;
	}
	switch (GpuReadyForChange(&job->gpu_starts))
	{
		case GPU_NEVER:
			job->may_change = false;
			break;
		case GPU_LATER:
			break;
		case GPU_NOW:
			job->changes = true;
			job->task.shared->cancel = 1;
	}
	return job->changes;
}

/* May the job pause now?  After the first time, it has to be able to. */
static bool
MayPause(const Job *job)
{
	return job->pauses &&
		(job->has_paused ||
		 (!job->may_change &&
		  (job->nworkers == 0 || WithinMemoryLimit(2 * pg_atomic_read_u64(&job->memory->used)))));
}

/* Does the sink keep about as many results as it can without writing them to files? */
static bool
SinkIsFull(const Job *job)
{
	return job->sink->kept * sizeof(uint32) > work_mem * (Size) 1024 / 2;
}

static bool
HasHelp(const Job *job)
{
	for (int i = 0; i < job->nworkers; i++)
	{
		if (!job->workers[i].gone && shm_mq_get_sender(job->workers[i].queue) != NULL)
			return true;
	}
	return false;
}

/*
 * A job that pauses is left to workers as soon as there are some, because a unit can have any
 * number of results, and this process could not look at any of them before it has found all.  If there are more than it can
 * keep already, or if the query waits for the first ones, it does not even wait for the end of its unit.  It does wait
 * for slots that workers of the session's last call still hold, because after that no more workers come.
 */
static void
LookForPause(Job *job)
{
	double		stint = MillisecondsSince(job->stint_started);

	if (!HasHelp(job))
	{
		job->sink->enough |= stint >= job->stint_ms || (SinkIsFull(job) && stint >= FIRST_STINT_MS);
		return;
	}
	job->sink->enough = true;
	if (INSTR_TIME_IS_ZERO(job->help_came))
		INSTR_TIME_SET_CURRENT(job->help_came);
	else if (job->called && !job->has_paused && !job->stays_out && (job->wants_few || SinkIsFull(job)) &&
			 MillisecondsSince(job->help_came) > UNIT_PATIENCE_MS)
	{
		job->hands_over = true;
		/* there is memory for these */
		job->max_workers = job->nworkers;
		job->task.shared->cancel = 1;
	}
}

static bool
LeaderPoll(FimHost *host)
{
	LeaderHost *leader = (LeaderHost *) host;
	Job		   *job = leader->job;
	int			left;

	CHECK_FOR_INTERRUPTS();
	JobHostCheckStack(host);
	if (MillisecondsSince(job->last_turn) < TURN_INTERVAL_MS)
		return false;
	JobShowProgress(job);
	if (!job->called &&
		(MillisecondsSince(job->started) >= (job->wants_few ? FIRST_ROWS_MS : WORKERS_PAY_AFTER_MS) ||
		 (MayPause(job) && SinkIsFull(job))))
		CallWorkers(leader);
	(void) InboxTakeAll(job, &left);
	INSTR_TIME_SET_CURRENT(job->last_turn);
	/* there are no results before the data are complete */
	if (!FimIsFilled(&job->task))
		job->stint_started = job->last_turn;
	else if (MayPause(job))
		LookForPause(job);
	return job->crowded || job->hands_over || ChangesToGpu(job);
}

/*
 * Wait until the workers that took part have ended, so that their slots are free for
 * the next call of any session, and count these workers.  If there are any, no unit is left.
 */
static void
AwaitEnds(Job *job)
{
	int			helped = 0;

	for (int i = 0; i < job->nworkers; i++)
		if (job->workers[i].done)
		{
			helped++;
			(void) WaitForBackgroundWorkerShutdown(job->workers[i].handle);
		}
	CurrentRun->workers = Max(job->earlier_workers, helped);
	job->finished |= helped > 0;
}

/* Take what workers send until they have ended.  Returns false if the job pauses before. */
static bool
AwaitWorkers(Job *job)
{
	int			left;

	for (;;)
	{
		bool		any = InboxTakeAll(job, &left);

		CHECK_FOR_INTERRUPTS();
		JobShowProgress(job);
		if (left == 0 || job->crowded || job->hands_over)
			break;
		if (any && MayPause(job))
			return false;
		if ((!job->changes && ChangesToGpu(job)) || any)
			continue;
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 job->may_change ? Min(PatienceStep(), PROGRESS_INTERVAL_MS) :
						 PROGRESS_INTERVAL_MS, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
	}
	AwaitEnds(job);
	return true;
}

/*
 * End the workers' part.  If the job starts over, they must have ended before: they hold
 * memory, and one that came later would take the queues of the next engine's worker for its
 * own.  The queues are detached first, because a worker may be waiting for room in a queue
 * that nobody reads any more.
 */
static void
LetWorkersGo(Job *job)
{
	InboxDetach(job);
	if (JobIsVoid(job))
		for (int i = 0; i < job->nworkers; i++)
			(void) WaitForBackgroundWorkerShutdown(job->workers[i].handle);
	job->nworkers = 0;
	job->begun = job->called = job->finished = false;
}

static void
Mine(LeaderHost *leader)
{
	Job		   *job = leader->job;
	FimResult	result;

	JobHostInit(&leader->base, job->memory);
	leader->base.host.poll = LeaderPoll;
	leader->base.has_company = job->nworkers > 0;
	INSTR_TIME_SET_CURRENT(job->stint_started);
	if (job->sink != NULL)
		job->sink->enough = false;
	result = FimMine(&job->task, &leader->base.host, job->sink);
	if (result == FIM_OUT_OF_MEMORY)
	{
		if (!leader->base.crowded)
			JobOutOfMemory();
		JobMarkCrowded(job);
	}
	JobHostFree(&leader->base);
}

/*
 * Mine what the workers leave, and take what they send.  Returns false if the job pauses before
 * all has been done.  Once results have been looked at, this process only mines if no workers do.
 */
static bool
MineAndCollect(LeaderHost *leader)
{
	Job		   *job = leader->job;

	if (job->stays_out && !job->called)
		CallWorkers(leader);
	if (job->has_paused || job->stays_out)
	{
		if (!AwaitWorkers(job))
			return false;
	}
	if (!job->finished && !job->crowded)
	{
		Mine(leader);
		if (job->sink != NULL && job->sink->enough && !JobIsVoid(job))
		{
			job->stint_ms = Min(2 * job->stint_ms, LONGEST_STINT_MS);
			return false;
		}
		job->finished = true;
	}
	return AwaitWorkers(job);
}

/*
 * The same, but catches the error of JobRaiseCrowded(): there is no room for results beside the
 * workers.  No subtransaction is needed for that: the error comes from a
 * sink, which can be told to start over, and no function between the sink and this one holds
 * anything but memory.
 */
static bool
MineUntilCrowded(Job *job)
{
	LeaderHost	leader = {.job = job};
	MemoryContext context = CurrentMemoryContext;
	volatile bool done = true;

	PG_TRY();
	{
		done = MineAndCollect(&leader);
	}
	PG_CATCH();
	{
		if (geterrcode() != ERRCODE_JOB_CROWDED)
			PG_RE_THROW();
		MemoryContextSwitchTo(context);
		FlushErrorState();
		if (leader.base.context != NULL)
			JobHostFree(&leader.base);
	}
	PG_END_TRY();
	return done;
}

static void
BeginOnCpu(Job *job)
{
	JobDataPrepare(job);
	RunEnterPhase(GPUFIM_MINING);
	INSTR_TIME_SET_CURRENT(job->started);
	job->last_turn = job->started;
	if (job->may_change)
		job->cpu_patience = job->least_patience + GpuDelay();
	job->asked_gpu = false;
	job->stint_ms = job->wants_few ? FIRST_ROWS_MS : FIRST_STINT_MS;
	INSTR_TIME_SET_ZERO(job->help_came);
	job->begun = true;
}

JobStage
MineOnCpu(Job *job)
{
	if (!job->begun)
		BeginOnCpu(job);
	if (!MineUntilCrowded(job))
	{
		job->has_paused = true;
		return JOB_PAUSED;
	}
	LetWorkersGo(job);
	return JobIsVoid(job) ? JOB_STARTS_OVER : JOB_DONE;
}

/*
 * The background worker that does a share of a job on the CPU.
 *
 * A worker sees item numbers, never tables.  It is connected to no database, and has
 * a connection only to be listed in pg_stat_activity and to be terminated like any
 * backend.  Results and errors go through the worker's queue to the backend that
 * started it.  When that backend ends or gives up, the worker finds the job's cancel
 * flag raised or its queue detached, and ends.
 */

static void
MineAttached(const AttachedJob *job, shm_mq_handle *queue)
{
	const FimTask *task = &job->task;
	QueueSink	sink;
	JobHost		host;
	FimResult	result;

	QueueSinkInit(&sink, queue, true);
	JobHostInit(&host, &job->header->memory);
	host.has_company = true;
	result = FimMine(task, &host.host, &sink.sink);
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
	MineAttached(&job, queue);

	dsm_detach(job.queues);
	dsm_detach(job.data);
	dsm_detach(job.segment);
}

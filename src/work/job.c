/*-------------------------------------------------------------------------
 *
 * job.c
 *	  Having a job mined, in background workers or in this backend.
 *
 * A job for the GPU goes to the process that owns it (gpu_job.c).  Otherwise this
 * process mines.  When that takes longer than starting workers does, it
 * calls for workers, which take prefix classes from the same counter, and goes on
 * mining; from time to time, in the engine's poll, and in the end it takes what
 * the workers have sent and emits it.  How long a job takes cannot be told from
 * the data beforehand, so no rule has to guess it, and small jobs pay nothing.
 * Where workers or shared memory are not to be had, this process does all the
 * work, and nothing else changes.
 *
 * Nothing here needs cleaning up by hand.  The segments belong to the current
 * resource owner, so they are detached however the call ends; detaching raises
 * the cancel flag and detaches the queues, upon which the workers end.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <unistd.h>

#include "compat.h"
#include "work/job.h"
#include "lib/stringinfo.h"
#include "libpq/pqmq.h"
#include "pgstat.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/wait_event.h"

/* Mine alone for so long before it is worth starting processes. */
#define WORKERS_PAY_AFTER_MS	20

/* While mining, look at the workers and the clock this often. */
#define TURN_INTERVAL_MS		1

/* While only waiting for workers, look at the progress this often. */
#define PROGRESS_INTERVAL_MS	100

/* Messages to take from one queue before looking at the next. */
#define MESSAGES_PER_TURN		16

/* Copied between two looks at interrupts. */
#define COPY_STEP				((Size) 16 * 1024 * 1024)

/* This process's host of the engine: it looks after the workers, too. */
typedef struct LeaderHost
{
	JobHost		base;			/* must be first */
	Job		   *job;
} LeaderHost;

/*
 * Host
 */

static void
Hold(JobMemory *memory, int64 more)
{
	uint64		used = pg_atomic_add_fetch_u64(&memory->used, more);
	uint64		peak = pg_atomic_read_u64(&memory->peak);

	while (used > peak && !pg_atomic_compare_exchange_u64(&memory->peak, &peak, used))
		;
}

static void
Charge(JobHost *host, Size before)
{
	Hold(host->memory, (int64) (MemoryContextMemAllocated(host->context, false) - before));
}

static void *
HostAlloc(FimHost *fim_host, size_t bytes)
{
	JobHost    *host = (JobHost *) fim_host;
	Size		before = MemoryContextMemAllocated(host->context, false);
	void	   *block;

	CheckMemoryLimit(pg_atomic_read_u64(&host->memory->used) + bytes, "mining");
	block = MemoryContextAllocExtended(host->context, bytes,
									   MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
	if (block != NULL)
		Charge(host, before);
	return block;
}

static void
HostFree(FimHost *fim_host, void *block)
{
	JobHost    *host = (JobHost *) fim_host;
	Size		before = MemoryContextMemAllocated(host->context, false);

	if (block == NULL)
		return;
	pfree(block);
	Charge(host, before);
}

static bool
HostPoll(FimHost *host)
{
	CHECK_FOR_INTERRUPTS();
	return false;
}

void
JobHostInit(JobHost *host, JobMemory *memory)
{
	host->host.alloc = HostAlloc;
	host->host.free = HostFree;
	host->host.poll = HostPoll;
	host->context = AllocSetContextCreate(CurrentMemoryContext, "gpufim mining",
										  ALLOCSET_DEFAULT_SIZES);
	host->memory = memory;
}

void
JobHostFree(JobHost *host)
{
	Size		held = MemoryContextMemAllocated(host->context, false);

	MemoryContextDelete(host->context);
	pg_atomic_sub_fetch_u64(&host->memory->used, (int64) held);
}

void
JobOutOfMemory(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_OUT_OF_MEMORY),
			 errmsg("out of memory"),
			 errdetail("The system has no more memory for mining."),
			 errhint("Raise \"minsup\" or lower \"gpufim.workers\".")));
}

FimTally *
JobTally(const FimJob *job, const FimDatabase *db)
{
	FimTally   *tally = palloc(sizeof(FimTally));

	tally->lengths = FimTallyLengths(job, db);
	tally->counts = palloc0(tally->lengths * sizeof(FimCount));
	return tally;
}

/*
 * Workers and shared memory
 */

/* By default every core has a process to mine: this one and the workers. */
static int
WantedWorkers(void)
{
	int			workers = gpufim_workers;

	if (workers < 0)
	{
		long		cores = sysconf(_SC_NPROCESSORS_ONLN);

		workers = Max(Min(cores - 1, max_parallel_workers), 0);
	}
	return IsUnderPostmaster ? Min(workers, max_worker_processes) : 0;
}

/*
 * A new segment, or NULL if the system has no room for it.  dsm_create() raises
 * an error then; a resource owner of its own gets rid of what that leaves.
 */
dsm_segment *
JobCreateSegment(Size size)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner caller = CurrentResourceOwner;
	ResourceOwner owner = ResourceOwnerCreate(caller, "gpufim segment");
	dsm_segment *volatile segment = NULL;

	PG_TRY();
	{
		CurrentResourceOwner = owner;
		segment = dsm_create(size, DSM_CREATE_NULL_IF_MAXSEGMENTS);
		if (segment != NULL)
			dsm_pin_mapping(segment);
		CurrentResourceOwner = caller;
		if (segment != NULL)
			dsm_unpin_mapping(segment);
	}
	PG_CATCH();
	{
		CurrentResourceOwner = caller;
		if (ERRCODE_TO_CATEGORY(geterrcode()) != ERRCODE_INSUFFICIENT_RESOURCES)
			PG_RE_THROW();
		MemoryContextSwitchTo(context);
		FlushErrorState();
		segment = NULL;
	}
	PG_END_TRY();

	ResourceOwnerRelease(owner, RESOURCE_RELEASE_BEFORE_LOCKS, false, false);
	ResourceOwnerRelease(owner, RESOURCE_RELEASE_LOCKS, false, false);
	ResourceOwnerRelease(owner, RESOURCE_RELEASE_AFTER_LOCKS, false, false);
	ResourceOwnerDelete(owner);
	return segment;
}

/*
 * The database and the job
 */

static void
AllocateDatabase(Job *job, Size size)
{
	bool		shared = job->max_workers > 0 || job->gpu || job->may_change;

	job->database = shared ? JobCreateSegment(size) : NULL;
	if (job->database != NULL)
		job->db = dsm_segment_address(job->database);
	else
		job->db = MemoryContextAllocHuge(CurrentMemoryContext, size);
}

static uint32 *
Supports(const GpufimItems *items)
{
	uint32	   *supports = MemoryContextAllocHuge(CurrentMemoryContext,
												  ((Size) items->nitems + 1) * sizeof(uint32));

	for (uint32 i = 0; i < items->nitems; i++)
		supports[i] = items->items[i].support;
	return supports;
}

/* What the call holds besides what the engine will take. */
static uint64
HeldMemory(const Job *job, Size size)
{
	return MemoryContextMemAllocated(job->context, true) + (job->database ? size : 0);
}

static void
BuildDatabase(Job *job, GpufimRows *rows, const GpufimItems *items)
{
	size_t		bound;
	uint32	   *supports;
	JobHost		host;

	job->indexable = !job->gpu;
	bound = job->indexable ?
		FimDatabaseIndexedBound(items->rows, items->entries, items->nitems) :
		FimDatabaseBound(items->rows, items->entries, items->nitems);
	RowsMakeRoom(rows, bound, "the transactions' frequent items");
	supports = Supports(items);
	AllocateDatabase(job, bound);
	RunTrackMemory(HeldMemory(job, bound));

	FimDatabaseBegin(job->db, bound, items->rows, items->entries, items->nitems, supports);
	pfree(supports);
	WriteTransactions(rows, items, job->db);
	RowsFree(rows);
	pg_atomic_init_u64(&job->memory->used, HeldMemory(job, bound));
	pg_atomic_init_u64(&job->memory->peak, HeldMemory(job, bound));

	JobHostInit(&host, job->memory);
	if (!FimDatabaseFinish(job->db, &host.host))
		JobOutOfMemory();
	JobHostFree(&host);
}

static void
RaiseCancel(dsm_segment *segment, Datum shared)
{
	((FimShared *) DatumGetPointer(shared))->cancel = 1;
}

static void
FillHeader(Job *job, Size size)
{
	JobHeader  *header = job->header;

	header->magic = GPUFIM_JOB_MAGIC;
	header->job = job->job;
	strlcpy(header->function, CurrentRun->function, NAMEDATALEN);
	header->leader_pid = MyProcPid;
	header->memory_limit = gpufim_memory_limit;
	header->database = dsm_segment_handle(job->database);
	header->queues = DSM_HANDLE_INVALID;
	pg_atomic_init_u64(&header->memory.used, pg_atomic_read_u64(&job->memory->used) + size);
	pg_atomic_init_u64(&header->memory.peak, pg_atomic_read_u64(&job->memory->peak) + size);
}

/* Set up the shared state where workers can see it, if they can see the database. */
static void
PrepareShared(Job *job)
{
	Size		shared_size = FimSharedSize(&job->job, job->db);
	Size		size = MAXALIGN(sizeof(JobHeader)) + shared_size;

	if (job->database != NULL)
		job->segment = JobCreateSegment(size);
	if (job->segment != NULL)
	{
		job->header = dsm_segment_address(job->segment);
		FillHeader(job, size);
		job->memory = &job->header->memory;
		job->shared = JobShared(job->header);
		on_dsm_detach(job->segment, RaiseCancel, PointerGetDatum(job->shared));
	}
	else
	{
		job->shared = MemoryContextAllocHuge(CurrentMemoryContext, shared_size);
		Hold(job->memory, shared_size);
	}
	memset(job->shared, 0, shared_size);
	FimSharedInit(job->shared, &job->job, job->db);
}

void
JobShowProgress(const Job *job)
{
	const FimShared *shared = job->shared;

	CurrentRun->done = shared->classes_done;
	CurrentRun->total = shared->classes;
	CurrentRun->nodes = shared->nodes;
	if (job->tally != NULL)
		CurrentRun->results = shared->results;
}

/*
 * Workers
 */

/* A segment of queues that this process reads; NULL if there is no room for it. */
dsm_segment *
JobCreateQueues(Job *job, int nqueues)
{
	Size		size = mul_size(nqueues, JOB_QUEUE_SIZE);
	dsm_segment *queues = JobCreateSegment(size);

	if (queues == NULL)
		return NULL;
	job->header->queues = dsm_segment_handle(queues);
	Hold(job->memory, size);
	job->workers = MemoryContextAllocZero(job->context, nqueues * sizeof(Worker));
	for (int i = 0; i < nqueues; i++)
	{
		char	   *address = (char *) dsm_segment_address(queues) + i * JOB_QUEUE_SIZE;

		job->workers[i].queue = shm_mq_create(address, JOB_QUEUE_SIZE);
		shm_mq_set_receiver(job->workers[i].queue, MyProc);
	}
	return queues;
}

void
JobDetachQueues(Job *job, dsm_segment *queues)
{
	Hold(job->memory, -(int64) dsm_segment_map_length(queues));
	dsm_detach(queues);
}

static bool
StartWorker(Job *job, int index)
{
	Worker	   *worker = &job->workers[index];
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

	if (!RegisterDynamicBackgroundWorker(&registration, &worker->handle))
		return false;
	worker->reader = shm_mq_attach(worker->queue, job->queues, worker->handle);
	return true;
}

/* Call for workers; as many come as there are slots for, perhaps none. */
static void
CallWorkers(Job *job)
{
	job->called = true;
	if (job->segment == NULL || job->max_workers == 0)
		return;
	job->queues = JobCreateQueues(job, job->max_workers);
	if (job->queues == NULL)
		return;
	while (job->nworkers < job->max_workers && StartWorker(job, job->nworkers))
		job->nworkers++;
	CurrentRun->workers = job->nworkers;
}

/*
 * Pass on an error or notice of a worker as if it were ours, unless it is the
 * end of a GPU worker: there may be other ways to go on.
 */
static void
RaiseWorkerMessage(Worker *worker, const char *data, Size size)
{
	StringInfoData message;
	ErrorData	error;

	initStringInfo(&message);
	appendBinaryStringInfo(&message, data, size);
	pq_parse_errornotice(&message, &error);
	pfree(message.data);

	if (worker->gpu != NULL && error.elevel >= FATAL)
	{
		worker->gpu->terminated = true;
		return;
	}
	if (worker->gpu != NULL && error.sqlerrcode == ERRCODE_OUT_OF_MEMORY)
	{
		worker->gpu->refusal = palloc(sizeof(error));
		*worker->gpu->refusal = error;
		return;
	}

	/* The end of a worker is not the end of the session. */
	if (error.elevel >= ERROR)
		error.elevel = ERROR;
	if (error.sqlerrcode == ERRCODE_ADMIN_SHUTDOWN && error.hint == NULL)
		error.hint = "A worker of this call was terminated. Run the call again.";
	if (error.context)
		error.context = psprintf("%s\n%s", error.context, "gpufim worker");
	else
		error.context = pstrdup("gpufim worker");
	ThrowErrorData(&error);
}

static void
TakeMessage(Job *job, Worker *worker, char *message, Size size)
{
	const JobMessage *head = (JobMessage *) message;
	FimTally	tally;

	switch (message[0])
	{
		case JOB_MSG_BATCH:
			(void) job->sink->write(job->sink, (uint32 *) (head + 1),
									(size - sizeof(*head)) / sizeof(uint32), head->nitemsets);
			break;
		case JOB_MSG_TALLY:
			tally.lengths = (size - sizeof(*head)) / sizeof(FimCount);
			tally.counts = (FimCount *) (head + 1);
			FimTallyAdd(job->tally, &tally);
			break;
		case JOB_MSG_DONE:
			worker->done = true;
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
			RaiseWorkerMessage(worker, message + 1, size - 1);
			break;
		default:
			elog(ERROR, "unrecognized message type %d from gpufim worker", message[0]);
	}
}

/*
 * A worker whose queue is detached had finished, or never ran.  Otherwise it has
 * taken classes with it, and nobody knows which.
 */
static void
WorkerGone(const Job *job, Worker *worker)
{
	worker->gone = true;
	if (!worker->done && worker->gpu == NULL && !job->changes &&
		shm_mq_get_sender(worker->queue) != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("a gpufim worker ended before its work was done"),
				 errhint("See the server log for the reason. "
						 "Setting \"gpufim.workers\" to 0 mines without workers.")));
}

/* Take what a worker has sent, within reason; false if there was nothing. */
bool
JobDrain(Job *job, Worker *worker)
{
	for (int i = 0; i < MESSAGES_PER_TURN; i++)
	{
		Size		size;
		void	   *message;

		/* One that is not there when no class is left is not waited for. */
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

/* One turn over all workers that are left; false if none of them had anything. */
static bool
DrainWorkers(Job *job, int *left)
{
	bool		any = false;

	*left = 0;
	for (int i = 0; i < job->nworkers; i++)
	{
		Worker	   *worker = &job->workers[i];

		if (!worker->gone && JobDrain(job, worker))
			any = true;
		*left += !worker->gone;
	}
	return any;
}

/* While GPUs are not free, look again this often, in ms. */
static int
PatienceStep(void)
{
	return Max(gpufim_gpu_patience, 1);
}

/* The CPU has had its time: does a GPU take over now? */
static bool
ChangesToGpu(Job *job)
{
	if (!job->may_change || job->segment == NULL ||
		MillisecondsSince(job->started) < job->patience)
		return false;
	job->patience += PatienceStep();
	switch (GpuForChange())
	{
		case GPU_NEVER:
			job->may_change = false;
			break;
		case GPU_LATER:
			break;
		case GPU_NOW:
			job->changes = true;
			job->shared->cancel = 1;
	}
	return job->changes;
}

static bool
LeaderPoll(FimHost *host)
{
	Job		   *job = ((LeaderHost *) host)->job;
	int			left;

	CHECK_FOR_INTERRUPTS();
	if (MillisecondsSince(job->last_turn) < TURN_INTERVAL_MS)
		return false;
	JobShowProgress(job);
	if (!job->called && MillisecondsSince(job->started) >= WORKERS_PAY_AFTER_MS)
		CallWorkers(job);
	(void) DrainWorkers(job, &left);
	INSTR_TIME_SET_CURRENT(job->last_turn);
	return ChangesToGpu(job);
}

static void
FinishWorkers(Job *job)
{
	int			left;
	int			helped = 0;

	job->finished = true;
	for (;;)
	{
		bool		any = DrainWorkers(job, &left);

		CHECK_FOR_INTERRUPTS();
		JobShowProgress(job);
		if (left == 0)
			break;
		if ((!job->changes && ChangesToGpu(job)) || any)
			continue;
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 job->may_change ? Min(PatienceStep(), PROGRESS_INTERVAL_MS) :
						 PROGRESS_INTERVAL_MS, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
	}

	/* The slots of those that ran should be free for the next call. */
	for (int i = 0; i < job->nworkers; i++)
		if (job->workers[i].done)
		{
			helped++;
			(void) WaitForBackgroundWorkerShutdown(job->workers[i].handle);
		}
	CurrentRun->workers = helped;
}

/* What is held while the database moves to where there is room for the index. */
static uint64
MovingSize(const Job *job)
{
	return pg_atomic_read_u64(&job->memory->used) + FimDatabaseIndexedSize(job->db);
}

/* false: MakeRoomForIndex() would be an error. */
bool
JobHasRoomForIndex(const Job *job)
{
	return job->indexable || WithinMemoryLimit(MovingSize(job));
}

/*
 * A database made for a GPU has no room for the index: move it to where there is.
 * For a moment gpufim.memory_limit has to allow both.
 */
static void
MakeRoomForIndex(Job *job)
{
	FimDatabase *old = job->db;
	dsm_segment *old_segment = job->database;
	Size		size = FimDatabaseIndexedSize(old);

	CheckMemoryLimit(MovingSize(job), "the transactions' frequent items");
	AllocateDatabase(job, size);
	Hold(job->memory, size);
	for (Size done = 0; done < old->size; done += COPY_STEP)
	{
		CHECK_FOR_INTERRUPTS();
		memcpy((char *) job->db + done, (char *) old + done, Min(COPY_STEP, old->size - done));
	}
	if (old_segment != NULL)
	{
		Hold(job->memory, -(int64) dsm_segment_map_length(old_segment));
		dsm_detach(old_segment);
	}
	else
	{
		Hold(job->memory, -(int64) GetMemoryChunkSpace(old));
		pfree(old);
	}

	/* workers can only see what is in a segment */
	if (job->database == NULL)
	{
		job->max_workers = 0;
		job->may_change = false;
	}
	else if (job->header != NULL)
		job->header->database = dsm_segment_handle(job->database);
	job->indexable = true;
}

/* What only this engine needs of the database, and a GPU's job has left out. */
static void
IndexDatabase(Job *job)
{
	JobHost		host;

	if (job->indexed)
		return;
	RunEnterPhase(GPUFIM_ENCODING);
	if (!job->indexable)
		MakeRoomForIndex(job);
	JobHostInit(&host, job->memory);
	if (!FimDatabaseIndex(job->db, &host.host))
		elog(ERROR, "indexing the transactions was stopped");
	JobHostFree(&host);
	job->indexed = true;
}

/* false: it is not done, and a GPU goes on. */
static bool
MineOnCpu(Job *job)
{
	FimResult	result;
	LeaderHost	host;

	IndexDatabase(job);
	RunEnterPhase(GPUFIM_MINING);
	INSTR_TIME_SET_CURRENT(job->started);
	job->last_turn = job->started;
	if (job->may_change)
		job->patience = gpufim_gpu_patience + GpuDelay();

	JobHostInit(&host.base, job->memory);
	host.base.host.poll = LeaderPoll;
	host.job = job;
	result = FimCpuEngine.mine(&job->job, job->db, job->shared, &host.base.host,
							   job->sink, job->tally);
	if (result == FIM_OUT_OF_MEMORY)
		JobOutOfMemory();
	JobHostFree(&host.base);

	FinishWorkers(job);
	RunTrackMemory(pg_atomic_read_u64(&job->memory->peak));
	return !job->changes;
}

/* What the call says of itself. */
static void
ShowEngine(const Job *job)
{
	CurrentRun->engine = job->gpu ? GPUFIM_ENGINE_GPU : GPUFIM_ENGINE_CPU;
	CurrentRun->strategy = job->job.strategy;
	strlcpy(CurrentRun->device, job->gpu ? "gpu" : "cpu", sizeof(CurrentRun->device));
}

/*
 * The next engine calls its own workers.  None may come late: it would take the
 * next one's queues for its own.  One that comes after FinishWorkers() finds no
 * queues, or is about to fill one that nobody reads any more: so they have to be
 * detached before it is waited for.
 */
static void
ForgetWorkers(Job *job)
{
	if (job->queues != NULL)
		JobDetachQueues(job, job->queues);
	for (int i = 0; i < job->nworkers; i++)
		(void) WaitForBackgroundWorkerShutdown(job->workers[i].handle);
	job->queues = NULL;
	job->nworkers = 0;
	job->called = job->finished = false;
}

/* What one engine left undone the other does anew, as if it had not begun. */
static void
StartOver(Job *job)
{
	ForgetWorkers(job);
	if (!job->gpu)
		job->may_change = false;
	job->gpu = !job->gpu;
	job->changes = false;
	job->turns++;
	job->job.strategy = StrategyOf(job->gpu ? GPUFIM_ENGINE_GPU : GPUFIM_ENGINE_CPU);
	ShowEngine(job);
	if (job->header != NULL)
		job->header->job = job->job;
	memset(job->shared, 0, FimSharedSize(&job->job, job->db));
	FimSharedInit(job->shared, &job->job, job->db);
	if (job->tally != NULL)
		memset(job->tally->counts, 0, job->tally->lengths * sizeof(FimCount));
	else
		EmitterStartOver(job->sink);
}

static void
DetachSegments(Job *job)
{
	if (job->queues != NULL)
		dsm_detach(job->queues);
	if (job->segment != NULL)
		dsm_detach(job->segment);
	if (job->database != NULL)
		dsm_detach(job->database);
}

FimTally *
MineRows(GpufimRows *rows, const GpufimItems *items, const GpufimRequest *request,
		 uint32 minsup, FimSink *sink)
{
	Job			job = {{0}};

	job.gpu = ChooseEngine(items, &job.job.strategy) == GPUFIM_ENGINE_GPU;
	job.job.kind = request->kind;
	job.job.count_only = request->count_only;
	job.job.minsup = minsup;
	job.job.prefix_length = items->nprefix;
	job.job.min_length = request->min_length;
	job.job.max_length = request->max_length;
	job.context = CurrentMemoryContext;
	job.sink = sink;
	job.memory = &job.own_memory;
	job.max_workers = WantedWorkers();
	job.may_change = !job.gpu && MayChangeEngine();
	job.queue_patience = QueuePatience(items);
	ShowEngine(&job);

	BuildDatabase(&job, rows, items);
	PrepareShared(&job);
	if (request->count_only)
		job.tally = JobTally(&job.job, job.db);
	while (!(job.gpu ? MineOnGpu(&job) : MineOnCpu(&job)))
		StartOver(&job);
	DetachSegments(&job);
	return job.tally;
}

/*-------------------------------------------------------------------------
 *
 * job.c
 *	  Having a job mined, in background workers or in this backend.
 *
 * The engine's database is built in a dynamic shared memory segment when workers
 * may mine it.  Once it is there, its cost is known: a small job is mined at
 * once in this process, others by workers, whose results this process takes from
 * their queues and emits while they mine on.  Where workers or shared memory are
 * not to be had, this process mines, and nothing else changes: workers take
 * prefix classes from a counter, so however many there are does all the work.
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
#include "job.h"
#include "lib/stringinfo.h"
#include "libpq/pqmq.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/shm_mq.h"
#include "storage/shm_toc.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/wait_event.h"

/* FimJobCost() from which on starting workers pays. */
#define WORKERS_PAY_FROM	1e7

/* While nothing arrives, look at the progress this often. */
#define PROGRESS_INTERVAL_MS	100

/* Batches to take from one queue before looking at the next. */
#define BATCHES_PER_TURN	4

typedef struct Worker
{
	BackgroundWorkerHandle *handle;
	shm_mq	   *queue;
	shm_mq_handle *reader;
	bool		done;			/* it said so */
	bool		gone;			/* its queue has been detached */
} Worker;

typedef struct Job
{
	FimJob		job;
	dsm_segment *database_segment;	/* NULL: db is this process's own memory */
	FimDatabase *db;
	JobMemory	own_memory;
	JobMemory  *memory;			/* own_memory or the header's */
	FimShared  *shared;
	FimSink    *sink;
	FimTally   *tally;			/* NULL unless counting only */

	/* with workers only */
	dsm_segment *segment;
	JobHeader  *header;
	int			nworkers;
	Worker	   *workers;
} Job;

/*
 * Host
 */

static void
Charge(JobHost *host, Size before)
{
	Size		now = MemoryContextMemAllocated(host->context, false);
	uint64		used = pg_atomic_add_fetch_u64(&host->memory->used, (int64) (now - before));
	uint64		peak = pg_atomic_read_u64(&host->memory->peak);

	while (used > peak &&
		   !pg_atomic_compare_exchange_u64(&host->memory->peak, &peak, used))
		;
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

static void
ShowProgress(const FimShared *shared)
{
	CurrentRun->done = shared->classes_done;
	CurrentRun->total = shared->classes;
	CurrentRun->nodes = shared->nodes;
}

static bool
HostPoll(FimHost *fim_host)
{
	JobHost    *host = (JobHost *) fim_host;

	CHECK_FOR_INTERRUPTS();
	if (host->shared != NULL)
		ShowProgress(host->shared);
	return false;
}

void
JobHostInit(JobHost *host, JobMemory *memory, FimShared *shared)
{
	host->host.alloc = HostAlloc;
	host->host.free = HostFree;
	host->host.poll = HostPoll;
	host->context = AllocSetContextCreate(CurrentMemoryContext, "gpufim mining",
										  ALLOCSET_DEFAULT_SIZES);
	host->memory = memory;
	host->shared = shared;
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
 * Settings
 */

static FimStrategy
FindStrategy(const FimEngine *engine, const char *name)
{
	StringInfoData known;

	initStringInfo(&known);
	for (int i = 0; engine->strategies[i] != NULL; i++)
	{
		if (strcmp(engine->strategies[i], name) == 0)
			return (FimStrategy) i;
		appendStringInfo(&known, "%s\"%s\"", i > 0 ? ", " : "", engine->strategies[i]);
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("engine \"%s\" has no strategy \"%s\"", engine->name, name),
			 errhint("Set \"gpufim.strategy\" to one of %s.", known.data)));
	return FIM_AUTO;			/* keep compiler quiet */
}

FimStrategy
ChooseStrategy(void)
{
	if (gpufim_engine == GPUFIM_ENGINE_GPU)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("there is no GPU that can mine"),
				 errdetail("This server's gpufim was built without a GPU engine."),
				 errhint("Set \"gpufim.engine\" to \"auto\" or \"cpu\"; "
						 "gpufim_devices() lists what can be used.")));
	return FindStrategy(&FimCpuEngine, gpufim_strategy);
}

static int
WantedWorkers(void)
{
	int			workers = gpufim_workers;

	if (workers < 0)
	{
		long		cores = sysconf(_SC_NPROCESSORS_ONLN);

		workers = cores > 1 ? Min(cores, max_parallel_workers) : 0;
	}
	return IsUnderPostmaster ? Min(workers, max_worker_processes) : 0;
}

/*
 * Shared memory
 */

/*
 * A new segment, or NULL if the system has no room for it.  dsm_create() raises
 * an error then; a resource owner of its own gets rid of what that leaves.
 */
static dsm_segment *
CreateSegment(Size size)
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

static void
RaiseCancel(dsm_segment *segment, Datum shared)
{
	((FimShared *) DatumGetPointer(shared))->cancel = 1;
}

/*
 * The database
 */

static void
AllocateDatabase(Job *job, Size size, bool shared)
{
	if (shared)
		job->database_segment = CreateSegment(size);
	if (job->database_segment != NULL)
		job->db = dsm_segment_address(job->database_segment);
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

static void
BuildDatabase(Job *job, GpufimRows *rows, const GpufimItems *items)
{
	size_t		bound = FimDatabaseBound(items->rows, items->entries, items->nitems);
	uint32	   *supports;
	JobHost		host;

	CheckMemoryLimit(bound, "the transactions' frequent items");
	supports = Supports(items);
	AllocateDatabase(job, bound, WantedWorkers() > 0);
	pg_atomic_init_u64(&job->own_memory.used, bound);
	pg_atomic_init_u64(&job->own_memory.peak, bound);

	FimDatabaseBegin(job->db, bound, items->rows, items->entries, items->nitems, supports);
	pfree(supports);
	WriteTransactions(rows, items, job->db);
	RunTrackMemory(MemoryContextMemAllocated(CurrentMemoryContext, true) +
				   (job->database_segment ? bound : 0));
	RowsFree(rows);

	JobHostInit(&host, job->memory, NULL);
	if (!FimDatabaseFinish(job->db, &host.host))
		JobOutOfMemory();
	JobHostFree(&host);
}

/*
 * Mining here
 */

static void
MineHere(Job *job)
{
	Size		size = FimSharedSize(&job->job, job->db);
	FimResult	result;
	JobHost		host;

	job->shared = MemoryContextAllocExtended(CurrentMemoryContext, size,
											 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	FimSharedInit(job->shared, &job->job, job->db);

	JobHostInit(&host, job->memory, job->shared);
	result = FimCpuEngine.mine(&job->job, job->db, job->shared, &host.host,
							   job->sink, job->tally);
	if (result == FIM_OUT_OF_MEMORY)
		JobOutOfMemory();
	JobHostFree(&host);
}

/*
 * Mining in workers
 */

/* Lay out the job's segment; false if there is no room for it. */
static bool
PublishJob(Job *job, int nworkers)
{
	Size		shared_size = FimSharedSize(&job->job, job->db);
	Size		queues_size = mul_size(nworkers, JOB_QUEUE_SIZE);
	shm_toc_estimator estimator;
	Size		size;
	shm_toc    *toc;

	shm_toc_initialize_estimator(&estimator);
	shm_toc_estimate_chunk(&estimator, sizeof(JobHeader));
	shm_toc_estimate_chunk(&estimator, shared_size);
	shm_toc_estimate_chunk(&estimator, queues_size);
	shm_toc_estimate_keys(&estimator, 3);
	size = shm_toc_estimate(&estimator);

	job->segment = CreateSegment(size);
	if (job->segment == NULL)
		return false;
	toc = shm_toc_create(GPUFIM_JOB_MAGIC, dsm_segment_address(job->segment), size);

	job->header = shm_toc_allocate(toc, sizeof(JobHeader));
	job->header->job = job->job;
	strlcpy(job->header->function, CurrentRun->function, NAMEDATALEN);
	job->header->leader_pid = MyProcPid;
	job->header->memory_limit = gpufim_memory_limit;
	job->header->database = dsm_segment_handle(job->database_segment);
	pg_atomic_init_u64(&job->header->memory.used, job->db->size + size);
	pg_atomic_init_u64(&job->header->memory.peak, job->db->size + size);
	shm_toc_insert(toc, JOB_KEY_HEADER, job->header);

	job->shared = shm_toc_allocate(toc, shared_size);
	memset(job->shared, 0, shared_size);
	FimSharedInit(job->shared, &job->job, job->db);
	shm_toc_insert(toc, JOB_KEY_SHARED, job->shared);

	shm_toc_insert(toc, JOB_KEY_QUEUES, shm_toc_allocate(toc, queues_size));
	on_dsm_detach(job->segment, RaiseCancel, PointerGetDatum(job->shared));
	job->memory = &job->header->memory;
	return true;
}

static bool
StartWorker(Job *job, int index)
{
	Worker	   *worker = &job->workers[index];
	shm_toc    *toc = shm_toc_attach(GPUFIM_JOB_MAGIC, dsm_segment_address(job->segment));
	char	   *queues = shm_toc_lookup(toc, JOB_KEY_QUEUES, false);
	BackgroundWorker registration;

	/* The queue must be there before the worker can be. */
	worker->queue = shm_mq_create(queues + index * JOB_QUEUE_SIZE, JOB_QUEUE_SIZE);
	shm_mq_set_receiver(worker->queue, MyProc);

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
	worker->reader = shm_mq_attach(worker->queue, job->segment, worker->handle);
	return true;
}

/* Pass on an error or notice of a worker as if it were ours. */
static void
RaiseWorkerMessage(const char *data, Size size)
{
	StringInfoData message;
	ErrorData	error;

	initStringInfo(&message);
	appendBinaryStringInfo(&message, data, size);
	pq_parse_errornotice(&message, &error);
	pfree(message.data);

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
		case 'E':
		case 'N':
			RaiseWorkerMessage(message + 1, size - 1);
			break;
		default:
			elog(ERROR, "unrecognized message type %d from gpufim worker", message[0]);
	}
}

/*
 * A worker that is gone had finished, or never ran: others have done its share.
 * Otherwise it took classes with it, and nobody knows which.
 */
static void
WorkerGone(Worker *worker)
{
	worker->gone = true;
	if (!worker->done && shm_mq_get_sender(worker->queue) != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("a gpufim worker ended before its work was done"),
				 errhint("See the server log for the reason. "
						 "Setting \"gpufim.workers\" to 0 mines without workers.")));
}

/* Take what a worker has sent, within reason; false if there was nothing. */
static bool
DrainWorker(Job *job, Worker *worker)
{
	for (int i = 0; i < BATCHES_PER_TURN; i++)
	{
		Size		size;
		void	   *message;

		switch (shm_mq_receive(worker->reader, &size, &message, true))
		{
			case SHM_MQ_SUCCESS:
				TakeMessage(job, worker, message, size);
				break;
			case SHM_MQ_WOULD_BLOCK:
				return i > 0;
			case SHM_MQ_DETACHED:
				WorkerGone(worker);
				return true;
		}
	}
	return true;
}

static void
WaitForWorkers(Job *job)
{
	ShowProgress(job->shared);
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
					 PROGRESS_INTERVAL_MS, PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
}

/* Emit results until every worker is gone; false if none of them ever ran. */
static bool
CollectResults(Job *job)
{
	bool		mined = false;
	int			running;

	do
	{
		bool		idle = true;

		running = 0;
		for (int i = 0; i < job->nworkers; i++)
		{
			Worker	   *worker = &job->workers[i];

			if (!worker->gone && DrainWorker(job, worker))
				idle = false;
			running += !worker->gone;
			mined |= worker->done;
		}
		CHECK_FOR_INTERRUPTS();
		if (running > 0 && idle)
			WaitForWorkers(job);
	} while (running > 0);
	return mined;
}

/* Mine in up to nworkers workers; false if there are none to be had. */
static bool
MineInWorkers(Job *job, int nworkers)
{
	bool		mined;

	if (!PublishJob(job, nworkers))
		return false;
	job->workers = palloc0(nworkers * sizeof(Worker));
	while (job->nworkers < nworkers && StartWorker(job, job->nworkers))
		job->nworkers++;

	CurrentRun->workers = job->nworkers;
	mined = CollectResults(job);
	ShowProgress(job->shared);
	if (!mined)
		CurrentRun->workers = 0;

	/* Their slots should be free for the next call. */
	for (int i = 0; i < job->nworkers; i++)
		(void) WaitForBackgroundWorkerShutdown(job->workers[i].handle);
	return mined;
}

static void
Mine(Job *job)
{
	int			nworkers = job->database_segment ? WantedWorkers() : 0;

	RunEnterPhase(GPUFIM_MINING);
	if (nworkers == 0 ||
		FimJobCost(&job->job, job->db) < WORKERS_PAY_FROM ||
		!MineInWorkers(job, nworkers))
		MineHere(job);
	ShowProgress(job->shared);
	RunTrackMemory(pg_atomic_read_u64(&job->memory->peak));
}

FimTally *
MineRows(GpufimRows *rows, const GpufimItems *items, const GpufimRequest *request,
		 uint32 minsup, FimSink *sink)
{
	Job			job = {{0}};

	job.job.kind = request->kind;
	job.job.strategy = ChooseStrategy();
	job.job.count_only = request->count_only;
	job.job.minsup = minsup;
	job.job.prefix_length = items->nprefix;
	job.job.min_length = request->min_length;
	job.job.max_length = request->max_length;
	job.sink = sink;
	job.memory = &job.own_memory;
	CurrentRun->strategy = job.job.strategy;

	if (items->impossible)
	{
		RowsFree(rows);
		RunEnterPhase(GPUFIM_MINING);
		return NULL;
	}

	BuildDatabase(&job, rows, items);
	if (request->count_only)
		job.tally = JobTally(&job.job, job.db);
	Mine(&job);

	if (job.segment != NULL)
		dsm_detach(job.segment);
	if (job.database_segment != NULL)
		dsm_detach(job.database_segment);
	return job.tally;
}

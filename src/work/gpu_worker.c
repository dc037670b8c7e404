/*-------------------------------------------------------------------------
 *
 * gpu_worker.c
 *	  The background worker that owns the GPUs.
 *
 * No other process touches CUDA.  If gpufim is preloaded, the postmaster keeps one such
 * worker, which serves all sessions; otherwise a session starts its own.  The worker
 * loads the library with the GPU engine, says which devices there are, and then does
 * the jobs of its queue, one after the other.  Like other workers it
 * is connected to no database and sees numbers only.
 *
 * After a sticky fault CUDA is of no more use in this process.  The job's session is
 * told of it, and the process ends with exit code 1, which does not disturb the server.
 * The postmaster starts its worker again after that.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "gpufim.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "tcop/tcopprot.h"
#include "utils/backend_status.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"
#include "work/gpu_queue.h"
#include "work/workers.h"

/*
 * A job in the GPU worker: from its segment to its results or its fault.
 *
 * No error may jump out of a function of the library.  If an interrupt arrives, the host's
 * poll says so, and mine() returns after it has freed what it holds on the devices.
 */

/* Data of more bytes than this are not kept when a job has ended. */
#define KEPT_DATA_BYTES		((Size) 64 * 1024 * 1024)

/* The data of the last job, or NULL if they have been let go. */
static dsm_segment *KeptData = NULL;

/* This worker's host of the engine.  Its functions never raise an error. */
typedef struct GpuHost
{
	JobHost		base;			/* must be first */
	const FimShared *shared;
	GpuControl *control;
	bool		refused;		/* gpufim.memory_limit did not allow an allocation */
	uint64		refused_bytes;	/* what it was for */
	uint64		refused_used;	/* what the job held then */
} GpuHost;

static void *
GpuHostAlloc(FimHost *fim_host, size_t bytes)
{
	GpuHost    *host = (GpuHost *) fim_host;
	JobMemory  *memory = host->base.memory;

	if (!JobMemoryReserve(memory, bytes))
	{
		host->refused = true;
		host->refused_bytes = bytes;
		host->refused_used = pg_atomic_read_u64(&memory->used);
		return NULL;
	}
	return JobHostTake(&host->base, bytes);
}

static bool
GpuHostPoll(FimHost *fim_host)
{
	GpuHost    *host = (GpuHost *) fim_host;

	if (ProcDiePending || host->control->abandoned)
		return true;
	CHECK_FOR_INTERRUPTS();
	return *(volatile const uint32_t *) &host->shared->cancel != 0;
}

/* How many bytes the job may use on each of its devices; *scarcest is the device that has least. */
static uint64
AvailableMemory(const FimGpuOptions *options, int *scarcest)
{
	const FimGpuDevice *devices;
	int			ndevices = GpuDevicesFound(&devices);
	uint64		available = PG_UINT64_MAX;

	for (int i = 0; i < options->ndevices; i++)
		for (int j = 0; j < ndevices; j++)
		{
			uint64		free = devices[j].free > 0 ? devices[j].free : devices[j].memory;

			if (options->memory_limit > 0)
				free = Min(free, options->memory_limit);
			if (devices[j].device == options->devices[i] && free < available)
			{
				available = free;
				*scarcest = devices[j].device;
			}
		}
	return available;
}

/*
 * May the job begin?  Not if the devices have less memory than the least that it can
 * do with; then *fault says so.
 */
static bool
Admit(const AttachedJob *job, const FimGpuFamily *family, FimGpuFault *fault)
{
	int			device = -1;
	uint64		available = AvailableMemory(&job->header->gpu, &device);
	uint64		wanted;
	uint64		least;

	family->estimate(&job->task, &wanted, &least);
	if (least <= available)
		return true;
	memset(fault, 0, sizeof(*fault));
	strlcpy(fault->what, "admitting the job", sizeof(fault->what));
	fault->device = device;
	fault->out_of_memory = true;
	fault->needed = least;
	fault->free = available;
	return false;
}

static FimResult
MineJob(GpuControl *control, const AttachedJob *job, const FimGpuFamily *family,
		shm_mq_handle *queue)
{
	QueueSink	sink;
	GpuHost		host = {.refused = false};
	FimResult	result;

	QueueSinkInit(&sink, queue, false);
	JobHostInit(&host.base, &job->header->memory);
	host.base.host.alloc = GpuHostAlloc;
	host.base.host.poll = GpuHostPoll;
	host.shared = job->task.shared;
	host.control = control;
	result = family->mine(&job->task, &host.base.host, &sink.sink);
	JobHostFree(&host.base);

	CHECK_FOR_INTERRUPTS();
	if (result == FIM_OUT_OF_MEMORY)
	{
		if (host.refused)
			CheckMemoryLimit(host.refused_used, host.refused_bytes, "mining");
		JobOutOfMemory();
	}
	return result;
}

static void
SendResults(shm_mq_handle *queue, const FimTask *task)
{
	QueueSendSummary(queue, task);
	(void) QueueSend(queue, JOB_MSG_REPORT, 0, GpuLibrary()->report(), sizeof(FimGpuReport), false);
	QueueSendDone(queue);
}

/*
 * Keeps the data of a job that has ended well.  Whoever detaches a segment last frees its
 * pages, which can take half as long as mining the data.  That would delay the session's
 * call, while this process has nothing else to do.  Data are not kept if other jobs wait, nor
 * if they are large, so that much memory is not held for longer than necessary.
 */
static void
KeepData(GpuControl *control, dsm_segment *data)
{
	int			jobs;			/* that wait, and this one, which still counts as running */

	(void) GpuPlace(control, 0, &jobs);
	if (jobs > 1 || dsm_segment_map_length(data) > KEPT_DATA_BYTES)
		return;
	dsm_pin_mapping(data);
	KeptData = data;
}

/*
 * A job that ended well may leave its data attached to this process; GpuWorkerKeepsData()
 * says whether there are such data.  The next job lets them go.  If none comes soon, the
 * caller must do so.
 */
static bool
GpuWorkerKeepsData(void)
{
	return KeptData != NULL;
}

static void
GpuWorkerLetDataGo(void)
{
	dsm_segment *data = KeptData;

	if (data == NULL)
		return;
	KeptData = NULL;
	dsm_detach(data);
	ereport(DEBUG1,
			(errmsg_internal("GPU worker has let go of the data of its last job")));
}

/*
 * Take the devices that were turned off while the job waited out of its options.
 * Returns false if no other device is left; then *fault says why.
 */
static bool
DropDevicesOff(GpuControl *control, FimGpuOptions *options, FimGpuFault *fault)
{
	int			left = 0;
	GpuState	state;

	GpuReadState(control, &state);
	for (int i = 0; i < options->ndevices; i++)
	{
		const GpuHealth *health = &state.health[options->devices[i]];

		if (health->off)
			*fault = health->last;
		else
			options->devices[left++] = options->devices[i];
	}
	options->ndevices = left;
	strlcpy(fault->what, "mining earlier jobs, and is turned off", sizeof(fault->what));
	fault->sticky = false;
	return left > 0;
}

static void
SendFault(shm_mq_handle *queue, const FimGpuFault *fault)
{
	(void) QueueSend(queue, JOB_MSG_FAULT, 0, fault, sizeof(*fault), true);
}

/*
 * Do a job, and send its results, or the fault that it ended with, to its session.
 * Returns true if this process must end because of a sticky fault.
 */
static bool
RunJob(GpuControl *control, const AttachedJob *job, shm_mq_handle *queue)
{
	JobHeader  *header = job->header;
	const FimGpuLibrary *library = GpuLibrary();
	const FimGpuFamily *family;
	FimGpuFault fault;

	if (!DropDevicesOff(control, &header->gpu, &fault))
	{
		SendFault(queue, &fault);
		return false;
	}
	AdoptMemoryLimit(header->memory_limit, header->max_memory_limit);
	family = GpuBeginFamily(header->family);
	library->set_options(&header->gpu);
	if (!GpuOpenContexts(control, &header->gpu))
		fault = *library->fault();
	else if (Admit(job, family, &fault))
	{
		FimResult	result = MineJob(control, job, family, queue);

		if (result == FIM_DONE)
		{
			SendResults(queue, &job->task);
			KeepData(control, job->data);
		}
		if (result != FIM_DEVICE_FAULT)
			return false;
		fault = *library->fault();
	}

	ereport(LOG,
			(errmsg("GPU %d failed a job of process %d", fault.device, header->leader_pid),
			 errdetail("%s while %s.", fault.error[0] ? fault.error : "Not enough memory",
					   fault.what)));
	GpuRecordFault(control, &fault, &header->gpu);
	SendFault(queue, &fault);
	return fault.sticky;
}

/* Does nothing if the session that asked for the job is gone, and with it the segment. */
static bool
AttachAndRun(GpuControl *control, dsm_handle handle)
{
	AttachedJob job;

	if (!JobAttach(handle, &job))
		return false;
	QueueReportActivity(job.header);
	return RunJob(control, &job, QueueAttach(job.queues, 0));
}

/*
 * Do the job whose segment this is, and send its results, or the fault that it ended
 * with, to its session.  An error of the job is logged and sent, and is no error here.
 * Returns true if this process must end, because of a sticky fault.
 *
 * The job has a resource owner of its own, and the memory context is reset after it.  So
 * all that it held is freed however it ends, except for data that are kept.
 */
static bool
GpuWorkerDoJob(GpuControl *control, dsm_handle handle)
{
	ResourceOwner own = CurrentResourceOwner;
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = ResourceOwnerCreate(own, "gpufim job");
	volatile bool must_end = false;

	/* this job may have the same data, which are attached once only */
	GpuWorkerLetDataGo();
	CurrentResourceOwner = owner;
	PG_TRY();
	{
		must_end = AttachAndRun(control, handle);
	}
	PG_CATCH();
	{
		HOLD_INTERRUPTS();
		EmitErrorReport();
		MemoryContextSwitchTo(context);
		FlushErrorState();
		RESUME_INTERRUPTS();
	}
	PG_END_TRY();

	ResourceOwnerRelease(owner, RESOURCE_RELEASE_BEFORE_LOCKS, false, false);
	ResourceOwnerRelease(owner, RESOURCE_RELEASE_LOCKS, false, false);
	ResourceOwnerRelease(owner, RESOURCE_RELEASE_AFTER_LOCKS, false, false);
	CurrentResourceOwner = own;
	ResourceOwnerDelete(owner);
	MemoryContextReset(context);
	return must_end;
}

/* How long the postmaster waits before it starts a failed GPU worker again. */
#define GPU_RESTART_SECONDS		1

/*
 * The data of a job that has ended are kept until this worker has had nothing to do for this
 * long.  By then the job's session has taken the rest of the results and detached the data.
 */
#define KEEP_DATA_MS			10

bool		GpuWorkerRegistered = false;

static GpuControl *Control;
static bool ControlIsShared;

/*
 * Registration, in other processes
 */

void
GpuDescribeWorker(BackgroundWorker *registration)
{
	memset(registration, 0, sizeof(*registration));
	registration->bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
	registration->bgw_start_time = BgWorkerStart_ConsistentState;
	registration->bgw_restart_time = BGW_NEVER_RESTART;
	strlcpy(registration->bgw_library_name, "gpufim", sizeof(registration->bgw_library_name));
	strlcpy(registration->bgw_function_name, "GpufimGpuWorkerMain", BGW_MAXLEN);
	strlcpy(registration->bgw_type, "gpufim GPU worker", BGW_MAXLEN);
	strlcpy(registration->bgw_name, "gpufim GPU worker", BGW_MAXLEN);
}

void
GpuRegisterWorker(void)
{
	BackgroundWorker registration;

	if (!GpuLibraryIsThere())
		return;
	GpuDescribeWorker(&registration);
	registration.bgw_restart_time = GPU_RESTART_SECONDS;
	registration.bgw_main_arg = UInt32GetDatum(DSM_HANDLE_INVALID);
	RegisterBackgroundWorker(&registration);
	GpuWorkerRegistered = true;
}

/*
 * The worker
 */

static void
Leave(int code, Datum arg)
{
	const FimGpuDevice *devices;

	(void) GpuDevicesFound(&devices);
	if (code != 0)
		GpuPublish(Control, GPU_UNKNOWN, "", devices, 0);
	GpuPublishContexts(Control, 0, 0);
	Control->worker = NULL;
	pg_atomic_write_u64(&Control->running, 0);
}

static void
AttachControl(dsm_handle handle)
{
	dsm_segment *segment;

	ControlIsShared = handle == DSM_HANDLE_INVALID;
	if (ControlIsShared)
		Control = SharedGpuControl;
	else
	{
		segment = dsm_attach(handle);
		if (segment == NULL)
			proc_exit(0);		/* the session has ended */
		dsm_pin_mapping(segment);
		Control = dsm_segment_address(segment);
	}
	before_shmem_exit(Leave, (Datum) 0);
	Control->worker = MyProc;
	pg_memory_barrier();
}

static int
IdleTimeout(void)
{
	return ControlIsShared ? gpufim_worker_idle_timeout : Control->idle_timeout;
}

/* How long to wait for the next job, in ms.  -1 means for ever, 0 that the time is over. */
static long
PatienceLeft(TimestampTz idle_since)
{
	TimestampTz until;

	if (IdleTimeout() == 0 || (ControlIsShared && !GpuHasContexts()))
		return -1;
	until = TimestampTzPlusMilliseconds(idle_since, IdleTimeout());
	return TimestampDifferenceMilliseconds(GetCurrentTimestamp(), until);
}

/*
 * Do what others have asked for meanwhile.  This must come before every wait, because
 * the latch may have been reset while a job was done.
 */
static void
AttendToRequests(void)
{
	CHECK_FOR_INTERRUPTS();
	if (ConfigReloadPending)
	{
		ConfigReloadPending = false;
		ProcessConfigFile(PGC_SIGHUP);
	}
	if (Control->look_again)
		GpuLookForDevices(Control);
}

/* Wait for the latch, without a time limit if milliseconds is -1.  Returns false if time is up. */
static bool
WaitForWork(long milliseconds)
{
	int			events = WL_LATCH_SET | WL_EXIT_ON_PM_DEATH;

	if (milliseconds > 0)
		events |= WL_TIMEOUT;
	events = WaitLatch(MyLatch, events, milliseconds, PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
	return (events & WL_LATCH_SET) != 0;
}

/*
 * Show this worker as idle.  Whoever sees that may rely on it that the GPUs are free and that
 * no memory of a job is held.
 */
static void
BecomeIdle(void)
{
	GpuWorkerLetDataGo();
	pgstat_report_activity(STATE_IDLE, NULL);
}

/* Wait for the next job.  Returns false if this process is to end instead. */
static bool
AwaitJob(TimestampTz idle_since)
{
	long		patience;

	if (GpuWorkerKeepsData())
	{
		if (!WaitForWork(KEEP_DATA_MS))
			BecomeIdle();
		return true;
	}
	patience = PatienceLeft(idle_since);
	if (patience != 0)
	{
		(void) WaitForWork(patience);
		return true;
	}
	GpuCloseContexts(Control);
	return ControlIsShared;
}

/* Do jobs until this process is of no more use. */
static void
Serve(void)
{
	TimestampTz idle_since = GetCurrentTimestamp();

	while (!Control->abandoned)
	{
		const FimGpuDevice *devices;
		dsm_handle	job;

		AttendToRequests();
		if (GpuDevicesFound(&devices) > 0 && GpuTake(Control, &job) != 0)
		{
			if (GpuWorkerDoJob(Control, job))
				proc_exit(1);
			pg_atomic_write_u64(&Control->running, 0);
			if (!GpuWorkerKeepsData())
				BecomeIdle();
			idle_since = GetCurrentTimestamp();
			continue;
		}
		if (GpuDevicesFound(&devices) == 0 && !ControlIsShared)
			return;
		if (!AwaitJob(idle_since))
			return;
	}
}

void
GpufimGpuWorkerMain(Datum main_arg)
{
	pqsignal(SIGTERM, die);
	pqsignal(SIGINT, PG_SIG_IGN);
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnectionByOid(InvalidOid, InvalidOid, 0);

	CurrentResourceOwner = ResourceOwnerCreate(NULL, "gpufim GPU worker");
	CurrentMemoryContext = AllocSetContextCreate(TopMemoryContext, "gpufim GPU worker",
												 ALLOCSET_DEFAULT_SIZES);
	AttachControl(DatumGetUInt32(main_arg));
	pgstat_report_activity(STATE_IDLE, NULL);
	GpuLookForDevices(Control);
	Serve();
	GpuCloseContexts(Control);
	proc_exit(0);
}

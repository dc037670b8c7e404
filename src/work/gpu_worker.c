/*-------------------------------------------------------------------------
 *
 * gpu_worker.c
 *	  The background worker that owns the GPUs.
 *
 * No other process touches CUDA.  Preloaded, gpufim has the postmaster keep one
 * such worker, which serves all sessions; otherwise a session starts its own.  It
 * loads the library with the GPU engine, says which devices there are, and then
 * mines the jobs of its queue, one after the other.  Like other workers it is
 * connected to no database and sees numbers only.
 *
 * The library's calls are never left by an error: interrupts make mine() return,
 * by the host's poll, so that it can free what it holds on the devices.  After a
 * sticky fault CUDA is of no more use in this process.  It says so to the session,
 * and ends with exit code 1, which does not disturb the server; where it is the
 * postmaster's, that starts a new one.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

#include "compat.h"
#include "figures.h"
#include "memory_limit.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/interrupt.h"
#include "settings.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "tcop/tcopprot.h"
#include "utils/backend_status.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"
#include "work/gpu_queue.h"
#include "work/gpu_worker.h"
#include "work/queue.h"

/* This worker's host of the engine.  Its functions never leave by an error. */
typedef struct GpuHost
{
	JobHost		base;			/* must be first */
	void	   *(*alloc) (FimHost *host, size_t bytes); /* the one of base */
	const FimShared *shared;
	bool		refused;		/* gpufim.memory_limit did not allow an allocation, */
	uint64		refused_bytes;	/* with which the job would have held so much */
} GpuHost;

/* The postmaster waits so long before it starts a failed GPU worker again. */
#define GPU_RESTART_SECONDS		1

bool		GpuWorkerRegistered = false;

static GpuControl *Control;
static bool ControlIsShared;
static const FimGpuLibrary *Library = NULL;
static const FimGpuFamily *LastFamily = NULL;	/* whose task came last */
static FimGpuDevice Devices[FIM_GPU_MAX_DEVICES];
static int	NumDevices = 0;
static uint32 Opened = 0;		/* a bit for each device that has a context */

/*
 * Registration, in other processes
 */

char *
GpuLibraryPath(void)
{
	const char *name = gpufim_cuda_library;
	size_t		length = strlen("$libdir");
	char	   *path;

	if (strncmp(name, "$libdir", length) == 0)
		path = psprintf("%s%s", pkglib_path, name + length);
	else
		path = pstrdup(name);
	if (access(path, F_OK) != 0)
		path = psprintf("%s.so", path);
	return path;
}

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

	if (access(GpuLibraryPath(), F_OK) != 0)
		return;
	GpuDescribeWorker(&registration);
	registration.bgw_restart_time = GPU_RESTART_SECONDS;
	registration.bgw_main_arg = UInt32GetDatum(DSM_HANDLE_INVALID);
	RegisterBackgroundWorker(&registration);
	GpuWorkerRegistered = true;
}

/*
 * Library and devices
 */

/*
 * The driver makes threads of its own.  They must not get this process's signals.
 * Therefore all signals are blocked while it makes them, since threads inherit that.
 */
static void
BlockSignals(sigset_t *before)
{
	sigset_t	all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, before);
}

static void
RestoreSignals(const sigset_t *before)
{
	sigprocmask(SIG_SETMASK, before, NULL);
}

/*
 * Leave without the exit handlers of the driver: if it is in trouble, they may crash
 * or wait forever.  PostgreSQL's own handlers have run when this is called.
 */
static void
SkipExitHandlers(int code, Datum arg)
{
	_exit(code);
}

static bool
SameNames(const char *const *names, const char *const *others)
{
	while (*names != NULL && *others != NULL && strcmp(*names, *others) == 0)
		names++, others++;
	return *names == NULL && *others == NULL;
}

/*
 * A task reaches the library with its family's number and the index of a strategy,
 * so both must mean the same there.  Returns why they do not, or NULL.
 */
static char *
CheckFamilies(const FimGpuLibrary *library, const char *path)
{
	const FimFamily *family;

	for (int i = 0; (family = FimFamilyOf(i)) != NULL; i++)
	{
		const FimGpuFamily *there = library->families[i];

		if (there == NULL || strcmp(there->name, family->name) != 0)
			return psprintf("library \"%s\" does not have family \"%s\"", path, family->name);
		if (!SameNames(there->strategies, family->gpu_strategies))
			return psprintf("library \"%s\" has other strategies of family \"%s\"",
							path, family->name);
	}
	return NULL;
}

/* Load the library.  Returns NULL, or the reason why it cannot be used. */
static char *
LoadGpuLibrary(void)
{
	char	   *path = GpuLibraryPath();
	void	   *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const FimGpuLibrary *library;
	FimGpuOpen	open_library;
	char	   *reason;

	if (handle == NULL)
		return psprintf("could not load library \"%s\": %s", path, dlerror());
	open_library = (FimGpuOpen) dlsym(handle, FIM_GPU_SYMBOL);
	if (open_library == NULL)
		return psprintf("library \"%s\" has no function \"%s\"", path, FIM_GPU_SYMBOL);
	library = open_library();
	if (library->version != FIM_GPU_VERSION)
		return psprintf("library \"%s\" has interface version %d, but %d is needed",
						path, library->version, FIM_GPU_VERSION);
	reason = CheckFamilies(library, path);
	if (reason != NULL)
		return reason;
	on_proc_exit(SkipExitHandlers, (Datum) 0);
	Library = library;
	return NULL;
}

static char *
FindDevices(void)
{
	int			found = Library->devices(Devices, FIM_GPU_MAX_DEVICES);
	const FimGpuFault *fault = Library->fault();

	NumDevices = Max(found, 0);
	if (found < 0)
		return psprintf("%s while %s", fault->error, fault->what);
	if (found == 0)
		return pstrdup("CUDA finds no device that the GPU engine can use");
	return NULL;
}

/* Find out which devices there are, and publish it. */
static void
LookForDevices(void)
{
	char	   *reason = NULL;
	sigset_t	before;

	Control->look_again = false;
	BlockSignals(&before);
	if (Library == NULL)
		reason = LoadGpuLibrary();
	if (reason == NULL)
		reason = FindDevices();
	RestoreSignals(&before);

	GpuPublish(Control, reason ? GPU_ABSENT : GPU_PRESENT, reason ? reason : "",
			   Devices, NumDevices);
	if (reason != NULL)
	{
		ereport(ControlIsShared ? LOG : DEBUG1,
				(errmsg("no GPU can be used: %s", reason)));
		pfree(reason);
	}
}

static bool
OpenDevices(const FimGpuOptions *options)
{
	uint32		wanted = 0;
	sigset_t	before;
	instr_time	start;
	bool		opened;

	for (int i = 0; i < options->ndevices; i++)
		wanted |= UINT32_C(1) << options->devices[i];
	if ((wanted & ~Opened) == 0)
		return true;

	INSTR_TIME_SET_CURRENT(start);
	BlockSignals(&before);
	opened = Library->open(options);
	RestoreSignals(&before);
	if (!opened)
		return false;
	Opened |= wanted;
	GpuPublishContexts(Control, Opened, MillisecondsSince(start));
	LookForDevices();			/* now it is known what is free on them */
	return true;
}

/*
 * What a family keeps for its next task is given back when a task of another family
 * comes, since it might be missing there.
 */
static void
ReleaseOthers(const FimGpuFamily *family)
{
	if (LastFamily != NULL && LastFamily != family)
		LastFamily->release();
	LastFamily = family;
}

static void
CloseDevices(void)
{
	if (Opened == 0)
		return;
	ReleaseOthers(NULL);
	Library->close();
	Opened = 0;
	GpuPublishContexts(Control, Opened, 0);
	ereport(DEBUG1,
			(errmsg_internal("GPU worker has given up its contexts")));
}

/*
 * A job
 */

static void *
GpuHostAlloc(FimHost *fim_host, size_t bytes)
{
	GpuHost    *host = (GpuHost *) fim_host;
	uint64		needed = pg_atomic_read_u64(&host->base.memory->used) + bytes;

	if (!WithinMemoryLimit(needed))
	{
		host->refused = true;
		host->refused_bytes = needed;
		return NULL;
	}
	return host->alloc(fim_host, bytes);
}

static bool
GpuHostPoll(FimHost *fim_host)
{
	GpuHost    *host = (GpuHost *) fim_host;

	if (ProcDiePending || Control->abandoned)
		return true;
	CHECK_FOR_INTERRUPTS();
	return *(volatile const uint32_t *) &host->shared->cancel != 0;
}

/* How much memory the job may use on each of its devices, and where it is scarcest. */
static uint64
AvailableMemory(const FimGpuOptions *options, int *scarcest)
{
	uint64		available = PG_UINT64_MAX;

	for (int i = 0; i < options->ndevices; i++)
		for (int j = 0; j < NumDevices; j++)
		{
			uint64		free = Devices[j].free > 0 ? Devices[j].free : Devices[j].memory;

			if (options->memory_limit > 0)
				free = Min(free, options->memory_limit);
			if (Devices[j].device == options->devices[i] && free < available)
			{
				available = free;
				*scarcest = Devices[j].device;
			}
		}
	return available;
}

static const FimGpuFamily *
FamilyOf(const AttachedJob *job)
{
	return Library->families[job->header->family];
}

/*
 * May the job begin?  Not if the devices have less memory than the least that it can
 * do with; then *fault says so.
 */
static bool
Admit(const AttachedJob *job, FimGpuFault *fault)
{
	int			device = -1;
	uint64		available = AvailableMemory(&job->header->gpu, &device);
	uint64		wanted;
	uint64		least;

	FamilyOf(job)->estimate(&job->task, &wanted, &least);
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
MineJob(const AttachedJob *job, shm_mq_handle *queue)
{
	QueueSink	sink;
	GpuHost		host = {.refused = false};
	FimResult	result;

	QueueSinkInit(&sink, queue, false);
	JobHostInit(&host.base, &job->header->memory);
	host.alloc = host.base.host.alloc;
	host.base.host.alloc = GpuHostAlloc;
	host.base.host.poll = GpuHostPoll;
	host.shared = job->task.shared;
	result = FamilyOf(job)->mine(&job->task, &host.base.host, &sink.sink);
	JobHostFree(&host.base);

	CHECK_FOR_INTERRUPTS();
	if (result == FIM_OUT_OF_MEMORY)
	{
		if (host.refused)
			CheckMemoryLimit(host.refused_bytes, "mining");
		JobOutOfMemory();
	}
	return result;
}

static void
SendResults(shm_mq_handle *queue, const FimTask *task)
{
	QueueSendSummary(queue, task);
	(void) QueueSend(queue, JOB_MSG_REPORT, 0, Library->report(), sizeof(FimGpuReport), false);
	QueueSendDone(queue);
}

/*
 * Take the devices that were turned off while the job waited out of its options.
 * Returns false if no other device is left; then *fault says why.
 */
static bool
DropDevicesOff(FimGpuOptions *options, FimGpuFault *fault)
{
	int			left = 0;
	GpuState	state;

	GpuReadState(Control, &state);
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
 * Returns true if this process must end.
 */
static bool
RunJob(const AttachedJob *job, shm_mq_handle *queue)
{
	JobHeader  *header = job->header;
	FimGpuFault fault;

	if (!DropDevicesOff(&header->gpu, &fault))
	{
		SendFault(queue, &fault);
		return false;
	}
	AdoptMemoryLimit(header->memory_limit, header->max_memory_limit);
	ReleaseOthers(FamilyOf(job));
	Library->set_options(&header->gpu);
	if (!OpenDevices(&header->gpu))
		fault = *Library->fault();
	else if (Admit(job, &fault))
	{
		FimResult	result = MineJob(job, queue);

		if (result == FIM_DONE)
			SendResults(queue, &job->task);
		if (result != FIM_DEVICE_FAULT)
			return false;
		fault = *Library->fault();
	}

	ereport(LOG,
			(errmsg("GPU %d failed a job of process %d", fault.device, header->leader_pid),
			 errdetail("%s while %s.", fault.error[0] ? fault.error : "Not enough memory",
					   fault.what)));
	GpuRecordFault(Control, &fault, &header->gpu);
	SendFault(queue, &fault);
	return fault.sticky;
}

/* The session that asked for it may be gone by now, and the job with it. */
static bool
AttachAndRun(dsm_handle handle)
{
	AttachedJob job;

	if (!JobAttach(handle, &job))
		return false;
	QueueReportActivity(job.header);
	return RunJob(&job, QueueAttach(job.queues, 0));
}

/*
 * Do a job with a resource owner and a memory context of its own, which free what it
 * held, however it ends.  Its errors do not end this process.
 */
static void
RunIsolated(dsm_handle handle)
{
	ResourceOwner own = CurrentResourceOwner;
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = ResourceOwnerCreate(own, "gpufim job");
	volatile bool must_end = false;

	CurrentResourceOwner = owner;
	PG_TRY();
	{
		must_end = AttachAndRun(handle);
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

	if (must_end)
		proc_exit(1);
}

/*
 * The worker
 */

static void
Leave(int code, Datum arg)
{
	if (code != 0)
		GpuPublish(Control, GPU_UNKNOWN, "", Devices, 0);
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

/* How long to wait for the next job, in ms; -1: as long as it takes, 0: no more. */
static long
PatienceLeft(TimestampTz idle_since)
{
	TimestampTz until;

	if (IdleTimeout() == 0 || (ControlIsShared && Opened == 0))
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
		LookForDevices();
}

static void
WaitForWork(long milliseconds)
{
	int			events = WL_LATCH_SET | WL_EXIT_ON_PM_DEATH;

	if (milliseconds > 0)
		events |= WL_TIMEOUT;
	(void) WaitLatch(MyLatch, events, milliseconds, PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
}

/* Do jobs until this process is of no more use. */
static void
Serve(void)
{
	TimestampTz idle_since = GetCurrentTimestamp();

	while (!Control->abandoned)
	{
		dsm_handle	job;
		long		patience;

		AttendToRequests();
		if (NumDevices > 0 && GpuTake(Control, &job) != 0)
		{
			RunIsolated(job);
			pg_atomic_write_u64(&Control->running, 0);
			/* who sees it idle finds the GPUs free */
			pgstat_report_activity(STATE_IDLE, NULL);
			idle_since = GetCurrentTimestamp();
			continue;
		}
		if (NumDevices == 0 && !ControlIsShared)
			return;
		patience = PatienceLeft(idle_since);
		if (patience == 0)
		{
			CloseDevices();
			if (!ControlIsShared)
				return;
		}
		else
			WaitForWork(patience);
	}
}

void
GpufimGpuWorkerMain(Datum main_arg)
{
	pqsignal(SIGTERM, die);
	pqsignal(SIGINT, SIG_IGN);
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnectionByOid(InvalidOid, InvalidOid, 0);

	CurrentResourceOwner = ResourceOwnerCreate(NULL, "gpufim GPU worker");
	CurrentMemoryContext = AllocSetContextCreate(TopMemoryContext, "gpufim GPU worker",
												 ALLOCSET_DEFAULT_SIZES);
	AttachControl(DatumGetUInt32(main_arg));
	pgstat_report_activity(STATE_IDLE, NULL);
	LookForDevices();
	Serve();
	CloseDevices();
	proc_exit(0);
}

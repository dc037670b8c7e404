/*-------------------------------------------------------------------------
 *
 * gpu_job.c
 *	  The backend's side of the GPU worker.
 *
 * The job lies in shared memory already.  This backend puts it into the worker's
 * queue and takes what comes back.  Until the worker takes the job, the call is
 * in phase "waiting".
 *
 * A job that fails on the GPU is an error if that engine was asked for.  With
 * "auto" there is a warning instead and the caller starts over on the CPU with
 * the same database; the rows that came from the GPU by then are dropped, so that
 * none comes twice.  A job whose worker ends is such a failure, too, but one that
 * still waits outlives the worker: the next one will take it.
 *
 * Nothing needs to be cleaned up by hand here, either.  A job that is given up
 * leaves the queue when its segment of queues is detached, and one that the worker
 * has taken ends by the cancel flag.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <unistd.h>

#include "compat.h"
#include "fmgr.h"
#include "work/gpu_worker.h"
#include "pgstat.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "utils/memutils.h"
#include "utils/wait_event.h"

/* While waiting for the worker, look at everything else this often. */
#define TURN_MS			100

/* While it starts, look whether it knows the devices this often. */
#define START_TURN_MS	5

/* A worker that does not come up in this time will not be waited for. */
#define START_PATIENCE_MS	15000

/* Until a GPU begins that has no context yet; measured, see bench/results/gpu.md. */
#define UNKNOWN_DELAY_MS		150

/* A call outlives so many ends of workers of the session's own that did not begin it. */
#define MAX_RESTARTS	3

/* Without preload: the session's own worker and the segment shared with it. */
static GpuControl *OwnControl = NULL;
static dsm_segment *OwnSegment = NULL;
static BackgroundWorkerHandle *OwnWorker = NULL;

typedef struct GpuJob
{
	GpuControl *control;
	GpuSlot    *slot;
	uint64		ticket;
	int			restarts;
	bool		waiting;
	bool		left;			/* the queue, for the CPU */
	instr_time	worker_seen;	/* when there was a worker */
	Worker	   *worker;
	GpuOutcome	outcome;
	FimGpuOptions options;		/* where the job has no header for them */
} GpuJob;

/*
 * Control structure and worker
 */

/* The session ends, or the segment is given up: the worker is to end, too. */
static void
AbandonWorker(dsm_segment *segment, Datum arg)
{
	OwnControl->abandoned = true;
	GpuWakeWorker(OwnControl);
	OwnControl = NULL;
}

/* NULL if there is no room for it. */
static GpuControl *
GetControl(void)
{
	if (SharedGpuControl != NULL)
		return SharedGpuControl;
	if (OwnControl != NULL)
		return OwnControl;
	OwnSegment = JobCreateSegment(GpuControlSize(1));
	if (OwnSegment == NULL)
		return NULL;
	dsm_pin_mapping(OwnSegment);
	OwnControl = dsm_segment_address(OwnSegment);
	/* a tranche of this session's own could not be given back when it ends */
	GpuControlInit(OwnControl, 1, LWTRANCHE_PER_SESSION_DSA);
	on_dsm_detach(OwnSegment, AbandonWorker, (Datum) 0);
	return OwnControl;
}

static bool
OwnWorkerRuns(void)
{
	pid_t		pid;
	BgwHandleStatus status;

	if (OwnWorker == NULL)
		return false;
	status = GetBackgroundWorkerPid(OwnWorker, &pid);
	return status == BGWH_STARTED || status == BGWH_NOT_YET_STARTED;
}

static bool
StartOwnWorker(void)
{
	BackgroundWorker registration;
	MemoryContext caller;
	bool		started;

	if (OwnWorker != NULL)
		pfree(OwnWorker);
	OwnWorker = NULL;
	OwnControl->idle_timeout = gpufim_worker_idle_timeout;
	GpuDescribeWorker(&registration);
	snprintf(registration.bgw_name, BGW_MAXLEN, "gpufim GPU worker for PID %d", MyProcPid);
	registration.bgw_main_arg = UInt32GetDatum(dsm_segment_handle(OwnSegment));
	registration.bgw_notify_pid = MyProcPid;
	caller = MemoryContextSwitchTo(TopMemoryContext);
	started = RegisterDynamicBackgroundWorker(&registration, &OwnWorker);
	MemoryContextSwitchTo(caller);
	return started;
}

static void
Wait(long milliseconds)
{
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
					 milliseconds, PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

/*
 * Have a worker look for devices if none has yet, and see what it says.  Returns
 * why that is not to be had, or NULL.
 */
static char *
AskWorker(GpuControl *control, GpuState *state)
{
	int			starts = 0;
	instr_time	start;

	INSTR_TIME_SET_CURRENT(start);
	for (;;)
	{
		bool		runs = control != OwnControl || OwnWorkerRuns();

		GpuReadState(control, state);
		if (state->presence != GPU_UNKNOWN)
			return NULL;
		if (!runs && starts++ == MAX_RESTARTS)
			return "The GPU worker ended while it was starting; see the server log.";
		if (!runs && !StartOwnWorker())
			return "There is no free slot for a background worker; see \"max_worker_processes\".";
		if (MillisecondsSince(start) > START_PATIENCE_MS)
			return "The GPU worker does not start; see the server log.";
		Wait(START_TURN_MS);
	}
}

/* What there is; if there is nothing to ask, why not. */
static char *
LookAtDevices(GpuControl **control, GpuState *state)
{
	if (!IsUnderPostmaster)
		return "There are no workers in single-user mode.";
	if (SharedGpuControl != NULL && !GpuWorkerRegistered)
		return psprintf("Library \"%s\" was not there when the server started.",
						GpuLibraryPath());
	if (SharedGpuControl == NULL && access(GpuLibraryPath(), F_OK) != 0)
		return psprintf("This server has no library \"%s\".", GpuLibraryPath());
	*control = GetControl();
	if (*control == NULL)
		return "There is no shared memory for the GPU worker.";
	return AskWorker(*control, state);
}

/* For gpufim_devices(): false if this server has no GPU engine. */
bool
GpuLookAtDevices(GpuState *state)
{
	GpuControl *control;
	char	   *reason;

	memset(state, 0, sizeof(*state));
	if (access(GpuLibraryPath(), F_OK) != 0)
		return false;
	reason = LookAtDevices(&control, state);
	if (reason != NULL)
	{
		state->presence = GPU_ABSENT;
		strlcpy(state->reason, reason, sizeof(state->reason));
	}
	return true;
}

const char *
GpuDeviceOff(const GpuState *state, int device)
{
	const GpuHealth *health = &state->health[device];

	if (!health->off)
		return NULL;
	return psprintf("turned off after %d faults within a minute, the last one %s while %s; "
					"gpufim_reset() turns it on again",
					GPU_FAULTS_UNTIL_OFF, health->last.error, health->last.what);
}

/*
 * Which devices to use
 */

/* false: the list is not one of device numbers.  An empty one stands for all. */
bool
GpuParseDevices(const char *list, FimGpuOptions *options)
{
	const char *at = list + strspn(list, " \t");

	options->ndevices = 0;
	while (*at != '\0')
	{
		char	   *end;
		long		device = strtol(at, &end, 10);

		if (*at < '0' || *at > '9' || device >= FIM_GPU_MAX_DEVICES ||
			options->ndevices >= FIM_GPU_MAX_DEVICES)
			return false;
		for (int i = 0; i < options->ndevices; i++)
			if (options->devices[i] == device)
				return false;
		options->devices[options->ndevices++] = (int) device;
		at = end + strspn(end, " \t");
		if (*at == ',')
		{
			at += 1 + strspn(at + 1, " \t");
			if (*at == '\0')
				return false;
		}
		else if (*at != '\0')
			return false;
	}
	return true;
}

static bool
HasDevice(const GpuState *state, int device)
{
	for (int i = 0; i < state->ndevices; i++)
		if (state->devices[i].device == device)
			return true;
	return false;
}

/* Those of gpufim.gpus that are on; returns why there are none, or NULL. */
static char *
PickDevices(const GpuState *state, FimGpuOptions *options)
{
	FimGpuOptions asked;
	int			off = -1;

	(void) GpuParseDevices(gpufim_gpus, &asked);
	if (asked.ndevices == 0)
		for (int i = 0; i < state->ndevices; i++)
			asked.devices[asked.ndevices++] = state->devices[i].device;
	options->ndevices = 0;
	for (int i = 0; i < asked.ndevices; i++)
	{
		int			device = asked.devices[i];

		if (!HasDevice(state, device))
			return psprintf("Setting \"gpufim.gpus\" names GPU %d, which does not exist.", device);
		if (state->health[device].off)
			off = device;
		else
			options->devices[options->ndevices++] = device;
	}
	/* before the worker has answered there are none of either */
	if (options->ndevices > 0 || off < 0)
		return NULL;
	return psprintf("GPU %d is %s.", off, GpuDeviceOff(state, off));
}

static char *
FindUsable(GpuControl **control, FimGpuOptions *options)
{
	GpuState	state;
	char	   *reason = LookAtDevices(control, &state);

	if (reason == NULL && state.presence == GPU_ABSENT)
		reason = psprintf("The GPU worker says: %s.", state.reason);
	if (reason == NULL)
		reason = PickDevices(&state, options);
	return reason;
}

char *
GpuUnusable(void)
{
	GpuControl *control;
	FimGpuOptions options;

	return FindUsable(&control, &options);
}

/* false: GpuUnusable() would give a reason.  Asks nobody, so that it costs nothing. */
bool
GpuMayBeThere(void)
{
	if (SharedGpuControl != NULL)
		return GpuWorkerRegistered;
	return IsUnderPostmaster && access(GpuLibraryPath(), F_OK) == 0;
}

static GpuControl *
KnownControl(void)
{
	return SharedGpuControl != NULL ? SharedGpuControl : OwnControl;
}

/*
 * The worker has not said yet which devices there are; false: nor will it, after
 * so many starts.
 */
static bool
WillAnswer(GpuControl *control, int *starts)
{
	return control != OwnControl || OwnWorkerRuns() ||
		((*starts)++ < MAX_RESTARTS && StartOwnWorker());
}

/* May a job that the CPU has begun change to the GPUs?  Waits for nothing. */
GpuReadiness
GpuForChange(void)
{
	GpuControl *control = GpuMayBeThere() ? GetControl() : NULL;
	GpuState	state;
	FimGpuOptions options;
	static int	starts = 0;

	if (control == NULL)
		return GPU_NEVER;
	GpuReadState(control, &state);
	if (state.presence == GPU_UNKNOWN)
		return WillAnswer(control, &starts) ? GPU_LATER : GPU_NEVER;
	starts = 0;
	if (state.presence == GPU_ABSENT || PickDevices(&state, &options) != NULL)
		return GPU_NEVER;
	return GpuClaim(control) ? GPU_NOW : GPU_LATER;
}

double
GpuBusy(void)
{
	GpuControl *control = KnownControl();

	return control == NULL ? 0 : GpuRunningFor(control);
}

/*
 * How many ms until a GPU that is free begins: none where those of gpufim.gpus have
 * contexts, else what it took to make them last.  Asks nobody.
 */
double
GpuDelay(void)
{
	GpuControl *control = KnownControl();
	GpuState	state;
	FimGpuOptions options;
	uint32		wanted = 0;

	if (control == NULL)
		return UNKNOWN_DELAY_MS;
	GpuReadState(control, &state);
	(void) PickDevices(&state, &options);
	for (int i = 0; i < options.ndevices; i++)
		wanted |= UINT32_C(1) << options.devices[i];
	if (wanted != 0 && (wanted & ~state.opened) == 0)
		return 0;
	return state.open_ms > 0 ? state.open_ms : UNKNOWN_DELAY_MS;
}

/*
 * The job
 */

/*
 * The GPU did not do it.  An error if it was to, otherwise a warning.
 */
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
				  "Raise \"minsup\", raise \"gpufim.gpu_memory_limit\" if it is set, "
				  "or set \"gpufim.engine\" to \"cpu\".");
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

/* However the call ends: what the worker has not taken leaves the queue. */
static void
LeaveQueue(dsm_segment *queues, Datum slot)
{
	GpuSlot    *own = (GpuSlot *) DatumGetPointer(slot);

	(void) GpuWithdraw(own, pg_atomic_read_u64(&own->ticket));
}

static GpuSlot *
OwnSlot(GpuControl *control)
{
	return &control->slots[control == OwnControl ? 0 : BackendIndex()];
}

static void
FillOptions(FimGpuOptions *options)
{
	options->memory_limit = (uint64) gpufim_gpu_memory_limit * 1024;
	options->inject.allocation = gpufim_inject_allocation;
	options->inject.launch = gpufim_inject_launch;
	options->inject.device = gpufim_inject_device;
}

static void
ShowPlace(GpuJob *gpu)
{
	int			waiting;

	CurrentRun->done = GpuPlace(gpu->control, gpu->ticket, &waiting);
	CurrentRun->total = waiting;
}

/*
 * The job waits, so somebody must be there to take it sooner or later.  Returns
 * why nobody will, or NULL.
 */
static char *
EnsureWorker(GpuJob *gpu)
{
	GpuState	state;

	GpuReadState(gpu->control, &state);
	if (state.presence == GPU_ABSENT)
		return psprintf("The GPU worker says: %s.", state.reason);
	if (gpu->control->worker != NULL)
		INSTR_TIME_SET_CURRENT(gpu->worker_seen);
	if (gpu->control == OwnControl && !OwnWorkerRuns())
	{
		if (gpu->restarts++ == MAX_RESTARTS || !StartOwnWorker())
			return "It could not be started.";
	}
	else if (MillisecondsSince(gpu->worker_seen) > START_PATIENCE_MS)
		return "It does not start.";
	return NULL;
}

static bool
TakenFromQueue(const GpuJob *gpu)
{
	return pg_atomic_read_u64(&gpu->slot->ticket) != gpu->ticket;
}

/*
 * Another's job keeps the GPUs for too long, or there is no worker: leave the
 * queue, for the CPU.  It must have memory for what it needs besides.
 */
static bool
LosesPatience(const Job *job, GpuJob *gpu)
{
	bool		busy = GpuRunningFor(gpu->control) > job->queue_patience;
	bool		away = MillisecondsSince(gpu->worker_seen) > job->queue_patience + UNKNOWN_DELAY_MS;

	if (job->queue_patience < 0 || !(busy || away) || !JobHasRoomForIndex(job))
		return false;
	gpu->left = GpuWithdraw(gpu->slot, gpu->ticket);
	return gpu->left;
}

/* While it waits, a job looks at the queue this often. */
static long
QueueTurn(const Job *job)
{
	return job->queue_patience < 0 ? TURN_MS : Max(Min(TURN_MS, (long) job->queue_patience), 1);
}

/*
 * Returns why the job will not be done, or NULL: it is, or has faulted, or has left
 * the queue.
 */
static char *
Attend(Job *job, GpuJob *gpu)
{
	Worker	   *worker = gpu->worker;

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
			Wait(QueueTurn(job));
			continue;
		}
		if (gpu->waiting)
			RunEnterPhase(GPUFIM_MINING);
		gpu->waiting = false;

		any = JobDrain(job, worker);
		JobShowProgress(job);
		if (worker->done || gpu->outcome.faulted || gpu->outcome.refusal)
			return NULL;
		if (any && !worker->gone)
			continue;
		if (!runs)
			return gpu->outcome.terminated ? "It was terminated." :
				"It ended before; the server log may say why.";
		Wait(TURN_MS);
	}
}

static void
ReportDone(const Job *job, const FimGpuReport *report)
{
	char	   *to = CurrentRun->device;

	CurrentRun->gpu = *report;
	CurrentRun->strategy = report->strategy;
	CurrentRun->workers = 1;
	RunTrackMemory(pg_atomic_read_u64(&job->memory->peak));
	strlcpy(to, "gpu", sizeof(CurrentRun->device));
	for (int i = 0; i < report->ndevices; i++)
		snprintf(to + strlen(to), sizeof(CurrentRun->device) - strlen(to), "%s%d",
				 i == 0 ? " " : ",", report->devices[i]);
}

static void
Submit(Job *job, GpuJob *gpu, dsm_segment *queues)
{
	gpu->worker = &job->workers[0];
	gpu->worker->gpu = &gpu->outcome;
	gpu->worker->reader = shm_mq_attach(gpu->worker->queue, queues, NULL);
	gpu->slot = OwnSlot(gpu->control);
	gpu->control->idle_timeout = gpufim_worker_idle_timeout;
	gpu->waiting = true;
	INSTR_TIME_SET_CURRENT(gpu->worker_seen);
	on_dsm_detach(queues, LeaveQueue, PointerGetDatum(gpu->slot));
	RunEnterPhase(GPUFIM_WAITING);
	gpu->ticket = GpuEnqueue(gpu->control, gpu->slot, dsm_segment_handle(job->segment));
}

bool
MineOnGpu(Job *job)
{
	GpuJob		gpu = {.restarts = 0};
	dsm_segment *queues = NULL;
	char	   *lost;

	lost = FindUsable(&gpu.control, job->segment ? &job->header->gpu : &gpu.options);
	if (lost == NULL && job->segment != NULL)
		queues = JobCreateQueues(job, 1);
	if (lost == NULL && queues == NULL)
		lost = "There is no shared memory for its job.";
	if (lost == NULL)
	{
		FillOptions(&job->header->gpu);
		Submit(job, &gpu, queues);
		lost = Attend(job, &gpu);
	}
	if (queues != NULL)
		JobDetachQueues(job, queues);

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
		return true;
	}
	return false;
}

PG_FUNCTION_INFO_V1(gpufim_reset);

/* Forget the faults of the devices and what was found out about them. */
Datum
gpufim_reset(PG_FUNCTION_ARGS)
{
	GpuControl *control = KnownControl();

	if (control != NULL)
		GpuForgetFaults(control);
	PG_RETURN_VOID();
}

/*-------------------------------------------------------------------------
 *
 * gpu_access.c
 *	  The GPUs that this backend can have jobs done on, and the worker that owns
 *	  them.
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
#include "utils/memutils.h"
#include "utils/wait_event.h"
#include "work/gpu_queue.h"
#include "work/workers.h"

/* A worker that has a slot but has not answered for this long is taken for one that does not start. */
#define START_PATIENCE_MS	15000.0

/* How often to look whether a worker that is starting knows the devices, in ms. */
#define START_TURN_MS	5

/*
 * How often another worker is started if the session's own one ends before it has
 * begun with a call's job.
 */
#define MAX_RESTARTS	3

/* If gpufim is not preloaded: the session's own worker, and what it shares with it. */
static GpuControl *OwnControl = NULL;
static dsm_segment *OwnSegment = NULL;
static BackgroundWorkerHandle *OwnWorker = NULL;

/*
 * Control structure and worker
 */

/* When the session ends or gives its segment up, the worker is to end, too. */
static void
AbandonWorker(dsm_segment *segment, Datum arg)
{
	OwnControl->abandoned = true;
	GpuWakeWorker(OwnControl);
	OwnControl = NULL;
}

/* The control structure, made if need be; NULL if there is no memory for it. */
static GpuControl *
GetControl(void)
{
	if (SharedGpuControl != NULL)
		return SharedGpuControl;
	if (OwnControl != NULL)
		return OwnControl;
	OwnSegment = SegmentCreate(GpuControlSize(1));
	if (OwnSegment == NULL)
		return NULL;
	dsm_pin_mapping(OwnSegment);
	OwnControl = dsm_segment_address(OwnSegment);
	/* this session could not give back a tranche of its own when it ends */
	GpuControlInit(OwnControl, 1, LWTRANCHE_PER_SESSION_DSA);
	on_dsm_detach(OwnSegment, AbandonWorker, (Datum) 0);
	return OwnControl;
}

bool
GpuOwnWorkerRuns(void)
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

bool
GpuControlIsOwn(const GpuControl *control)
{
	return control == OwnControl;
}

/* If there is no slot, workers of an earlier call may still hold some, which come free soon. */
bool
GpuKeepOwnWorker(int *starts)
{
	bool		later;

	if (GpuOwnWorkerRuns())
		return true;
	if (*starts == MAX_RESTARTS)
		return false;
	later = WorkersAreEnding();
	if (!StartOwnWorker())
		return later;
	(*starts)++;
	return true;
}

void
AwaitGpuWorker(long milliseconds)
{
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
					 milliseconds, PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

double
GpuStartPatience(void)
{
	return START_PATIENCE_MS * gpufim_inject_slowness;
}

#define WORKER_ENDED	"The GPU worker ended while it was starting; see the server log."
#define WORKER_DOES_NOT_START	"The GPU worker does not start; see the server log."
#define NO_SLOT	"There is no free slot for a background worker; see \"max_worker_processes\"."

/*
 * Read what is known of the devices.  If no worker has looked for them yet, have one
 * do so and wait for it.  Returns NULL, or the reason why there is no answer.
 */
static char *
AskWorker(GpuControl *control, GpuState *state)
{
	int			starts = 0;
	instr_time	start;

	INSTR_TIME_SET_CURRENT(start);
	for (;;)
	{
		bool		runs = control != OwnControl || GpuOwnWorkerRuns();

		GpuReadState(control, state);
		if (state->presence != GPU_UNKNOWN)
			return NULL;
		if (!runs && !GpuKeepOwnWorker(&starts))
			return starts == MAX_RESTARTS ? WORKER_ENDED : NO_SLOT;
		/* workers of earlier calls that still hold slots will end, however long that takes */
		if (!runs)
			INSTR_TIME_SET_CURRENT(start);
		else if (MillisecondsSince(start) > GpuStartPatience())
			return WORKER_DOES_NOT_START;
		AwaitGpuWorker(START_TURN_MS);
	}
}

/*
 * Do the same with the worker that this backend can reach, and set *control to its control
 * structure.  Returns NULL, or the reason why there is no answer or no such worker.
 */
static char *
LookAtDevices(GpuControl **control, GpuState *state)
{
	if (!IsUnderPostmaster)
		return "There are no workers in single-user mode.";
	if (SharedGpuControl != NULL && !GpuWorkerRegistered)
		return psprintf("Library \"%s\" was not there when the server started.",
						GpuLibraryPath());
	if (SharedGpuControl == NULL && !GpuLibraryIsThere())
		return psprintf("This server has no library \"%s\".", GpuLibraryPath());
	*control = GetControl();
	if (*control == NULL)
		return "There is no shared memory for the GPU worker.";
	return AskWorker(*control, state);
}

bool
GpuLookAtDevices(GpuState *state)
{
	GpuControl *control;
	char	   *reason;

	memset(state, 0, sizeof(*state));
	if (!GpuLibraryIsThere())
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

static bool
HasDevice(const GpuState *state, int device)
{
	for (int i = 0; i < state->ndevices; i++)
		if (state->devices[i].device == device)
			return true;
	return false;
}

/*
 * Put the devices of gpufim.gpus that are not turned off into the options.  Returns
 * NULL, or the reason why there are none.
 */
static char *
PickDevices(const GpuState *state, FimGpuOptions *options)
{
	FimGpuOptions asked;
	int			off = -1;

	(void) ParseGpus(gpufim_gpus, &asked);
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
	/* if the worker has not answered yet, there are no devices, and none is turned off */
	if (options->ndevices > 0 || off < 0)
		return NULL;
	return psprintf("GPU %d is %s.", off, GpuDeviceOff(state, off));
}

char *
GpuFindUsable(GpuControl **control, FimGpuOptions *options)
{
	GpuState	state = {.presence = GPU_UNKNOWN};
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

	return GpuFindUsable(&control, &options);
}

bool
GpuMayBeThere(void)
{
	if (SharedGpuControl != NULL)
		return GpuWorkerRegistered;
	return IsUnderPostmaster && GpuLibraryIsThere();
}

static GpuControl *
KnownControl(void)
{
	return SharedGpuControl != NULL ? SharedGpuControl : OwnControl;
}

/*
 * The worker has not said yet which devices there are.  Will it?  Not if it is the
 * session's own and has been started too often, or if there is no slot for it, for
 * instance because the workers of this call on the CPU have taken all.
 */
static bool
WillAnswer(GpuControl *control, int *starts)
{
	if (control != OwnControl || GpuKeepOwnWorker(starts))
		return true;
	ereport(DEBUG1,
			(errmsg_internal("the call stays on the CPU"),
			 errdetail_internal("%s", *starts == MAX_RESTARTS ? WORKER_ENDED : NO_SLOT)));
	return false;
}

GpuReadiness
GpuReadyForChange(int *starts)
{
	GpuControl *control = GpuMayBeThere() ? GetControl() : NULL;
	GpuState	state;
	FimGpuOptions options;

	if (control == NULL)
		return GPU_NEVER;
	GpuReadState(control, &state);
	if (state.presence == GPU_UNKNOWN)
		return WillAnswer(control, starts) ? GPU_LATER : GPU_NEVER;
	if (state.presence == GPU_ABSENT || PickDevices(&state, &options) != NULL)
		return GPU_NEVER;
	return GpuClaim(control) ? GPU_NOW : GPU_LATER;
}

void
GpuNotForChange(void)
{
	GpuControl *control = KnownControl();

	if (control != NULL)
		GpuDropClaim(control);
}

double
GpuBusy(void)
{
	GpuControl *control = KnownControl();

	return control == NULL ? 0 : GpuRunningFor(control);
}

double
GpuDelay(void)
{
	GpuControl *control = KnownControl();
	GpuState	state;
	FimGpuOptions options;
	uint32		wanted = 0;

	if (control == NULL)
		return GPU_UNKNOWN_DELAY_MS;
	GpuReadState(control, &state);
	(void) PickDevices(&state, &options);
	for (int i = 0; i < options.ndevices; i++)
		wanted |= UINT32_C(1) << options.devices[i];
	if (wanted != 0 && (wanted & ~state.opened) == 0)
		return 0;
	return state.open_ms > 0 ? state.open_ms : GPU_UNKNOWN_DELAY_MS;
}

GpuSlot *
GpuOwnSlot(GpuControl *control)
{
	return &control->slots[control == OwnControl ? 0 : BackendIndex()];
}

void
GpuReset(void)
{
	GpuControl *control = KnownControl();

	if (control != NULL)
		GpuForgetFaults(control);
}

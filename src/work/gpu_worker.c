/*-------------------------------------------------------------------------
 *
 * gpu_worker.c
 *	  The background worker that owns the GPUs.
 *
 * No other process touches CUDA.  If gpufim is preloaded, the postmaster keeps one such
 * worker, which serves all sessions; otherwise a session starts its own.  The worker
 * loads the library with the GPU engine, says which devices there are, and then does
 * the jobs of its queue, one after the other (gpu_worker_job.c).  Like other workers it
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
#include "work/gpu_contexts.h"
#include "work/gpu_library.h"
#include "work/gpu_worker.h"
#include "work/gpu_worker_job.h"

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

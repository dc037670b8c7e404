/*-------------------------------------------------------------------------
 *
 * gpu_queue.h
 *	  The GPUs as the backends and the GPU worker see them: the control structure that they share and
 *	  the queue of jobs in it, the backend's access, and the worker's contexts.
 *
 * If gpufim is preloaded, the control structure lies in shared memory, and one GPU
 * worker serves all sessions.  Otherwise it lies in a segment of the session's own,
 * and the worker is the session's own, too.  The structure holds the queue of jobs,
 * what is known of the devices, and their faults.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_WORK_GPU_QUEUE_H
#define GPUFIM_WORK_GPU_QUEUE_H

#include "postgres.h"

#include "datatype/timestamp.h"
#include "engine/gpu.h"
#include "port/atomics.h"
#include "postmaster/bgworker.h"
#include "storage/dsm.h"
#include "storage/lwlock.h"
#include "storage/proc.h"

/* A device is turned off after GPU_FAULTS_UNTIL_OFF faults within GPU_FAULTS_WITHIN_MS. */
#define GPU_FAULTS_UNTIL_OFF	3
#define GPU_FAULTS_WITHIN_MS	60000

typedef enum GpuPresence
{
	GPU_UNKNOWN,				/* the worker has not looked yet */
	GPU_PRESENT,
	GPU_ABSENT					/* no library, no driver or no device */
} GpuPresence;

typedef struct GpuHealth
{
	TimestampTz faults[GPU_FAULTS_UNTIL_OFF]; /* the last ones, newest first */
	bool		off;			/* until gpufim_reset() */
	FimGpuFault last;
} GpuHealth;

/* What is known of the devices. */
typedef struct GpuState
{
	GpuPresence presence;
	char		reason[256];	/* why absent */
	int			ndevices;
	FimGpuDevice devices[FIM_GPU_MAX_DEVICES];
	GpuHealth	health[FIM_GPU_MAX_DEVICES]; /* by CUDA's number */
	uint32		opened;			/* a bit for each device that has a context */
	double		open_ms;		/* how long it took last to make contexts; 0: not known */
} GpuState;

/*
 * A backend's slot in the queue, which holds one job at a time.  The backend writes
 * the handle before the ticket.  Whoever turns the ticket to 0 has the job: the
 * worker, which then uses the handle, or the backend, which withdraws the job.
 */
typedef struct GpuSlot
{
	pg_atomic_uint64 ticket;	/* 0: no job waits here */
	dsm_handle	job;
} GpuSlot;

typedef struct GpuControl
{
	LWLock		lock;			/* for state */
	GpuState	state;
	PGPROC	   *volatile worker; /* NULL: there is none at the moment */
	volatile bool abandoned;	/* the session that the worker is for has ended */
	volatile bool look_again;	/* the worker should look for devices */
	volatile int idle_timeout;	/* in ms, of the session that the worker is for */
	pg_atomic_uint64 last_ticket;
	pg_atomic_uint64 running;	/* ticket of the job under way, or 0 */
	pg_atomic_uint64 running_since; /* in us, by GpuClock() */
	pg_atomic_uint32 claimed_by; /* the process that may change to the GPUs, or 0 */
	int			nslots;
	GpuSlot		slots[FLEXIBLE_ARRAY_MEMBER];
} GpuControl;

/* The control structure in shared memory; NULL unless gpufim is preloaded. */
extern GpuControl *SharedGpuControl;

extern void GpuShmemRequest(void);
extern void GpuShmemStartup(void);

/* The size of a control structure with nslots slots, in bytes, and setting one up. */
extern Size GpuControlSize(int nslots);
extern void GpuControlInit(GpuControl *control, int nslots, int tranche);

extern void GpuWakeWorker(GpuControl *control);

/*
 * The queue.  GpuEnqueue() puts a job, whose segment the handle names, into a
 * backend's slot, and returns its ticket.  GpuWithdraw() takes it out again; it
 * returns false if the worker has taken the job or if it was withdrawn before.
 * GpuTake() is the worker's: it takes the job that has waited longest, and returns
 * its ticket, or 0 if no job waits.
 */
extern uint64 GpuEnqueue(GpuControl *control, GpuSlot *slot, dsm_handle job);
extern bool GpuWithdraw(GpuSlot *slot, uint64 ticket);
extern uint64 GpuTake(GpuControl *control, dsm_handle *job);

/* How long the running job has taken, in ms; 0 if there is none. */
extern double GpuRunningFor(GpuControl *control);

/*
 * May this process's job change from the CPU to the GPUs now?  If so, the process has a claim:
 * the GPUs are kept for its job until that is in the queue or GpuDropClaim() is called.
 * GpuDropClaim() does nothing if this process has no claim.
 */
extern bool GpuClaim(GpuControl *control);
extern void GpuDropClaim(GpuControl *control);

/*
 * Returns a job's place in the queue: 1 if it is the next to be done or runs, 2 if one job
 * comes before it, and so on.  *waiting becomes the number of all jobs that wait or run.
 */
extern int	GpuPlace(GpuControl *control, uint64 ticket, int *waiting);

/* Read, and publish, what is known of the devices. */
extern void GpuReadState(GpuControl *control, GpuState *state);
extern void GpuPublish(GpuControl *control, GpuPresence presence, const char *reason,
					   const FimGpuDevice *devices, int ndevices);

/*
 * Publish which devices have contexts, and how long it took to make them, in ms.  If
 * open_ms is 0, the time known so far is kept.
 */
extern void GpuPublishContexts(GpuControl *control, uint32 opened, double open_ms);

/* Count a fault against the device that had it, which may turn it off. */
extern void GpuRecordFault(GpuControl *control, const FimGpuFault *fault,
						   const FimGpuOptions *options);
extern void GpuForgetFaults(GpuControl *control);

/*
 * gpu_access.c: The GPUs that this backend can have jobs done on, and the worker that owns them.
 */

/* How long to wait for a worker that is being started, in ms. */
extern double GpuStartPatience(void);

/* How long making contexts is assumed to take until it has been done; see bench/results/gpu.md. */
#define GPU_UNKNOWN_DELAY_MS	150

typedef enum GpuReadiness
{
	GPU_NEVER,					/* none can be used */
	GPU_LATER,					/* others use the GPUs, or nobody knows yet */
	GPU_NOW						/* the GPUs are kept for this process's job */
} GpuReadiness;

/*
 * Why no GPU can be used, palloc'd, or NULL if one can.  If that is not known yet, a
 * worker is started or waited for, to find out.
 */
extern char *GpuUnusable(void);

/* The same.  If a GPU can be used, also sets the worker's control structure and the devices to use. */
extern char *GpuFindUsable(GpuControl **control, FimGpuOptions *options);

/* Could there be a GPU?  No worker is asked, so the answer costs nothing. */
extern bool GpuMayBeThere(void);

/*
 * May a job that the CPU has begun change to the GPUs?  Waits for nothing, but may start a worker;
 * *starts, 0 in the beginning, counts how often that was done for this job.  If the answer was
 * GPU_NOW but the job will not change, GpuNotForChange() lets the jobs of others do so.
 */
extern GpuReadiness GpuReadyForChange(int *starts);
extern void GpuNotForChange(void);

/* How long the job that the GPUs are doing has taken by now, in ms; 0 if there is none. */
extern double GpuBusy(void);

/*
 * How long it takes until a GPU that is free begins with a job, in ms: 0 if the devices
 * of gpufim.gpus have contexts, otherwise the time that it took last to make contexts.
 */
extern double GpuDelay(void);

/* Wait for the worker, or anything else that sets this process's latch. */
extern void AwaitGpuWorker(long milliseconds);

/* This backend's slot in the queue. */
extern GpuSlot *GpuOwnSlot(GpuControl *control);

/*
 * Is this the session's own control structure?  Then the session has to see to it that a
 * worker runs.  GpuOwnWorkerRuns() says whether one runs or has been given a slot to start.
 * GpuKeepOwnWorker() starts a worker if none runs, unless it has done so too often
 * according to the caller's counter.  It returns true if a worker runs, and also if one can
 * be started once workers of an earlier call have given up their slots: then call it again.
 */
extern bool GpuControlIsOwn(const GpuControl *control);
extern bool GpuOwnWorkerRuns(void);
extern bool GpuKeepOwnWorker(int *starts);

/* What is known of the devices.  Returns false if this server has no GPU engine. */
extern bool GpuLookAtDevices(GpuState *state);

/* Why a device is turned off, palloc'd, or NULL if it is not. */
extern const char *GpuDeviceOff(const GpuState *state, int device);

/* Forget the faults of the devices and what was found out about them. */
extern void GpuReset(void);

/*
 * gpu_contexts.c: The library with the GPU engine, the devices that the GPU worker finds with it, and
 * its contexts on them.
 *
 * What is found out is published in the control structure, where backends read it.  Where the
 * library is, backends ask, too; all other functions are for the GPU worker's process alone.
 */

/*
 * The file that gpufim.cuda_library names, palloc'd.  "$libdir" in it is replaced,
 * and ".so" may be left out.
 */
extern char *GpuLibraryPath(void);

/* Is there such a file? */
extern bool GpuLibraryIsThere(void);

/* Load the library if that has not been done, look which devices there are, and publish them. */
extern void GpuLookForDevices(GpuControl *control);

/* The devices found last; returns how many. */
extern int	GpuDevicesFound(const FimGpuDevice **devices);

/* The library; NULL until it has been loaded. */
extern const FimGpuLibrary *GpuLibrary(void);

/*
 * Make contexts on those devices of the options that have none.  Returns false if that
 * failed; the library's fault() then says why.
 */
extern bool GpuOpenContexts(GpuControl *control, const FimGpuOptions *options);
extern bool GpuHasContexts(void);

/* Give up all contexts and what families keep in them. */
extern void GpuCloseContexts(GpuControl *control);

/*
 * The library's side of the family of this number, whose task comes next.  What another
 * family has kept on the devices since its last task is freed, because this task may need
 * the memory.
 */
extern const FimGpuFamily *GpuBeginFamily(int number);

/*
 * gpu_worker.c: The background worker that owns the GPUs.
 */

/* Does the postmaster keep a worker running?  False if its library was not there. */
extern bool GpuWorkerRegistered;

/* In the postmaster: have one worker for all sessions, if its library is there. */
extern void GpuRegisterWorker(void);

/*
 * Fill a registration, except for its main argument.  That is the handle of the segment
 * with the control structure, or DSM_HANDLE_INVALID for the one in shared memory.
 */
extern void GpuDescribeWorker(BackgroundWorker *registration);

extern PGDLLEXPORT void GpufimGpuWorkerMain(Datum main_arg);

#endif							/* GPUFIM_WORK_GPU_QUEUE_H */

/*-------------------------------------------------------------------------
 *
 * gpu_worker.h
 *	  What backends and the GPU worker share besides jobs.
 *
 * The control structure lies in shared memory when gpufim is preloaded: then one
 * GPU worker serves all sessions.  Otherwise it is a segment of the session's, and
 * so is the worker.  It holds the queue of jobs, what is known of the devices, and
 * their faults.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_GPU_WORKER_H
#define GPUFIM_GPU_WORKER_H

#include "datatype/timestamp.h"
#include "work/job.h"
#include "storage/lwlock.h"
#include "storage/proc.h"

/* So many faults of a device within so long turn it off. */
#define GPU_FAULTS_UNTIL_OFF	3
#define GPU_FAULTS_WITHIN_MS	60000

/* The postmaster waits so long before it starts a failed GPU worker again. */
#define GPU_RESTART_SECONDS		1

typedef enum GpuPresence
{
	GPU_UNKNOWN,				/* the worker has not looked yet */
	GPU_PRESENT,
	GPU_ABSENT					/* no library, no driver or no device */
} GpuPresence;

typedef struct GpuHealth
{
	TimestampTz faults[GPU_FAULTS_UNTIL_OFF];	/* the last ones, newest first */
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
	GpuHealth	health[FIM_GPU_MAX_DEVICES];	/* by CUDA's number */
	uint32		opened;			/* bits of the devices that have contexts */
	double		open_ms;		/* what making contexts took last, 0: not known */
} GpuState;

/*
 * A backend's place in the queue: it waits for one job at a time.  The handle is
 * written before the ticket and belongs to the worker that turns the ticket to 0.
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
	PGPROC	   *volatile worker;	/* NULL: there is none at the moment */
	volatile bool abandoned;	/* the session that the worker is for has ended */
	volatile bool look_again;	/* the worker should look for devices */
	volatile int idle_timeout;	/* of the session that the worker is for, in ms */
	pg_atomic_uint64 last_ticket;
	pg_atomic_uint64 running;	/* ticket of the job under way, or 0 */
	pg_atomic_uint64 running_since; /* us, as GpuClock() has them */
	pg_atomic_uint64 claimed;	/* when one from the CPU was promised the GPUs */
	int			nslots;
	GpuSlot		slots[FLEXIBLE_ARRAY_MEMBER];
} GpuControl;

/* The control structure and its queue (gpu_queue.c). */
extern GpuControl *SharedGpuControl;	/* NULL unless preloaded */
extern void GpuShmemRequest(void);
extern void GpuShmemStartup(void);
extern Size GpuControlSize(int nslots);
extern void GpuControlInit(GpuControl *control, int nslots, int tranche);
extern void GpuWakeWorker(GpuControl *control);
extern uint64 GpuEnqueue(GpuControl *control, GpuSlot *slot, dsm_handle job);
extern bool GpuWithdraw(GpuSlot *slot, uint64 ticket);
extern uint64 GpuTake(GpuControl *control, dsm_handle *job);
extern double GpuRunningFor(GpuControl *control);
extern bool GpuClaim(GpuControl *control);
extern int	GpuPlace(GpuControl *control, uint64 ticket, int *waiting);
extern void GpuReadState(GpuControl *control, GpuState *state);
extern void GpuPublish(GpuControl *control, GpuPresence presence, const char *reason,
					   const FimGpuDevice *devices, int ndevices);
extern void GpuPublishContexts(GpuControl *control, uint32 opened, double open_ms);
extern void GpuRecordFault(GpuControl *control, const FimGpuFault *fault,
						   const FimGpuOptions *options);
extern void GpuForgetFaults(GpuControl *control);

/* The worker (gpu_worker.c). */
extern bool GpuWorkerRegistered;	/* the postmaster keeps one running */
extern char *GpuLibraryPath(void);
extern void GpuRegisterWorker(void);
extern void GpuDescribeWorker(BackgroundWorker *registration);
extern PGDLLEXPORT void GpufimGpuWorkerMain(Datum main_arg);

/* The backend's side (gpu_job.c). */
extern bool GpuMayBeThere(void);
extern bool GpuLookAtDevices(GpuState *state);
extern const char *GpuDeviceOff(const GpuState *state, int device);
extern bool GpuParseDevices(const char *list, FimGpuOptions *options);

#endif							/* GPUFIM_GPU_WORKER_H */

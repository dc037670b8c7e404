/*-------------------------------------------------------------------------
 *
 * gpu_queue.h
 *	  The control structure that backends share with the GPU worker, and the queue
 *	  of jobs in it.
 *
 * If gpufim is preloaded, the control structure lies in shared memory, and one GPU
 * worker serves all sessions.  Otherwise it lies in a segment of the session's own,
 * and the worker is the session's own, too.  The structure holds the queue of jobs,
 * what is known of the devices, and their faults.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_GPU_QUEUE_H
#define GPUFIM_GPU_QUEUE_H

#include "postgres.h"

#include "datatype/timestamp.h"
#include "engine/gpu.h"
#include "port/atomics.h"
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
	PGPROC	   *volatile worker;	/* NULL: there is none at the moment */
	volatile bool abandoned;	/* the session that the worker is for has ended */
	volatile bool look_again;	/* the worker should look for devices */
	volatile int idle_timeout;	/* in ms, of the session that the worker is for */
	pg_atomic_uint64 last_ticket;
	pg_atomic_uint64 running;	/* ticket of the job under way, or 0 */
	pg_atomic_uint64 running_since; /* in us, by GpuClock() */
	pg_atomic_uint32 claimed_by;	/* the process that may change to the GPUs, or 0 */
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

#endif							/* GPUFIM_GPU_QUEUE_H */

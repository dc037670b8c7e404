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
 * Included by the GPU worker and by the backend's side of it.
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

/* So many faults of a device within so long turn it off. */
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

#endif							/* GPUFIM_GPU_QUEUE_H */

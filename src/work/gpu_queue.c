/*-------------------------------------------------------------------------
 *
 * gpu_queue.c
 *	  The control structure that backends share with the GPU worker.
 *
 * A backend has at most one job in the queue, so each has a slot of its own and
 * the queue is never full.  Jobs are numbered as they come, and the worker takes
 * the lowest number: with one job for each session at a time, that is fair among
 * sessions.  Taking and withdrawing a job both turn its ticket to 0 atomically, so
 * that exactly one of them happens, and a backend that dies leaves nothing that
 * somebody else would have to clean up.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <time.h>

#include "compat.h"
#include "gpufim.h"
#include "miscadmin.h"
#include "storage/latch.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"
#include "work/gpu_queue.h"

#define GPU_TRANCHE		"GpufimGpuState"

GpuControl *SharedGpuControl = NULL;

/*
 * A clock in microseconds that is the same for all processes, and does not depend on the
 * time of day.
 */
static uint64
GpuClock(void)
{
	struct timespec now;

	/* an instr_time need not be: since 19 each process may read another clock */
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64) now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

Size
GpuControlSize(int nslots)
{
	return add_size(offsetof(GpuControl, slots), mul_size(nslots, sizeof(GpuSlot)));
}

void
GpuControlInit(GpuControl *control, int nslots, int tranche)
{
	memset(control, 0, GpuControlSize(nslots));
	LWLockInitialize(&control->lock, tranche);
	pg_atomic_init_u64(&control->last_ticket, 0);
	pg_atomic_init_u64(&control->running, 0);
	pg_atomic_init_u64(&control->running_since, 0);
	pg_atomic_init_u32(&control->claimed_by, 0);
	control->nslots = nslots;
	for (int i = 0; i < nslots; i++)
		pg_atomic_init_u64(&control->slots[i].ticket, 0);
}

void
GpuShmemRequest(void)
{
	RequestAddinShmemSpace(GpuControlSize(BackendCount()));
}

void
GpuShmemStartup(void)
{
	bool		found;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	SharedGpuControl = ShmemInitStruct("gpufim GPU control", GpuControlSize(BackendCount()),
									   &found);
	if (!found)
		GpuControlInit(SharedGpuControl, BackendCount(), LWLockNewTrancheId(GPU_TRANCHE));
	LWLockRelease(AddinShmemInitLock);
	LWLockRegisterTranche(SharedGpuControl->lock.tranche, GPU_TRANCHE);
}

/*
 * A worker that is just starting is not woken.  The barrier makes sure that it sees what
 * the caller of this function has written.
 */
void
GpuWakeWorker(GpuControl *control)
{
	PGPROC	   *worker;

	pg_memory_barrier();
	worker = control->worker;
	if (worker != NULL)
		SetLatch(&worker->procLatch);
}

uint64
GpuEnqueue(GpuControl *control, GpuSlot *slot, dsm_handle job)
{
	uint64		ticket = pg_atomic_add_fetch_u64(&control->last_ticket, 1);

	slot->job = job;
	pg_write_barrier();
	pg_atomic_write_u64(&slot->ticket, ticket);
	GpuDropClaim(control);
	GpuWakeWorker(control);
	return ticket;
}

bool
GpuWithdraw(GpuSlot *slot, uint64 ticket)
{
	return pg_atomic_compare_exchange_u64(&slot->ticket, &ticket, 0);
}

static GpuSlot *
FirstWaiting(GpuControl *control, uint64 *ticket)
{
	GpuSlot    *first = NULL;

	for (int i = 0; i < control->nslots; i++)
	{
		uint64		waiting = pg_atomic_read_u64(&control->slots[i].ticket);

		if (waiting != 0 && (first == NULL || waiting < *ticket))
		{
			first = &control->slots[i];
			*ticket = waiting;
		}
	}
	return first;
}

/*
 * The job is marked as running before its ticket is turned to 0.  Between the two,
 * its backend would otherwise see a job that neither waits nor runs, and take it for
 * lost.
 */
uint64
GpuTake(GpuControl *control, dsm_handle *job)
{
	uint64		ticket = 0;
	GpuSlot    *slot;

	while ((slot = FirstWaiting(control, &ticket)) != NULL)
	{
		pg_read_barrier();
		*job = slot->job;
		pg_atomic_write_u64(&control->running_since, GpuClock());
		pg_write_barrier();
		pg_atomic_write_u64(&control->running, ticket);
		if (GpuWithdraw(slot, ticket))
			return ticket;
		pg_atomic_write_u64(&control->running, 0);
	}
	return 0;
}

double
GpuRunningFor(GpuControl *control)
{
	if (pg_atomic_read_u64(&control->running) == 0)
		return 0;
	pg_read_barrier();
	return ((int64) GpuClock() - (int64) pg_atomic_read_u64(&control->running_since)) / 1000.0;
}

int
GpuPlace(GpuControl *control, uint64 ticket, int *waiting)
{
	int			running = pg_atomic_read_u64(&control->running) != 0;
	int			place = running;

	*waiting = running;
	for (int i = 0; i < control->nslots; i++)
	{
		uint64		other = pg_atomic_read_u64(&control->slots[i].ticket);

		*waiting += other != 0;
		place += other != 0 && other <= ticket;
	}
	return place;
}

static bool
HasJobs(GpuControl *control)
{
	int			jobs;

	(void) GpuPlace(control, 0, &jobs);
	return jobs > 0;
}

/*
 * Many calls may be mining on the CPU when the GPUs become free.  Only one of them
 * may change to the GPUs, since the others would give up what they have done only to
 * wait for that one.  The claim holds until the job is in the queue, however long that
 * takes, or until the call ends without that.  The queue is looked at again after the
 * claim is made, because a job may have come meanwhile.
 */
bool
GpuClaim(GpuControl *control)
{
	uint32		nobody = 0;

	if (HasJobs(control) ||
		!pg_atomic_compare_exchange_u32(&control->claimed_by, &nobody, (uint32) MyProcPid))
		return false;
	if (!HasJobs(control))
		return true;
	GpuDropClaim(control);
	return false;
}

void
GpuDropClaim(GpuControl *control)
{
	uint32		own = (uint32) MyProcPid;

	(void) pg_atomic_compare_exchange_u32(&control->claimed_by, &own, 0);
}

void
GpuReadState(GpuControl *control, GpuState *state)
{
	LWLockAcquire(&control->lock, LW_SHARED);
	*state = control->state;
	LWLockRelease(&control->lock);
}

void
GpuPublish(GpuControl *control, GpuPresence presence, const char *reason,
		   const FimGpuDevice *devices, int ndevices)
{
	GpuState   *state = &control->state;

	LWLockAcquire(&control->lock, LW_EXCLUSIVE);
	state->presence = presence;
	strlcpy(state->reason, reason, sizeof(state->reason));
	state->ndevices = ndevices;
	memcpy(state->devices, devices, ndevices * sizeof(FimGpuDevice));
	LWLockRelease(&control->lock);
}

void
GpuPublishContexts(GpuControl *control, uint32 opened, double open_ms)
{
	LWLockAcquire(&control->lock, LW_EXCLUSIVE);
	control->state.opened = opened;
	if (open_ms > 0)
		control->state.open_ms = open_ms;
	LWLockRelease(&control->lock);
}

static void
CountFault(GpuHealth *health, const FimGpuFault *fault, TimestampTz now)
{
	TimestampTz oldest;

	memmove(&health->faults[1], &health->faults[0],
			sizeof(health->faults) - sizeof(health->faults[0]));
	health->faults[0] = now;
	health->last = *fault;
	oldest = health->faults[GPU_FAULTS_UNTIL_OFF - 1];
	if (oldest != 0 &&
		now - oldest <= GPU_FAULTS_WITHIN_MS * INT64CONST(1000) * gpufim_inject_slowness)
		health->off = true;
}

/*
 * If nobody knows which device failed, the fault counts against all devices that the job
 * used.  A lack of memory is not counted: that a job is too large is not the device's fault.
 */
void
GpuRecordFault(GpuControl *control, const FimGpuFault *fault, const FimGpuOptions *options)
{
	GpuHealth  *health = control->state.health;
	TimestampTz now = GetCurrentTimestamp();

	if (fault->out_of_memory)
		return;
	LWLockAcquire(&control->lock, LW_EXCLUSIVE);
	if (fault->device >= 0 && fault->device < FIM_GPU_MAX_DEVICES)
		CountFault(&health[fault->device], fault, now);
	else
		for (int i = 0; i < options->ndevices; i++)
			CountFault(&health[options->devices[i]], fault, now);
	LWLockRelease(&control->lock);
}

/*
 * The worker is asked to look for devices again.  Until it has done so, the devices that it
 * found before are taken to be there still.  If it found none, the next call waits for its
 * answer.
 */
void
GpuForgetFaults(GpuControl *control)
{
	LWLockAcquire(&control->lock, LW_EXCLUSIVE);
	memset(control->state.health, 0, sizeof(control->state.health));
	if (control->state.presence == GPU_ABSENT)
		control->state.presence = GPU_UNKNOWN;
	LWLockRelease(&control->lock);
	control->look_again = true;
	GpuWakeWorker(control);
}

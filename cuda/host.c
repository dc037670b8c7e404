/*-------------------------------------------------------------------------
 *
 * host.c
 *	  What the host gives a job: memory, and threads that share the host's part of it.
 *
 * Helpers are started by the first work that has more than one part, and stay as long as the
 * contexts: starting and ending fifteen of them took half a millisecond, as long as a small
 * job.  Much of the work takes less than a millisecond and is soon followed by more, so a helper
 * polls for new work for a while before it sleeps.
 *
 * A helper joins the work at hand only while that is open.  The caller closes it when
 * no part is left, and waits until those who have joined have left again.  So a helper
 * that wakes too late misses the work, or joins the next, but never meets work that is
 * being changed.
 *
 *-------------------------------------------------------------------------
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE				/* for sched_getaffinity() */
#endif

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "device.h"
#include "team.h"

/*
 * Host memory of the job under way.
 */

#define LEAST_ROOM		64		/* elements of an array that is to grow */

/* Bytes that are copied between two looks at whether the job is to stop, when an array grows. */
#define COPIED_AT_ONCE	((size_t) 4 << 20)

/* Precedes each block of host memory; what follows it stays aligned to 16 bytes. */
struct GpuHostMemory
{
	GpuHostMemory *next;
	GpuHostMemory *previous;
};

void *
GpuHostAlloc(GpuTeam *team, size_t bytes)
{
	GpuHostMemory *memory = NULL;

	if (bytes < SIZE_MAX - sizeof(GpuHostMemory))
		memory = (GpuHostMemory *) team->host->alloc(team->host, bytes + sizeof(GpuHostMemory));
	if (memory == NULL)
		return NULL;
	memory->next = team->memory;
	memory->previous = NULL;
	if (memory->next != NULL)
		memory->next->previous = memory;
	team->memory = memory;
	return memory + 1;
}

void
GpuHostFree(GpuTeam *team, void *address)
{
	GpuHostMemory *memory;

	if (address == NULL)
		return;
	memory = (GpuHostMemory *) address - 1;
	if (memory->previous != NULL)
		memory->previous->next = memory->next;
	else
		team->memory = memory->next;
	if (memory->next != NULL)
		memory->next->previous = memory->previous;
	team->host->free(team->host, memory);
}

cudaError_t
GpuNoMemory(GpuTeam *team)
{
	team->no_memory = true;
	return GPU_STOPPED;
}

cudaError_t
GpuHostTake(GpuTeam *team, size_t bytes, void **address)
{
	*address = GpuHostAlloc(team, bytes > 0 ? bytes : 1);
	return *address != NULL ? cudaSuccess : GpuNoMemory(team);
}

/* Copy to new memory, whose pages the system may have to provide first. */
static cudaError_t
CopyToNew(GpuTeam *team, char *to, const char *from, size_t bytes)
{
	for (size_t done = 0; done < bytes; done += COPIED_AT_ONCE)
	{
		memcpy(to + done, from + done, GpuLesser(bytes - done, COPIED_AT_ONCE));
		if (GpuMustStop(team))
			return GPU_STOPPED;
	}
	return cudaSuccess;
}

cudaError_t
GpuHostRoom(GpuTeam *team, void **array, uint64_t used, uint64_t needed, uint64_t *room, size_t size)
{
	uint64_t	larger = GpuGreater(GpuGreater(needed, *room * 2), LEAST_ROOM);
	void	   *grown;

	if (needed <= *room)
		return cudaSuccess;
	GPU_TRY(GpuHostTake(team, larger * size, &grown));
	GPU_TRY(CopyToNew(team, (char *) grown, (const char *) *array, used * size));
	GpuHostFree(team, *array);
	*array = grown;
	*room = larger;
	return cudaSuccess;
}

cudaError_t
GpuHostTakeArrays(GpuTeam *team, const GpuArray *arrays, int n)
{
	void	   *memory;

	GPU_TRY(GpuHostTake(team, GpuArraysBytes(arrays, n), &memory));
	GpuPlaceArrays(arrays, n, memory);
	return cudaSuccess;
}

void
GpuHostFreeAll(GpuTeam *team)
{
	while (team->memory != NULL)
	{
		GpuHostMemory *memory = team->memory;

		team->memory = memory->next;
		team->host->free(team->host, memory);
	}
}

#define MOST_THREADS	16		/* the caller is one of them */
#define SPIN_MS			0.05	/* before sleeping */
#define WORK_OPEN		(UINT32_C(1) << 31)

typedef struct Helpers
{
	uint32_t	most;			/* threads, the caller included; 0 until it is known */
	uint32_t	n;				/* helpers that have been started */
	bool		tried;			/* StartHelpers() has been called */
	pthread_t	threads[MOST_THREADS];

	/* the work at hand */
	HostPart	do_part;
	void	   *of;
	uint32_t	nparts;
	bool		open;			/* helpers have been called to the work */
	uint32_t	next_part;		/* atomic: the first part that nobody has taken */
	uint32_t	state;			/* atomic: how many helpers have joined, and WORK_OPEN */

	uint32_t	round;			/* atomic: pieces of work so far */
	bool		end;			/* atomic: helpers are to end */
	pthread_mutex_t lock;		/* for sleeping only */
	pthread_cond_t called;
	pthread_cond_t left;
} Helpers;

static Helpers helpers = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.called = PTHREAD_COND_INITIALIZER,
	.left = PTHREAD_COND_INITIALIZER
};

/* As many threads as the process has processors when a job first asks, but at most MOST_THREADS. */
uint32_t
HostThreads(void)
{
	cpu_set_t	processors;
	int			n;

	if (helpers.most > 0)
		return helpers.most;
	if (sched_getaffinity(0, sizeof(processors), &processors) == 0)
		n = CPU_COUNT(&processors);
	else
		n = (int) sysconf(_SC_NPROCESSORS_ONLN);
	helpers.most = n < 1 ? 1 : (uint32_t) GpuLesser((uint64_t) n, MOST_THREADS);
	return helpers.most;
}

/* ---- a helper's side ---- */

/* Takes a part that nobody has taken; returns false if there is none. */
static bool
TakePart(uint32_t *part)
{
	*part = __atomic_fetch_add(&helpers.next_part, 1, __ATOMIC_RELAXED);
	return *part < helpers.nparts;
}

static void
DoParts(uint32_t thread)
{
	uint32_t	part;

	while (TakePart(&part))
		helpers.do_part(helpers.of, part, thread);
}

static bool
IsCalled(uint32_t round)
{
	return __atomic_load_n(&helpers.round, __ATOMIC_ACQUIRE) != round ||
		__atomic_load_n(&helpers.end, __ATOMIC_ACQUIRE);
}

/* Returns when work of another round has come, or when helpers are to end. */
static void
AwaitCall(uint32_t round)
{
	double		until = Milliseconds() + SPIN_MS;

	while (!IsCalled(round))
	{
		if (Milliseconds() < until)
			continue;
		pthread_mutex_lock(&helpers.lock);
		while (!IsCalled(round))
			pthread_cond_wait(&helpers.called, &helpers.lock);
		pthread_mutex_unlock(&helpers.lock);
	}
}

static bool
Join(void)
{
	uint32_t	state = __atomic_load_n(&helpers.state, __ATOMIC_RELAXED);

	while (state & WORK_OPEN)
		if (__atomic_compare_exchange_n(&helpers.state, &state, state + 1, true,
										__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return true;
	return false;
}

static void
Leave(void)
{
	if (__atomic_sub_fetch(&helpers.state, 1, __ATOMIC_RELEASE) > 0)
		return;
	pthread_mutex_lock(&helpers.lock);
	pthread_cond_signal(&helpers.left);
	pthread_mutex_unlock(&helpers.lock);
}

static void *
Help(void *argument)
{
	uint32_t	thread = (uint32_t) (uintptr_t) argument;
	uint32_t	round = 0;

	for (;;)
	{
		AwaitCall(round);
		if (__atomic_load_n(&helpers.end, __ATOMIC_ACQUIRE))
			return NULL;
		round = __atomic_load_n(&helpers.round, __ATOMIC_ACQUIRE);
		if (Join())
		{
			DoParts(thread);
			Leave();
		}
	}
}

/* ---- the caller's side ---- */

/* If no thread can be started, the caller does all of the work by itself. */
static void
StartHelpers(void)
{
	uint32_t	most = HostThreads() - 1;
	sigset_t	all;
	sigset_t	before;

	helpers.tried = true;
	helpers.round = 0;
	helpers.end = false;
	/* signals must reach the caller, whose handlers know one thread only */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (helpers.n < most && pthread_create(&helpers.threads[helpers.n], NULL, Help,
											  (void *) (uintptr_t) (helpers.n + 1)) == 0)
		helpers.n++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void
WakeHelpers(void)
{
	pthread_mutex_lock(&helpers.lock);
	pthread_cond_broadcast(&helpers.called);
	pthread_mutex_unlock(&helpers.lock);
}

static void
OpenWork(void)
{
	__atomic_store_n(&helpers.state, WORK_OPEN, __ATOMIC_RELEASE);
	__atomic_fetch_add(&helpers.round, 1, __ATOMIC_RELEASE);
	WakeHelpers();
}

static bool
AreGone(void)
{
	return __atomic_load_n(&helpers.state, __ATOMIC_ACQUIRE) == 0;
}

/* Lets no helper join any more, and returns when those who did have left. */
static void
CloseWork(void)
{
	double		until = Milliseconds() + SPIN_MS;

	__atomic_fetch_and(&helpers.state, ~WORK_OPEN, __ATOMIC_ACQ_REL);
	while (!AreGone())
	{
		if (Milliseconds() < until)
			continue;
		pthread_mutex_lock(&helpers.lock);
		while (!AreGone())
			pthread_cond_wait(&helpers.left, &helpers.lock);
		pthread_mutex_unlock(&helpers.lock);
	}
}

/* Do parts of the work in the calling thread.  Returns true, with some not done, if the job is to stop. */
static bool
DoPartsUntilStopped(GpuTeam *team)
{
	uint32_t	part;

	while (TakePart(&part))
	{
		helpers.do_part(helpers.of, part, 0);
		if (GpuMustStop(team))
		{
			__atomic_store_n(&helpers.next_part, helpers.nparts, __ATOMIC_RELAXED);
			return true;
		}
	}
	return false;
}

void
HostBegin(uint32_t nparts, HostPart part, void *of)
{
	if (nparts >= 2 && !helpers.tried)
		StartHelpers();
	helpers.do_part = part;
	helpers.of = of;
	helpers.nparts = nparts;
	helpers.next_part = 0;
	helpers.open = nparts >= 2 && helpers.n > 0;
	if (helpers.open)
		OpenWork();
}

cudaError_t
HostEnd(GpuTeam *team)
{
	bool		stop = DoPartsUntilStopped(team);

	if (helpers.open)
		CloseWork();
	return stop ? GPU_STOPPED : cudaSuccess;
}

cudaError_t
HostRun(GpuTeam *team, uint32_t nparts, HostPart part, void *of)
{
	HostBegin(nparts, part, of);
	return HostEnd(team);
}

void
HostThreadsEnd(void)
{
	__atomic_store_n(&helpers.end, true, __ATOMIC_RELEASE);
	WakeHelpers();
	while (helpers.n > 0)
		pthread_join(helpers.threads[--helpers.n], NULL);
	helpers.tried = false;
	helpers.most = 0;
}

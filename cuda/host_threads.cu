/*-------------------------------------------------------------------------
 *
 * host_threads.cu
 *	  Work of the host that is divided among processors.
 *
 * Helpers are started by the first work that has more than one task, and wait for
 * more until the job ends.  Much of the work takes less than a millisecond, and
 * there is more of it soon, so they look for it for a while before they sleep.
 *
 * They join the work at hand if it is open, and the caller closes it when no task
 * is left and waits for those who have joined.  Hence a helper that wakes too late
 * misses the work, or joins the next, but never meets one that is being changed.
 *
 *-------------------------------------------------------------------------
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include "clock.h"
#include "host_threads.h"

#define MOST_THREADS	16		/* the caller is one of them */
#define SPIN_MS			0.05	/* before sleeping */
#define WORK_OPEN		(UINT32_C(1) << 31)

typedef struct Helpers
{
	uint32_t	most;			/* threads of the job, the caller included; 0: not yet known */
	uint32_t	n;				/* that have been started */
	bool		tried;			/* to start them */
	pthread_t	threads[MOST_THREADS];

	/* the work at hand */
	HostTask	task;
	void	   *of;
	uint32_t	ntasks;
	uint32_t	next_task;		/* atomic */
	uint32_t	state;			/* atomic: how many helpers have joined, and WORK_OPEN */

	uint32_t	round;			/* atomic: counts works */
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

/* As many as there are processors for this process, when the job first asks. */
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

static void
DoTasks(uint32_t thread)
{
	uint32_t	task;

	while ((task = __atomic_fetch_add(&helpers.next_task, 1, __ATOMIC_RELAXED)) < helpers.ntasks)
		helpers.task(helpers.of, task, thread);
}

static bool
IsCalled(uint32_t round)
{
	return __atomic_load_n(&helpers.round, __ATOMIC_ACQUIRE) != round ||
		__atomic_load_n(&helpers.end, __ATOMIC_ACQUIRE);
}

/* Returns when there is other work than that of the round, or the end has come. */
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
			DoTasks(thread);
			Leave();
		}
	}
}

/* ---- the caller's side ---- */

/* Where threads cannot be had, the caller does all by itself. */
static void
StartHelpers(void)
{
	uint32_t	most = HostThreads() - 1;
	sigset_t	all;
	sigset_t	before;

	helpers.tried = true;
	helpers.round = 0;
	helpers.end = false;
	/* signals are for the caller's handlers, which know one thread */
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

/* No helper joins any more; returns when those who did have left. */
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

/* The caller's part of the tasks; true: the job is to stop, and some are not done. */
static bool
DoTasksUntilStopped(GpuJob *job)
{
	uint32_t	task;

	while ((task = __atomic_fetch_add(&helpers.next_task, 1, __ATOMIC_RELAXED)) < helpers.ntasks)
	{
		helpers.task(helpers.of, task, 0);
		if (GpuMustStop(job))
		{
			__atomic_store_n(&helpers.next_task, helpers.ntasks, __ATOMIC_RELAXED);
			return true;
		}
	}
	return false;
}

void
HostRun(GpuJob *job, uint32_t ntasks, HostTask task, void *of)
{
	bool		alone = ntasks < 2;
	bool		stop;

	if (!alone && !helpers.tried)
		StartHelpers();
	helpers.task = task;
	helpers.of = of;
	helpers.ntasks = ntasks;
	helpers.next_task = 0;
	alone |= helpers.n == 0;
	if (!alone)
		OpenWork();
	stop = DoTasksUntilStopped(job);
	if (!alone)
		CloseWork();
	if (stop)
		GpuLeave(FIM_STOPPED);
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

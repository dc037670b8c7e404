/*-------------------------------------------------------------------------
 *
 * measure.h
 *	  What programs that time an engine have in common: clocks, a host, and workers.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "engine/family.h"

/* In seconds. */
typedef struct Times
{
	double		processor;		/* of the whole process */
	double		wall;
} Times;

static inline Times
Now(void)
{
	struct timespec processor;
	struct timespec wall;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &processor);
	clock_gettime(CLOCK_MONOTONIC, &wall);
	return (Times) {processor.tv_sec + processor.tv_nsec / 1e9, wall.tv_sec + wall.tv_nsec / 1e9};
}

static inline Times
Since(Times start)
{
	Times		now = Now();

	return (Times) {now.processor - start.processor, now.wall - start.wall};
}

static inline void *
HostAlloc(FimHost *host, size_t bytes)
{
	return malloc(bytes);
}

static inline void
HostFree(FimHost *host, void *block)
{
	free(block);
}

/* Polls are timed by the processor's clock; by that on the wall where GPUs mine, which take no processor time. */
static clockid_t poll_clock = CLOCK_THREAD_CPUTIME_ID;

/* When this thread polled last, and the longest time between two polls so far. */
static __thread double last_poll;
static __thread double longest_gap;

static inline double
ThreadSeconds(void)
{
	struct timespec now;

	clock_gettime(poll_clock, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

static inline void
BeginPolls(void)
{
	last_poll = ThreadSeconds();
	longest_gap = 0;
}

static inline bool
HostPoll(FimHost *host)
{
	double		now = ThreadSeconds();

	if (longest_gap < now - last_poll)
		longest_gap = now - last_poll;
	last_poll = now;
	return false;
}

static FimHost bench_host = {HostAlloc, HostFree, HostPoll, NULL};

static inline bool
Forget(FimSink *sink, const uint32_t *words, size_t nwords, size_t nresults)
{
	return true;
}

typedef FimResult (*MineFunction) (const FimTask *task, FimHost *host, FimSink *sink);

typedef struct BenchWorker
{
	pthread_t	thread;
	FimTask		task;
	MineFunction mine;
	FimSink    *sink;
	FimResult	result;
	double		seconds;
	double		longest_gap;
} BenchWorker;

static inline void *
WorkerMain(void *arg)
{
	BenchWorker *worker = arg;
	double		begin;

	BeginPolls();
	begin = last_poll;
	worker->result = worker->mine(&worker->task, &bench_host, worker->sink);
	/* others may be waiting for a part of the data */
	if (worker->result != FIM_DONE)
		__atomic_store_n(&worker->task.shared->cancel, 1, __ATOMIC_RELAXED);
	HostPoll(&bench_host);
	worker->seconds = last_poll - begin;
	worker->longest_gap = longest_gap;
	return NULL;
}

/* How a task has been done. */
typedef struct Mined
{
	FimResult	result;			/* FIM_DONE, or that of a worker that failed */
	uint64_t	results;
	double		seconds;		/* of all workers */
	double		longest_gap;	/* between two polls, which is how long a task may go on when it is canceled */
} Mined;

/* Have workers do a task, of which this process is one, and add their summaries to the task's. */
static inline Mined
MineTask(FimTask task, MineFunction mine, FimSink *sink, uint32_t nworkers)
{
	BenchWorker *worker = calloc(nworkers, sizeof(BenchWorker));
	Mined		mined = {FIM_DONE};

	task.shared = calloc(1, FimSharedSize(&task));
	FimSharedInit(&task);
	for (uint32_t w = 0; w < nworkers; w++)
	{
		worker[w] = (BenchWorker) {.task = task, .mine = mine, .sink = sink};
		worker[w].task.summary = calloc(1, FimSummarySize(&task));
		if (w > 0 && pthread_create(&worker[w].thread, NULL, WorkerMain, &worker[w]) != 0)
		{
			perror("cannot create a thread");
			exit(1);
		}
	}
	WorkerMain(&worker[0]);
	for (uint32_t w = 0; w < nworkers; w++)
	{
		if (w > 0)
			pthread_join(worker[w].thread, NULL);
		if (worker[w].result != FIM_DONE)
			mined.result = worker[w].result;
		if (task.summary != NULL)
			task.family->summary_add(&task, task.summary, worker[w].task.summary);
		free(worker[w].task.summary);
		mined.seconds += worker[w].seconds;
		if (mined.longest_gap < worker[w].longest_gap)
			mined.longest_gap = worker[w].longest_gap;
	}
	mined.results = task.shared->results;
	free(task.shared);
	free(worker);
	return mined;
}

#endif							/* BENCH_MEASURE_H */

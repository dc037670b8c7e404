/*-------------------------------------------------------------------------
 *
 * job_state.h
 *	  The state of a job in the backend that has it done.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_JOB_STATE_H
#define GPUFIM_JOB_STATE_H

#include "postgres.h"

#include "compat.h"
#include "portability/instr_time.h"
#include "work/job_segment.h"

struct InboxWorker;

typedef struct Job
{
	/*
	 * The task, and where its results go.  own_job is the task's job, which lies in
	 * this process's memory; workers see a copy in the segment.
	 */
	FimTask		task;
	FimJob	   *own_job;
	FimSink    *sink;
	MemoryContext context;

	/* Memory of all processes together: own_memory, or the header's. */
	JobMemory  *memory;
	JobMemory	own_memory;
	JobHost		data_host;		/* JobOpenHost() */

	/* The engines. */
	bool		on_gpu;			/* a GPU does the task, or will */
	bool		may_change;		/* a GPU may take over what the CPU has begun */
	bool		changes;		/* a GPU takes over now */
	int			gpu_starts;		/* of GPU workers, to be asked whether one can take over */
	bool		crowded;		/* there is no memory for all processes, see JobIsVoid() */
	bool		continued;		/* this is the second task, see JobContinue() */
	int			turns;			/* how often another engine has taken over */
	double		queue_patience; /* in ms, see QueuePatience() */
	double		least_patience; /* in ms, see CpuPatience() */
	int			max_workers;	/* the number of background workers that may help */

	/* The data. */
	dsm_segment *data_segment;	/* NULL if they lie in this process's memory */
	bool		has_cpu_room;	/* they have room for what the CPU engine adds */
	bool		prepared;		/* JobDataPrepare() has been called */

	/* The segment, NULL if the shared state lies in this process's memory. */
	dsm_segment *segment;
	JobHeader  *header;			/* at its start */

	/* While this process mines. */
	double		cpu_patience;	/* in ms, after which a GPU may take over */
	instr_time	started;
	instr_time	last_turn;		/* when the workers were looked after last */
	bool		called;			/* all workers that can come have been called */
	bool		finished;		/* this process has found no unit left */

	/* Workers, and the segment of their queues. */
	dsm_segment *queues;
	int			nqueues;		/* workers that there is memory for */
	int			nworkers;		/* workers that have been started */
	struct InboxWorker *workers;
} Job;

/*
 * Is what the CPU has done so far void?  It is if a GPU takes over, or if there was too little
 * memory for this process and its workers, so that it starts over without them.
 */
static inline bool
JobIsVoid(const Job *job)
{
	return job->changes || job->crowded;
}

/* There is no memory for all processes: have them stop. */
extern void JobMarkCrowded(Job *job);

/*
 * The same, for a sink, which leaves by an error of this SQLSTATE.  cpu_job.c catches it, and
 * knows it by that from other errors for lack of memory.
 */
#define ERRCODE_JOB_CROWDED	MAKE_SQLSTATE('G', 'F', '0', '0', '1')

pg_noreturn extern void JobRaiseCrowded(Job *job);

/* Update the figures of the call from the task's shared state. */
extern void JobShowProgress(const Job *job);

/*
 * Let the figures name the strategies that the engine at work has used, given as in FimShared; if
 * there are none, the figures stay as they are.
 */
extern void JobShowStrategies(const Job *job, uint32 used);

#endif							/* GPUFIM_JOB_STATE_H */

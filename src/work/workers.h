/*-------------------------------------------------------------------------
 *
 * workers.h
 *	  What the processes that do a job share: segments, the state of the job in its backend, the
 *	  queues of its workers, and the two ways of doing it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_WORK_WORKERS_H
#define GPUFIM_WORK_WORKERS_H

#include "postgres.h"

#include "compat.h"
#include "engine/gpu.h"
#include "portability/instr_time.h"
#include "postmaster/bgworker.h"
#include "storage/dsm.h"
#include "storage/shm_mq.h"
#include "work/work.h"

/*
 * workers.c: Background workers of calls: registering them, and the segments that they share with
 * the call's backend.
 */

/*
 * What the processes of a job share.  There are up to three dynamic shared memory segments, so that calls that need
 * no workers pay for no queues:
 *
 *		the data of the task
 *		the job: a JobHeader, the task's FimSpec and its shared state
 *		the queues, one for each worker, once workers have been called
 */

typedef struct JobHeader
{
	uint32		magic;			/* identifies such a segment */
	int			family;			/* FimFamilyNumber() of the task's family */
	char		function[NAMEDATALEN]; /* SQL name, to show what a worker does */
	int			leader_pid;
	int			memory_limit;	/* the leader's gpufim.memory_limit ... */
	int			max_memory_limit; /* ... and gpufim.max_memory_limit */
	dsm_handle	data;
	dsm_handle	queues;			/* DSM_HANDLE_INVALID as long as there are none */
	JobMemory	memory;
	FimGpuOptions gpu;			/* for the GPU worker */
} JobHeader;

/*
 * A segment for a job or its data, which is the current resource owner's, or NULL if the system has no room for it.
 * JobSegmentLetGo() gives it back; "shared" tells whether another process may have learned of it.
 */
extern dsm_segment *JobSegmentCreate(Size size);
extern void JobSegmentLetGo(dsm_segment *segment, bool shared);

/* The segment's size, once the task's family, job and data are known. */
extern Size JobSegmentSize(const FimTask *task);

/*
 * Fill a segment of that size with the job's copy and a header, of which magic, family,
 * function and leader_pid are set here.  The caller sets the other fields, and initializes
 * the task's shared state, which is in the segment from now on.
 */
extern JobHeader *JobSegmentFill(void *segment, FimTask *task);

/* Replace the task's job in the segment by one of the same size. */
extern void JobSegmentSetSpec(JobHeader *header, const FimSpec *spec);

/*
 * A job as a worker sees it.  JobAttach() returns false if the job has been finished or
 * given up.  If the task has a summary, the worker gets one of its own, filled with
 * zeros.
 */
typedef struct AttachedJob
{
	dsm_segment *segment;
	dsm_segment *data;
	dsm_segment *queues;
	JobHeader  *header;
	FimTask		task;
} AttachedJob;

extern bool JobAttach(dsm_handle segment, AttachedJob *job);

/*
 * Register a worker of a call.  Returns its handle, or NULL if no slot is free.  The handle
 * is valid until WorkersAreEnding() is called after the call's queues have been detached.
 */
extern BackgroundWorkerHandle *RegisterCallWorker(BackgroundWorker *registration,
												  dsm_segment *queues);

/*
 * Do workers of earlier calls still hold slots?  If so, a slot may come free soon, and this
 * process's latch is set then.  Ask before trying to register: a slot that comes free
 * between the two would be missed otherwise.
 */
extern bool WorkersAreEnding(void);

/*
 * job_state.c: The state of a job in the backend that has it done, and its data.
 */

struct InboxWorker;

/* How far an engine has come with a job. */
typedef enum JobStage
{
	JOB_DONE,
	JOB_PAUSED,
	JOB_STARTS_OVER				/* with another engine, or without workers */
} JobStage;

typedef struct Job
{
	/*
	 * The task, and where its results go.  spec is the task's, which lies in
	 * this process's memory; workers see a copy in the segment.
	 */
	FimTask		task;
	FimSpec	   *spec;
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
	bool		asked_gpu;		/* whether one can take over */
	int			gpu_starts;		/* of GPU workers, to be asked whether one can take over */
	bool		crowded;		/* there is no memory for all processes, see JobIsVoid() */
	bool		continued;		/* this is the second task, see JobContinue() */
	int			turns;			/* how often another engine has taken over */
	double		queue_patience; /* in ms, see QueuePatience() */
	double		least_patience; /* in ms, see CpuPatience() */
	int			max_workers;	/* the number of background workers that may help */

	/* The data. */
	dsm_segment *data_segment;	/* NULL if they lie in this process's memory */
	bool		data_shared;	/* other processes may know of it */
	bool		has_cpu_room;	/* they have room for what the CPU engine adds */
	bool		prepared;		/* JobDataPrepare() has been called */

	/* The segment, NULL if the shared state lies in this process's memory. */
	dsm_segment *segment;
	bool		shared;			/* other processes may know of it, see JobShare() */
	JobHeader  *header;			/* at its start */

	/* Pausing, see JobGoOn(). */
	bool		pauses;			/* the job may pause */
	bool		wants_few;		/* see EngineCost */
	bool		has_paused;		/* results have been looked at, so that nothing can start over */
	bool		hands_over;		/* this process leaves all of the job to workers now ... */
	bool		stays_out;		/* ... or has done so */
	instr_time	help_came;		/* when a worker began to mine */
	double		stint_ms;		/* how long this process mines before it pauses */
	instr_time	stint_started;

	/* While this process mines. */
	bool		begun;			/* the CPU has begun */
	double		cpu_patience;	/* in ms, after which a GPU may take over */
	instr_time	started;
	instr_time	last_turn;		/* when the workers were looked after last */
	bool		called;			/* all workers that can come have been called */
	bool		finished;		/* this process has found no unit left */

	/* Workers, and the segment of their queues. */
	dsm_segment *queues;
	int			nqueues;		/* workers that there is memory for */
	int			nworkers;		/* workers that have been started */
	int64		earlier_workers;	/* most that helped in earlier tasks of the call */
	struct InboxWorker *workers;
} Job;

/*
 * Is what the CPU has done so far void?  It is if a GPU takes over, if workers do, or if there was
 * too little memory for this process and its workers, so that it starts over without them.
 */
static inline bool
JobIsVoid(const Job *job)
{
	return job->changes || job->hands_over || job->crowded;
}

/*
 * To be called before another process may learn of the job's segments.  However the call ends from now on, others that do the
 * job are told to stop.
 */
extern void JobShare(Job *job);

/* There is no memory for all processes: have them stop.  An error if the job cannot start over. */
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

/*
 * Memory for the data: a segment if other processes may have to see them and the
 * system has room for one, otherwise this process's own.
 */
extern FimData *JobDataAllocate(Job *job, Size size);

/* Free the data, and allocate others of this size. */
extern FimData *JobDataReplace(Job *job, Size size, const char *what);

/* Is there memory to complete data for the CPU engine that were made for a GPU? */
extern bool JobDataFitCpu(const Job *job);

/* Do what one process does to complete the data for the CPU engine, moving them to where there is room. */
extern void JobDataPrepare(Job *job);

/*
 * queue.c: What workers send to the backend that called them, at both ends.
 *
 * Each worker has a queue (shm_mq) in the job's segment of queues.  A message
 * begins with a byte that says what it is: one of those below, or the protocol's
 * 'E' and 'N' for errors and notices.
 */

/* In bytes: enough for a worker to go on while the backend is busy with other workers. */
#define JOB_QUEUE_SIZE		((Size) 512 * 1024)

/* Types of messages. */
#define JOB_MSG_BATCH		'b' /* results; the batch's words follow */
#define JOB_MSG_SUMMARY		's' /* the worker's summary follows */
#define JOB_MSG_DONE		'X' /* no unit is left: the worker is finished */
#define JOB_MSG_CROWDED		'm' /* there is no memory for this worker beside the other
								 * processes; no more messages follow */
#define JOB_MSG_REPORT		'r' /* from the GPU worker; a FimGpuReport follows */
#define JOB_MSG_FAULT		'f' /* from the GPU worker; a FimGpuFault follows, and no
								 * more messages */

/*
 * Make this process the sender of the queue of this index.  From here on, errors
 * and notices go to it, too.
 */
extern shm_mq_handle *QueueAttach(dsm_segment *queues, int index);

/*
 * Send a message.  Returns false if nobody takes it any more, or if this process is
 * terminated.
 */
extern bool QueueSend(shm_mq_handle *queue, char type, uint32 nresults,
					  const void *data, Size size, bool flush);

/* Send the task's summary, if it has one. */
extern void QueueSendSummary(shm_mq_handle *queue, const FimTask *task);

/* Send the last message: that this worker is finished, or has no memory. */
extern void QueueSendDone(shm_mq_handle *queue);
extern void QueueSendCrowded(shm_mq_handle *queue);

/* A sink that sends batches. */
typedef struct QueueSink
{
	FimSink		sink;			/* must be first */
	shm_mq_handle *queue;
	bool		interruptible;
} QueueSink;

/* If the sink is interruptible, an interrupt may raise an error in its write(). */
extern void QueueSinkInit(QueueSink *sink, shm_mq_handle *queue, bool interruptible);

/* Show in pg_stat_activity which call this worker works for. */
extern void QueueReportActivity(const JobHeader *header);

/* What has become of a job given to the GPU worker, as far as its messages say. */
typedef struct GpuOutcome
{
	bool		faulted;
	ErrorData  *refusal;		/* its error, if it had no host memory for the job */
	FimGpuFault fault;			/* valid if faulted */
	FimGpuReport report;		/* valid when the worker is done */
} GpuOutcome;

/* A worker, as the backend sees it. */
typedef struct InboxWorker
{
	BackgroundWorkerHandle *handle; /* NULL for the GPU worker */
	shm_mq	   *queue;
	shm_mq_handle *reader;
	bool		done;			/* the worker has said that it is finished */
	bool		terminated;		/* it has said that an administrator terminated it */
	bool		gone;			/* nothing more comes from it, or it never came */
	GpuOutcome *gpu;			/* NULL unless this is the GPU worker */
} InboxWorker;

/*
 * Create job->queues, which this process reads, and job->workers[] for them.  Returns false if the
 * system has no room for the segment.
 */
extern bool InboxCreate(Job *job, int nqueues);
extern void InboxDetach(Job *job);

/*
 * Take what a worker has sent, but only a limited number of messages at a time.  Results
 * go to the job's sink, and errors are raised here.  Returns false if there was nothing.
 */
extern bool InboxTake(Job *job, InboxWorker *worker);

/*
 * The same for all workers of the job.  "left" becomes the number of those that may
 * still send something.
 */
extern bool InboxTakeAll(Job *job, int *left);

/*
 * cpu_job.c: Doing a job on the CPU: in this backend, and in workers that it calls.
 */

/* How many background workers a job may call, if this process mines, too, or if it does not. */
extern int	CpuWorkersAllowed(bool mines);

/*
 * Do the job, or go on with it after a pause.  It has to start over if what has been done is void.
 */
extern JobStage MineOnCpu(Job *job);

/* A worker's share of a job; the argument is the handle of the job's segment. */
extern PGDLLEXPORT void GpufimWorkerMain(Datum main_arg);

/*
 * gpu_job.c: Doing a job on GPUs: the backend's side.
 */

/*
 * Have the GPU worker do the job.  It has to start over on the CPU if the GPUs have failed, which
 * is a warning with engine "auto" and an error otherwise, or if another session's job keeps them
 * for too long.  There is no pause: GPUs must not wait until somebody looks at results.
 */
extern JobStage MineOnGpu(Job *job);

#endif							/* GPUFIM_WORK_WORKERS_H */

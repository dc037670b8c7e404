/*-------------------------------------------------------------------------
 *
 * job.h
 *	  What the backend that runs a job (job.c, gpu_job.c) and the workers that
 *	  mine it (cpu_worker.c, gpu_worker.c) share.
 *
 * Three dynamic shared memory segments, so that calls that need no workers pay
 * for no queues:
 *
 *		the engine's database: the encoded transactions
 *		the job: JobHeader, then the engine's shared state
 *		the queues, one per worker; there once workers are called, or the GPU's
 *
 * A queue carries messages that begin with a type byte: those below, and the
 * protocol's 'E' and 'N' for errors and notices.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_JOB_H
#define GPUFIM_JOB_H

#include "engine/gpu.h"
#include "gpufim.h"
#include "port/atomics.h"
#include "postmaster/bgworker.h"
#include "storage/dsm.h"
#include "storage/shm_mq.h"

#define GPUFIM_JOB_MAGIC	0x6770f1b5

/* Big enough for a worker to run on while the backend is busy with others. */
#define JOB_QUEUE_SIZE		((Size) 512 * 1024)

/* Types of messages. */
#define JOB_MSG_BATCH		'b' /* then the batch's words */
#define JOB_MSG_TALLY		't' /* then the FimCounts of a FimTally */
#define JOB_MSG_DONE		'X' /* no class is left: the worker is finished */
#define JOB_MSG_REPORT		'r' /* GPU worker: then its FimGpuReport */
#define JOB_MSG_FAULT		'f' /* GPU worker: then a FimGpuFault, and no more */

/* What a message of ours begins with; queues keep messages aligned. */
typedef struct JobMessage
{
	char		type;
	char		padding[3];
	uint32		nitemsets;		/* of a batch */
} JobMessage;

/* Memory that the processes of a job hold together, in bytes. */
typedef struct JobMemory
{
	pg_atomic_uint64 used;
	pg_atomic_uint64 peak;
} JobMemory;

typedef struct JobHeader
{
	uint32		magic;
	FimJob		job;
	char		function[NAMEDATALEN];
	int			leader_pid;
	int			memory_limit;	/* the leader's gpufim.memory_limit */
	dsm_handle	database;
	dsm_handle	queues;
	JobMemory	memory;
	FimGpuOptions gpu;			/* for the GPU worker */
} JobHeader;

#define JobShared(header) \
	((FimShared *) ((char *) (header) + MAXALIGN(sizeof(JobHeader))))

/*
 * What has become of a job given to the GPU worker, as far as its messages say.
 */
typedef struct GpuOutcome
{
	bool		faulted;
	bool		terminated;		/* the worker was, by an administrator */
	ErrorData  *refusal;		/* it had no host memory for the job */
	FimGpuFault fault;
	FimGpuReport report;		/* valid when the worker is done */
} GpuOutcome;

/* A worker, as the backend sees it. */
typedef struct Worker
{
	BackgroundWorkerHandle *handle; /* NULL for the GPU worker */
	shm_mq	   *queue;
	shm_mq_handle *reader;
	bool		done;			/* it said so */
	bool		gone;			/* it does not, or no longer, take part */
	GpuOutcome *gpu;			/* NULL for others */
} Worker;

/* The backend's side of a job. */
typedef struct Job
{
	FimJob		job;
	FimDatabase *db;
	FimShared  *shared;
	JobMemory  *memory;
	FimSink    *sink;
	FimTally   *tally;			/* NULL unless counting only */
	MemoryContext context;		/* the call's */

	bool		gpu;			/* the GPU worker shall mine it */
	bool		may_change;		/* to the GPU, if the CPU takes long */
	bool		changes;		/* and does so now */
	int			turns;			/* how often it has changed */
	double		queue_patience; /* ms, see QueuePatience() */
	int			max_workers;	/* how many to call */
	dsm_segment *database;		/* NULL if db is this process's own memory */
	bool		indexable;		/* db has room for the index */
	bool		indexed;		/* and has it */
	dsm_segment *segment;		/* NULL if shared is this process's own memory */
	JobHeader  *header;			/* at the start of segment */
	JobMemory	own_memory;

	double		patience;		/* ms after which the CPU has had its time */
	instr_time	started;
	instr_time	last_turn;
	bool		called;			/* workers have been called */
	bool		finished;		/* this process finds no more to mine */
	dsm_segment *queues;
	int			nworkers;
	Worker	   *workers;
} Job;

extern dsm_segment *JobCreateSegment(Size size);
extern dsm_segment *JobCreateQueues(Job *job, int nqueues);
extern void JobDetachQueues(Job *job, dsm_segment *queues);
extern bool JobDrain(Job *job, Worker *worker);
extern bool JobHasRoomForIndex(const Job *job);
extern void JobShowProgress(const Job *job);

/*
 * The GPUs (gpu_job.c).  MineOnGpu() gives false if the CPU is to do it: they have
 * failed, or another's job keeps them for too long.
 */
typedef enum GpuReadiness
{
	GPU_NEVER,					/* none can be used */
	GPU_LATER,					/* others use them, or nobody knows yet */
	GPU_NOW						/* they are kept for this process's job */
} GpuReadiness;

extern char *GpuUnusable(void); /* why none can be used, NULL: one can */
extern GpuReadiness GpuForChange(void);
extern double GpuBusy(void);	/* ms that the job under way has taken */
extern double GpuDelay(void);	/* ms until one that is free begins */
extern bool MineOnGpu(Job *job);

/*
 * What the engine runs on in a process of ours: memory of one context that
 * counts towards gpufim.memory_limit, and interrupts.
 */
typedef struct JobHost
{
	FimHost		host;			/* must be first */
	MemoryContext context;
	JobMemory  *memory;
} JobHost;

extern void JobHostInit(JobHost *host, JobMemory *memory);
extern void JobHostFree(JobHost *host);
extern void JobOutOfMemory(void);
extern FimTally *JobTally(const FimJob *job, const FimDatabase *db);

/* A worker's side of its queue (cpu_worker.c). */
typedef struct QueueSink
{
	FimSink		sink;			/* must be first */
	shm_mq_handle *queue;
} QueueSink;

extern shm_mq_handle *QueueAttach(dsm_segment *queues, int index);
extern bool QueueSend(shm_mq_handle *queue, char type, uint32 nitemsets,
					  const void *data, Size size, bool flush);
extern void QueueReportActivity(const JobHeader *header);

extern PGDLLEXPORT void GpufimWorkerMain(Datum main_arg);

#endif							/* GPUFIM_JOB_H */

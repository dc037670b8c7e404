/*-------------------------------------------------------------------------
 *
 * job.h
 *	  What the backend that runs a job (job.c) and the workers that mine it
 *	  (worker.c) share.
 *
 * Three dynamic shared memory segments, so that calls that need no workers pay
 * for no queues:
 *
 *		the engine's database: the encoded transactions
 *		the job: JobHeader, then the engine's shared state
 *		the queues, one per worker; there once workers are called
 *
 * A queue carries messages that begin with a type byte: those below, and the
 * protocol's 'E' and 'N' for errors and notices.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_JOB_H
#define GPUFIM_JOB_H

#include "gpufim.h"
#include "port/atomics.h"
#include "storage/dsm.h"

#define GPUFIM_JOB_MAGIC	0x6770f1b5

/* Big enough for a worker to run on while the backend is busy with others. */
#define JOB_QUEUE_SIZE		((Size) 512 * 1024)

/* Types of messages. */
#define JOB_MSG_BATCH		'b' /* then the batch's words */
#define JOB_MSG_TALLY		't' /* then the FimCounts of a FimTally */
#define JOB_MSG_DONE		'X' /* no class is left: the worker is finished */

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
} JobHeader;

#define JobShared(header) \
	((FimShared *) ((char *) (header) + MAXALIGN(sizeof(JobHeader))))

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

extern PGDLLEXPORT void GpufimWorkerMain(Datum main_arg);

#endif							/* GPUFIM_JOB_H */

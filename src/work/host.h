/*-------------------------------------------------------------------------
 *
 * host.h
 *	  The host of an engine that runs in one of the server's processes.
 *
 * Memory is that of a context, and counts towards gpufim.memory_limit together
 * with what the other processes of the same job hold.  Interrupts are looked at
 * whenever the engine polls.
 *
 * Included by the parts of src/work that run an engine or count memory, and by
 * functions that compute something of an engine without a job.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_HOST_H
#define GPUFIM_HOST_H

#include "postgres.h"

#include "compat.h"
#include "engine/engine.h"
#include "port/atomics.h"

/* Memory that the processes of a job hold together, in bytes. */
typedef struct JobMemory
{
	pg_atomic_uint64 used;
	pg_atomic_uint64 peak;
	uint64		held;			/* of that, what the call holds beside what engines take */
	uint64		foreseen;		/* what it is expected to need in all */
} JobMemory;

typedef struct JobHost
{
	FimHost		host;			/* must be first */
	MemoryContext context;
	JobMemory  *memory;
	bool		has_company;	/* other processes mine, too */
	bool		crowded;		/* they were in the way, see JobHostInit() */
} JobHost;

/* Count more memory, or less if "more" is negative: an engine's or workers', and the call's. */
extern void JobMemoryHold(JobMemory *memory, int64 more);
extern void JobMemoryHoldForCall(JobMemory *memory, int64 more);

/*
 * Once no engine or worker is left, count what the call holds and nothing else: whoever
 * ended by an error or was terminated has given back nothing.
 */
extern void JobMemoryForgetEngines(JobMemory *memory);

/*
 * JobHostInit() makes a memory context in the current one.  JobHostFree() deletes
 * it, with what the engine has not freed.  The functions of the host may raise
 * errors: alloc if gpufim.memory_limit allows no more, poll if the process is
 * interrupted or little of its stack is left.
 *
 * In a process that has company, alloc returns NULL and sets "crowded" instead where there
 * would be memory enough if this process were alone.
 */
extern void JobHostInit(JobHost *host, JobMemory *memory);
extern void JobHostFree(JobHost *host);

/* What alloc does when the limit allows it, for who has looked at that: raises no error. */
extern void *JobHostTake(JobHost *host, size_t bytes);

/* For hosts with a poll of their own: raises an error if little of the stack is left. */
extern void JobHostCheckStack(const FimHost *host);

/* Raises the error that the system has no more memory. */
pg_noreturn extern void JobOutOfMemory(void);

#endif							/* GPUFIM_HOST_H */

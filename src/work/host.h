/*-------------------------------------------------------------------------
 *
 * host.h
 *	  The host of an engine that runs in one of the server's processes.
 *
 * The host allocates memory in a context of its own, and counts it towards
 * gpufim.memory_limit together with what the other processes of the same job hold.
 * Interrupts are processed whenever the engine polls.
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
	uint64		held;			/* the part of "used" that neither engines nor workers hold */
} JobMemory;

typedef struct JobHost
{
	FimHost		host;			/* must be first */
	MemoryContext context;
	JobMemory  *memory;
	bool		has_company;	/* other processes mine, too */
	bool		crowded;		/* an allocation failed because of them, see JobHostInit() */
} JobHost;

/*
 * Count more memory, or less if "more" is negative.  JobMemoryHold() is for what engines and
 * workers hold, JobMemoryHoldForCall() for what the call itself holds.
 */
extern void JobMemoryHold(JobMemory *memory, int64 more);
extern void JobMemoryHoldForCall(JobMemory *memory, int64 more);

/*
 * Once no engine or worker is left, count only what the call itself holds: a process that
 * ended by an error or was terminated has not subtracted what it held.
 */
extern void JobMemoryForgetEngines(JobMemory *memory);

/*
 * JobHostInit() makes a memory context in the current one.  JobHostFree() deletes
 * it, with what the engine has not freed.  The functions of the host may raise
 * errors: alloc if gpufim.memory_limit allows no more, poll if the process is
 * interrupted or little of its stack is left.  If the system has no more memory, alloc
 * returns NULL.
 *
 * In a process that has company, alloc also returns NULL, in place of an error, if the
 * limit would allow the allocation to this process alone.  Whenever it returns NULL to
 * such a process, it sets "crowded".
 */
extern void JobHostInit(JobHost *host, JobMemory *memory);
extern void JobHostFree(JobHost *host);

/*
 * Allocate and count memory, for callers that have checked the limit themselves.  Returns
 * NULL if the system has no more memory, and raises no error.
 */
extern void *JobHostTake(JobHost *host, size_t bytes);

/* For hosts with a poll of their own: raises an error if little of the stack is left. */
extern void JobHostCheckStack(const FimHost *host);

/* Raises the error that the system has no more memory. */
pg_noreturn extern void JobOutOfMemory(void);

#endif							/* GPUFIM_HOST_H */

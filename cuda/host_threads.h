/*-------------------------------------------------------------------------
 *
 * host_threads.h
 *	  Threads of the host that share the host's part of a job.
 *
 * A job has one thread, which alone may use the team, its host and the devices.  It
 * can call other threads to help with what is only computing.  Such work is divided
 * into parts: a function is called once with each number from 0 to n - 1, by whoever
 * is free and in any order.  It must not leave by longjmp, take memory or take long.
 *
 * Included by families and copies.c, which share work out, and by contexts.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_HOST_THREADS_H
#define FIM_HOST_THREADS_H

#include "team_state.h"

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * Does one part of the work "of".  Threads are numbered from 0 to HostThreads() - 1,
 * so that each can have memory of its own.
 */
typedef void (*HostPart) (void *of, uint32_t part, uint32_t thread);

/* How many threads there are at most.  The number is the same until they end. */
extern uint32_t HostThreads(void);

/*
 * Does all parts of a piece of work, and returns when no thread is at it any more.
 * Returns GPU_STOPPED, with some parts not done, if the job is to stop.
 */
extern cudaError_t HostRun(GpuTeam *team, uint32_t nparts, HostPart part, void *of);

/*
 * The same in two steps, for a caller that has other things to do while helpers work.  It takes its own share in
 * HostEnd(), which has to be called, whatever fails in between, before any other work begins.
 */
extern void HostBegin(uint32_t nparts, HostPart part, void *of);
extern cudaError_t HostEnd(GpuTeam *team);

/* Ends the threads that helped, when the contexts are given up. */
extern void HostThreadsEnd(void);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_HOST_THREADS_H */

/*-------------------------------------------------------------------------
 *
 * host_threads.h
 *	  Threads of the host that share the host's part of a job.
 *
 * A job has one thread, which alone may use the team, its host and the devices.  It can call
 * other threads to help with work that is nothing but computing.  Such work is divided into
 * parts: a function is called once with each number from 0 to n - 1, by whichever thread is
 * free and in any order.  The function must not leave by longjmp, take memory or take long.
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

/* The most threads that work at a time, the caller included.  Stays the same until HostThreadsEnd(). */
extern uint32_t HostThreads(void);

/*
 * Does all parts of a piece of work, and returns when no thread works on it any more.  Returns
 * GPU_STOPPED, with some parts not done, if the job is to stop.
 */
extern cudaError_t HostRun(GpuTeam *team, uint32_t nparts, HostPart part, void *of);

/*
 * HostRun() in two steps, for a caller that has other things to do while helpers work.  The
 * caller does its own share in HostEnd().  HostEnd() must be called before any other work
 * begins, whatever fails in between.
 */
extern void HostBegin(uint32_t nparts, HostPart part, void *of);
extern cudaError_t HostEnd(GpuTeam *team);

/* Ends the helpers.  Called when the contexts are given up. */
extern void HostThreadsEnd(void);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_HOST_THREADS_H */

/*-------------------------------------------------------------------------
 *
 * host_threads.h
 *	  Work of the host that is divided among processors.
 *
 * A job has one thread, which alone may use the job, its host and the devices.
 * For what is only computing it can call others to help: a task is a function of
 * a number, and tasks 0 to n-1 are done by whoever is free, in any order.  A task
 * leaves nothing by longjmp, takes no memory and does not take long.  When
 * HostRun() returns, or leaves because the job is to stop, none is running.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_HOST_THREADS_H
#define FIM_HOST_THREADS_H

#include "device.h"

/* Does one of the tasks; threads are numbered from 0, so that each can have its own. */
typedef void (*HostTask) (void *of, uint32_t task, uint32_t thread);

/* How many threads there are at most; the same until the job ends. */
extern uint32_t HostThreads(void);

extern void HostRun(GpuJob *job, uint32_t ntasks, HostTask task, void *of);

/* The end of the job: the threads that helped end. */
extern void HostThreadsEnd(void);

#endif							/* FIM_HOST_THREADS_H */

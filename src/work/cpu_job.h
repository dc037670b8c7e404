/*-------------------------------------------------------------------------
 *
 * cpu_job.h
 *	  Doing a job on the CPU: in this backend, and in workers that it calls.
 *
 * Included by job.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_CPU_JOB_H
#define GPUFIM_CPU_JOB_H

#include "work/job_state.h"

/* How many background workers a job may call. */
extern int	CpuWorkersAllowed(void);

/* Do the job.  Returns false if it is not done, because a GPU takes over. */
extern bool MineOnCpu(Job *job);

#endif							/* GPUFIM_CPU_JOB_H */

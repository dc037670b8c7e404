/*-------------------------------------------------------------------------
 *
 * cpu_job.h
 *	  Doing a job on the CPU: in this backend, and in workers that it calls.
 *
 * Included by job.c, and by what says how much memory a call will need.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_CPU_JOB_H
#define GPUFIM_CPU_JOB_H

#include "work/job_state.h"

/* How many background workers a job may call. */
extern int	CpuWorkersAllowed(void);

/*
 * What a job takes beside data of so many bytes, all in bytes.  An estimate, since it
 * depends on what is found: seldom more than half of the data.  Where it is more, the
 * error that comes then knows more.  Workers are not reckoned with, because they are
 * called only if there is memory for them.
 */
extern uint64 CpuForecast(uint64 data_bytes);

/*
 * Do the job.  Returns false if it is not done, because a GPU takes over or because the
 * workers' memory was in the way.
 */
extern bool MineOnCpu(Job *job);

#endif							/* GPUFIM_CPU_JOB_H */

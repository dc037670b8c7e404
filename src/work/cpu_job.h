/*-------------------------------------------------------------------------
 *
 * cpu_job.h
 *	  Doing a job on the CPU: in this backend, and in workers that it calls.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_CPU_JOB_H
#define GPUFIM_CPU_JOB_H

#include "work/job_state.h"

/* How many background workers a job may call. */
extern int	CpuWorkersAllowed(void);

/*
 * Do the job.  Returns false if it is not done and has to start over: because a GPU takes
 * over, or because there was too little memory for this process and its workers.
 */
extern bool MineOnCpu(Job *job);

#endif							/* GPUFIM_CPU_JOB_H */

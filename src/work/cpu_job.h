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
 * Estimates how many bytes a job takes beside its data_bytes bytes of data.  That depends
 * on what is found, but seldom is more than half of the data.  Where it is more, the error
 * that is raised then makes a better estimate.  Workers are not included, because they
 * are called only if there is memory for them.
 */
extern uint64 CpuForecast(uint64 data_bytes);

/*
 * Do the job.  Returns false if it is not done and has to start over: because a GPU takes
 * over, or because there was too little memory for this process and its workers.
 */
extern bool MineOnCpu(Job *job);

#endif							/* GPUFIM_CPU_JOB_H */

/*-------------------------------------------------------------------------
 *
 * job_data.h
 *	  Where the data of a job lie, and completing them for the CPU engine.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_JOB_DATA_H
#define GPUFIM_JOB_DATA_H

#include "work/job_state.h"

/*
 * Memory for the data: a segment if other processes may have to see them and the
 * system has room for one, otherwise this process's own.
 */
extern FimData *JobDataAllocate(Job *job, Size size);

/* Is there memory to complete data for the CPU engine that were made for a GPU? */
extern bool JobDataFitCpu(const Job *job);

/* Complete the data for the CPU engine, moving them to where there is room. */
extern void JobDataPrepare(Job *job);

#endif							/* GPUFIM_JOB_DATA_H */

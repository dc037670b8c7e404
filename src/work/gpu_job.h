/*-------------------------------------------------------------------------
 *
 * gpu_job.h
 *	  Doing a job on GPUs: the backend's side.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_GPU_JOB_H
#define GPUFIM_GPU_JOB_H

#include "work/job_state.h"

/*
 * Have the GPU worker do the job.  Returns false if it is not done, and the CPU has to
 * do it: because the GPUs have failed, which is a warning with engine "auto" and an
 * error otherwise, or because another session's job keeps them for too long.
 */
extern bool MineOnGpu(Job *job);

#endif							/* GPUFIM_GPU_JOB_H */

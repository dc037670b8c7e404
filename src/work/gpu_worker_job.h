/*-------------------------------------------------------------------------
 *
 * gpu_worker_job.h
 *	  A job in the GPU worker: from its segment to its results or its fault.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_GPU_WORKER_JOB_H
#define GPUFIM_GPU_WORKER_JOB_H

#include "work/gpu_queue.h"

/*
 * Do the job whose segment this is, and send its results, or the fault that it ended
 * with, to its session.  An error of the job is logged and sent, and is no error here.
 * Returns true if this process must end, because of a sticky fault.
 */
extern bool GpuWorkerDoJob(GpuControl *control, dsm_handle handle);

/*
 * A job that ended well may leave its data attached to this process; GpuWorkerKeepsData()
 * says whether there are such data.  The next job lets them go.  If none comes soon, the
 * caller must do so.
 */
extern bool GpuWorkerKeepsData(void);
extern void GpuWorkerLetDataGo(void);

#endif							/* GPUFIM_GPU_WORKER_JOB_H */

/*-------------------------------------------------------------------------
 *
 * cpu_worker.h
 *	  The background worker that does a share of a job on the CPU.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_CPU_WORKER_H
#define GPUFIM_CPU_WORKER_H

#include "postgres.h"

/* The argument is the handle of the job's segment. */
extern PGDLLEXPORT void GpufimWorkerMain(Datum main_arg);

#endif							/* GPUFIM_CPU_WORKER_H */

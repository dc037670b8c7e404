/*-------------------------------------------------------------------------
 *
 * job_segment.h
 *	  What the processes of a job share.
 *
 * There are up to three dynamic shared memory segments, so that calls that need
 * no workers pay for no queues:
 *
 *		the data of the task
 *		the job: a JobHeader, the task's FimJob and its shared state
 *		the queues, one for each worker, once workers have been called
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_JOB_SEGMENT_H
#define GPUFIM_JOB_SEGMENT_H

#include "postgres.h"

#include "engine/gpu.h"
#include "storage/dsm.h"
#include "work/host.h"

typedef struct JobHeader
{
	uint32		magic;			/* identifies such a segment */
	int			family;			/* FimFamilyNumber() of the task's family */
	char		function[NAMEDATALEN];	/* SQL name, to show what a worker does */
	int			leader_pid;
	int			memory_limit;	/* the leader's gpufim.memory_limit ... */
	int			max_memory_limit;	/* ... and gpufim.max_memory_limit */
	dsm_handle	data;
	dsm_handle	queues;			/* DSM_HANDLE_INVALID as long as there are none */
	JobMemory	memory;
	FimGpuOptions gpu;			/* for the GPU worker */
} JobHeader;

/* The segment's size, once the task's family, job and data are known. */
extern Size JobSegmentSize(const FimTask *task);

/*
 * Fill a segment of that size with the job's copy and a header, of which magic, family,
 * function and leader_pid are set here.  The caller sets the other fields, and initializes
 * the task's shared state, which is in the segment from now on.
 */
extern JobHeader *JobSegmentFill(void *segment, FimTask *task);

/* Replace the task's job in the segment by one of the same size. */
extern void JobSegmentSetJob(JobHeader *header, const FimJob *job);

/*
 * A job as a worker sees it.  JobAttach() returns false if the job has been finished or
 * given up.  If the task has a summary, the worker gets one of its own, filled with
 * zeros.
 */
typedef struct AttachedJob
{
	dsm_segment *segment;
	dsm_segment *data;
	dsm_segment *queues;
	JobHeader  *header;
	FimTask		task;
} AttachedJob;

extern bool JobAttach(dsm_handle segment, AttachedJob *job);

#endif							/* GPUFIM_JOB_SEGMENT_H */

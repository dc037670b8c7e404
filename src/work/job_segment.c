/*-------------------------------------------------------------------------
 *
 * job_segment.c
 *	  Laying out what the processes of a job share.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "gpufim.h"
#include "miscadmin.h"
#include "work/job_segment.h"

#define JOB_SEGMENT_MAGIC	0x6770f1b6

static inline FimJob *
HeaderJob(const JobHeader *header)
{
	return (FimJob *) ((char *) header + MAXALIGN(sizeof(JobHeader)));
}

static inline FimShared *
HeaderShared(const JobHeader *header)
{
	FimJob	   *job = HeaderJob(header);

	return (FimShared *) ((char *) job + MAXALIGN(job->size));
}

Size
JobSegmentSize(const FimTask *task)
{
	return MAXALIGN(sizeof(JobHeader)) + MAXALIGN(task->job->size) + FimSharedSize(task);
}

JobHeader *
JobSegmentFill(void *segment, FimTask *task)
{
	JobHeader  *header = segment;

	memset(header, 0, sizeof(JobHeader));
	header->magic = JOB_SEGMENT_MAGIC;
	header->family = FimFamilyNumber(task->family);
	strlcpy(header->function, CurrentRun->function, NAMEDATALEN);
	header->leader_pid = MyProcPid;
	memcpy(HeaderJob(header), task->job, task->job->size);
	task->shared = HeaderShared(header);
	return header;
}

void
JobSegmentSetJob(JobHeader *header, const FimJob *job)
{
	Assert(HeaderJob(header)->size == job->size);
	memcpy(HeaderJob(header), job, job->size);
}

bool
JobAttach(dsm_handle segment, AttachedJob *job)
{
	Size		summary_size;

	job->segment = dsm_attach(segment);
	if (job->segment == NULL)
		return false;
	job->header = dsm_segment_address(job->segment);
	if (job->header->magic != JOB_SEGMENT_MAGIC)
		elog(ERROR, "job segment has an invalid magic number");
	job->data = dsm_attach(job->header->data);
	job->queues = dsm_attach(job->header->queues);
	if (job->data == NULL || job->queues == NULL)
		return false;

	job->task.family = FimFamilyOf(job->header->family);
	if (job->task.family == NULL)
		elog(ERROR, "unrecognized family %d in job segment", job->header->family);
	job->task.job = HeaderJob(job->header);
	job->task.data = dsm_segment_address(job->data);
	job->task.shared = HeaderShared(job->header);
	summary_size = FimSummarySize(&job->task);
	job->task.summary = summary_size > 0 ?
		MemoryContextAllocExtended(CurrentMemoryContext, summary_size,
								   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO) : NULL;
	return true;
}

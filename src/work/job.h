/*-------------------------------------------------------------------------
 *
 * job.h
 *	  Having a task done: by this process, by background workers or by a GPU.
 *
 * A family's SQL function uses a job in this order:
 *
 *		job = JobCreate(...)			chooses the engine that begins
 *		data = JobAllocateData(...)		where workers can see them
 *		JobOpenHost(), JobCloseHost()	around what needs a host to make the data
 *		summary = JobRun(...)
 *		JobContinue(...), JobRun(...)	if there is more to do with the same data
 *		JobEnd(...)
 *
 * Nothing needs to be cleaned up after an error.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_JOB_H
#define GPUFIM_JOB_H

#include "postgres.h"

#include "engine/family.h"
#include "work/engine_choice.h"

struct Job;

/*
 * Create a job in the current memory context, for a task of this family.  The FimJob
 * is copied; its strategy is set here.  Raises an error if the engine that is set
 * cannot be used.
 */
extern struct Job *JobCreate(const FimFamily *family, const FimJob *job, const EngineCost *cost);

/*
 * Does the CPU engine begin?  Then the data must have room for what cpu_prepare() will
 * add to them.  If a GPU begins, they need no such room.
 */
extern bool JobBeginsOnCpu(const struct Job *job);

/*
 * Memory for the task's data.  The caller has checked that gpufim.memory_limit allows
 * it in addition to all that the call holds.
 */
extern FimData *JobAllocateData(struct Job *job, Size size);

/*
 * A host for making the data.  The memory that the call holds at this point counts
 * until the job's end, so what was needed to read the source should have been given
 * back.
 */
extern FimHost *JobOpenHost(struct Job *job);
extern void JobCloseHost(struct Job *job);

/*
 * Do the task and have all results written to the sink.  Returns the summary, of
 * the job's memory context, or NULL if the task has none.
 */
extern void *JobRun(struct Job *job, FimSink *sink);

/*
 * To be called after JobRun() to do another task of the family with the same data.  The
 * FimJob is copied; its strategy is set and the engine is chosen as in JobCreate().
 */
extern void JobContinue(struct Job *job, const FimJob *next, const EngineCost *cost);

/*
 * Count memory that the job's results are about to need beside what hosts give out.
 * Raises an error if the limit does not allow it; the message calls it "what".  If there are
 * workers, the error may be caught and the sink be told to restart, so the caller must hold
 * nothing that would have to be cleaned up.
 */
extern void JobTakeMemory(struct Job *job, uint64 bytes, const char *what);

/* Give back the data and all else that the job holds, except for the summary. */
extern void JobEnd(struct Job *job);

#endif							/* GPUFIM_JOB_H */

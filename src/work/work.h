/*-------------------------------------------------------------------------
 *
 * work.h
 *	  Having a task done, by this process, by background workers or by a GPU: the job, the engine that
 *	  is chosen for it, and the host that an engine runs in.
 *
 * A family's SQL function uses a job in this order:
 *
 *		job = JobCreate(...)			chooses the engine that begins
 *		data = JobAllocateData(...)		where workers can see them
 *		JobOpenHost(), JobCloseHost()	around what needs a host to make the data
 *		summary = JobRun(...)
 *		JobReplaceData(...)				if there is more to do with other data
 *		JobContinue(...), JobRun(...)	if there is more to do with the same data
 *		JobEnd(...)
 *
 * Nothing needs to be cleaned up after an error.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_WORK_H
#define GPUFIM_WORK_H

#include "postgres.h"

#include "compat.h"
#include "engine/engine.h"
#include "engine/family.h"
#include "gpufim.h"
#include "port/atomics.h"
#include "storage/dsm.h"

/*
 * host.c: The host of an engine that runs in one of the server's processes.
 *
 * The host allocates memory in a context of its own, and counts it towards
 * gpufim.memory_limit together with what the other processes of the same job hold.
 * Interrupts are processed whenever the engine polls.
 */

/* Memory that the processes of a job hold together, in bytes. */
typedef struct JobMemory
{
	pg_atomic_uint64 used;
	pg_atomic_uint64 peak;
	uint64		held;			/* the part of "used" that neither engines nor workers hold */
} JobMemory;

typedef struct JobHost
{
	FimHost		host;			/* must be first */
	MemoryContext context;
	JobMemory  *memory;
	bool		has_company;	/* other processes mine, too */
	bool		crowded;		/* an allocation failed because of them, see JobHostInit() */
} JobHost;

/*
 * Count more memory, or less if "more" is negative.  JobMemoryHold() is for what engines and
 * workers hold, JobMemoryHoldForCall() for what the call itself holds.
 */
extern void JobMemoryHold(JobMemory *memory, int64 more);
extern void JobMemoryHoldForCall(JobMemory *memory, int64 more);

/*
 * Once no engine or worker is left, count only what the call itself holds: a process that
 * ended by an error or was terminated has not subtracted what it held.
 */
extern void JobMemoryForgetEngines(JobMemory *memory);

/*
 * JobHostInit() makes a memory context in the current one.  JobHostFree() deletes
 * it, with what the engine has not freed.  The functions of the host may raise
 * errors: alloc if gpufim.memory_limit allows no more, poll if the process is
 * interrupted or little of its stack is left.  If the system has no more memory, alloc
 * returns NULL.
 *
 * In a process that has company, alloc also returns NULL, in place of an error, if the
 * limit would allow the allocation to this process alone.  Whenever it returns NULL to
 * such a process, it sets "crowded".
 */
extern void JobHostInit(JobHost *host, JobMemory *memory);
extern void JobHostFree(JobHost *host);

/*
 * Count bytes that are to be allocated, if the limit allows them.  They are counted before they are there, so that
 * several processes that ask at the same time do not all get what is there for one.
 */
extern bool JobMemoryReserve(JobMemory *memory, uint64 bytes);

/*
 * Allocate memory that JobMemoryReserve() has counted.  Returns NULL if the system has no more memory, and raises
 * no error.
 */
extern void *JobHostTake(JobHost *host, size_t bytes);

/* A host's poll(), which never says stop: an interrupt ends what the host works for by an error. */
extern bool PollInterrupts(FimHost *host);

/* For hosts with a poll of their own: raises an error if little of the stack is left. */
extern void JobHostCheckStack(const FimHost *host);

/* Raises the error that the system has no more memory. */
pg_noreturn extern void JobOutOfMemory(void);

/*
 * engine_choice.c: Which engine, and which of its strategies, a call runs on.
 */

/*
 * The least time that a task takes each engine, in ms, even if there is nothing to find.
 * Families calculate it with constants that were measured; engine_choice.c says what it
 * decides.
 */
typedef struct EngineCost
{
	double		cpu_ms;
	double		gpu_ms;			/* without what making contexts takes */
	bool		wants_few;		/* the first results are wanted, which a GPU would only give with all others */
	bool		only_cpu;		/* GPUs have no code for this task of the family, whatever engine is set */
} EngineCost;

/*
 * Raises an error if the settings are not in order, or if the engine or the strategy
 * that is set cannot be used for tasks of this family, or for one that only the CPU can do.  It may have to start a GPU
 * worker to find out.
 */
extern void CheckEngineChoice(const FimFamily *family, bool only_cpu);

/*
 * The engine to begin with, GPUFIM_ENGINE_CPU or GPUFIM_ENGINE_GPU, and the index of
 * its strategy.  Raises an error if what is set cannot be used.
 */
extern GpufimEngineChoice ChooseEngine(const FimFamily *family, const EngineCost *cost,
									   int *strategy);

/*
 * A job that waits in the GPU worker's queue goes to the CPU if another session's job
 * has been under way for longer than this, in ms.  -1: it stays in the queue.
 */
extern double QueuePatience(const FimFamily *family, const EngineCost *cost);

/*
 * How long the CPU mines before a GPU may take over, in ms, without what making contexts takes:
 * a GPU that would take longer than that itself leaves the CPU as much time.
 */
extern double CpuPatience(const EngineCost *cost);

/* May a job that one engine has begun start over on the other? */
extern bool MayChangeEngine(const FimFamily *family);

/*
 * The strategy for an engine that takes over: the one that is set, if that engine
 * has it, otherwise "auto".
 */
extern int	StrategyOf(const FimFamily *family, GpufimEngineChoice engine);

/*
 * job.c: Having a task done: by this process, by background workers or by a GPU.
 */

struct Job;

/*
 * Create a job in the current memory context, for a task of this family.  The FimSpec
 * is copied; its strategy is set here.  Raises an error if the engine that is set
 * cannot be used.
 */
extern struct Job *JobCreate(const FimFamily *family, const FimSpec *spec, const EngineCost *cost);

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
 * The segment in which the data are, for other processes that write some of them; DSM_HANDLE_INVALID if there is none.  From then on, they
 * count as known to others.
 */
extern dsm_handle JobDataHandle(struct Job *job);

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
 * The same in steps, for who looks at results before all have been found: JobStart(), JobGoOn()
 * until it returns false, and JobFinish(), which returns what JobRun() does.  In place of going on,
 * JobEnd() gives the task up.
 *
 * JobGoOn() returns true if the job pauses: after a while, or when the sink keeps so many results that it would have to
 * write them to files.  Workers go on mining meanwhile, until their queues are full.  A job only pauses where it
 * will not have to start over: on the CPU, when no GPU may take over and there is plenty of memory.
 */
extern void JobStart(struct Job *job, FimSink *sink, bool pauses);
extern bool JobGoOn(struct Job *job);
extern void *JobFinish(struct Job *job);

/* Between JobStart() and JobFinish(): what the workers of the task share. */
extern FimShared *JobShared(const struct Job *job);

/*
 * To be called after JobRun(): free the data, and allocate memory for others, which are complete for the CPU engine
 * when the caller has written them.  Raises an error if the memory limit does not allow it; the message calls
 * them "what".
 */
extern FimData *JobReplaceData(struct Job *job, Size size, const char *what);

/*
 * To be called after JobRun() to do another task of the family with the same data.  The
 * FimSpec is copied; its strategy is set and the engine is chosen as in JobCreate().
 */
extern void JobContinue(struct Job *job, const FimSpec *next, const EngineCost *cost);

/*
 * Count memory that the job's results are about to need beside what hosts give out.
 * Raises an error if the limit does not allow it; the message calls it "what".  If there are
 * workers, the error may be caught and the sink be told to restart, so the caller must hold
 * nothing that would have to be cleaned up.
 */
extern void JobTakeMemory(struct Job *job, uint64 bytes, const char *what);

/* What JobTakeMemory() has counted is free again. */
extern void JobGiveBackMemory(struct Job *job, uint64 bytes);

/* Give back the data and all else that the job holds, except for the summary, whether it is finished or not. */
extern void JobEnd(struct Job *job);

/*
 * workers.c: Segments of dynamic shared memory.
 */

/* A new segment, which is the current resource owner's, or NULL if the system has no room for it. */
extern dsm_segment *SegmentCreate(Size size);

/* The same for a function that creates a segment, which may return NULL or raise an error if there is no room. */
extern dsm_segment *SegmentTry(dsm_segment *(*create) (void *arg), void *arg);

/* Attach a segment that another process holds, or raise an error. */
extern dsm_segment *SegmentAttach(dsm_handle handle);

#endif							/* GPUFIM_WORK_H */

/*-------------------------------------------------------------------------
 *
 * job.c
 *	  Having a task done, on one engine after the other if need be.
 *
 * A job begins on the CPU (cpu_job.c) or on a GPU (gpu_job.c).  With engine "auto",
 * either may hand it to the other: the CPU when it takes long and a GPU is free, a
 * GPU when it fails or others keep it busy.  The next engine starts over as if the
 * other had not begun.  So does this process alone when there is too little memory
 * for it and its workers.
 *
 * Nothing here needs cleaning up by hand.  The segments belong to the current
 * resource owner, so that they are detached however the call ends.  That raises
 * the cancel flag and detaches the queues, upon which the workers end.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "gpufim.h"
#include "utils/memutils.h"
#include "work/work.h"
#include "work/workers.h"

/*
 * Set the figures that say on which engine the call's task is done, and by which strategy.  That
 * of the first task stays until the second one has noted one: surrogates have none.
 */
static void
ShowEngine(const Job *job)
{
	int			strategy = job->spec->strategy;

	CurrentRun->on_gpu = job->on_gpu;
	strlcpy(CurrentRun->device, job->on_gpu ? "gpu" : "cpu", sizeof(CurrentRun->device));
	if (job->continued)
		return;
	/* strategy 0 is "auto", and which one it will choose is not known yet */
	CurrentRun->strategy[0] = '\0';
	if (strategy > 0)
		JobShowStrategies(job, UINT32_C(1) << strategy);
}

/* Decide which engine begins, and whether the other may take over.  Returns the strategy. */
static int
ChooseFirstEngine(Job *job, const EngineCost *cost)
{
	const FimFamily *family = job->task.family;
	int			strategy;

	job->on_gpu = ChooseEngine(family, cost, &strategy) == GPUFIM_ENGINE_GPU;
	job->wants_few = cost->wants_few;
	job->may_change = !job->on_gpu && !cost->wants_few && !cost->only_cpu && MayChangeEngine(family);
	job->queue_patience = QueuePatience(family, cost);
	job->least_patience = CpuPatience(cost);
	return strategy;
}

Job *
JobCreate(const FimFamily *family, const FimSpec *spec, const EngineCost *cost)
{
	Job		   *job = palloc0(sizeof(Job));
	int			strategy;

	job->context = CurrentMemoryContext;
	job->memory = &job->own_memory;
	job->task.family = family;
	strategy = ChooseFirstEngine(job, cost);
	job->has_cpu_room = !job->on_gpu;
	job->max_workers = CpuWorkersAllowed(true);

	job->spec = palloc(spec->size);
	memcpy(job->spec, spec, spec->size);
	job->spec->strategy = strategy;
	job->task.spec = job->spec;
	ShowEngine(job);
	return job;
}

bool
JobBeginsOnCpu(const Job *job)
{
	return !job->on_gpu;
}

/* The memory that the call holds before any process of the job has taken some. */
static uint64
HeldMemory(const Job *job)
{
	return MemoryContextMemAllocated(job->context, true) +
		(job->data_segment ? dsm_segment_map_length(job->data_segment) : 0);
}

FimData *
JobAllocateData(Job *job, Size size)
{
	FimData    *data = JobDataAllocate(job, size);

	RunTrackMemory(HeldMemory(job));
	return data;
}

dsm_handle
JobDataHandle(Job *job)
{
	job->data_shared = true;
	return job->data_segment != NULL ? dsm_segment_handle(job->data_segment) : DSM_HANDLE_INVALID;
}

FimHost *
JobOpenHost(Job *job)
{
	pg_atomic_init_u64(&job->memory->used, HeldMemory(job));
	pg_atomic_init_u64(&job->memory->peak, HeldMemory(job));
	job->memory->held = HeldMemory(job);
	JobHostInit(&job->data_host, job->memory);
	return &job->data_host.host;
}

void
JobCloseHost(Job *job)
{
	JobHostFree(&job->data_host);
}

/*
 * From here on memory is counted in the segment's header, where all processes of the
 * job can add to it.  The count begins with what was counted before and the segment.
 */
static void
FillSegment(Job *job, Size size)
{
	JobHeader  *header = JobSegmentFill(dsm_segment_address(job->segment), &job->task);
	uint64		used = pg_atomic_read_u64(&job->memory->used) + size;

	header->memory_limit = gpufim_memory_limit;
	header->max_memory_limit = gpufim_max_memory_limit;
	header->data = dsm_segment_handle(job->data_segment);
	header->queues = DSM_HANDLE_INVALID;
	pg_atomic_init_u64(&header->memory.used, used);
	pg_atomic_init_u64(&header->memory.peak, Max(pg_atomic_read_u64(&job->memory->peak), used));
	header->memory.held = job->memory->held + size;
	job->header = header;
	job->memory = &header->memory;
}

static void
InitShared(Job *job)
{
	memset(job->task.shared, 0, FimSharedSize(&job->task));
	FimSharedInit(&job->task);
}

/* Set up the shared state where workers can see it, if they can see the data. */
static void
PrepareShared(Job *job)
{
	Size		size = JobSegmentSize(&job->task);

	if (job->data_segment != NULL)
		job->segment = JobSegmentCreate(size);
	if (job->segment != NULL)
		FillSegment(job, size);
	else
	{
		size = FimSharedSize(&job->task);
		job->task.shared = MemoryContextAllocHuge(job->context, size);
		JobMemoryHoldForCall(job->memory, size);
	}
	InitShared(job);
}

static void
PrepareSummary(Job *job)
{
	Size		size = FimSummarySize(&job->task);

	if (size > 0)
		job->task.summary = MemoryContextAllocExtended(job->context, size,
													   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

static void
ChangeEngine(Job *job)
{
	if (!job->on_gpu)
		job->may_change = false;
	job->on_gpu = !job->on_gpu;
	job->turns++;
	job->spec->strategy = StrategyOf(job->task.family,
										job->on_gpu ? GPUFIM_ENGINE_GPU : GPUFIM_ENGINE_CPU);
	ShowEngine(job);
	if (job->header != NULL)
		JobSegmentSetSpec(job->header, job->spec);
}

/*
 * Have the whole task done as if nobody had begun it: by the other engine, or by this
 * process alone if there was no memory for its workers.  Alone it needs no more memory than
 * if no worker had ever come.  So a call that would succeed without workers also succeeds
 * with them, no matter how many come and when.
 */
static void
StartOver(Job *job)
{
	if (job->crowded)
	{
		ereport(DEBUG1,
				(errmsg_internal("starting over without gpufim workers, for which there is not enough memory")));
		job->max_workers = 0;
	}
	if (job->on_gpu || job->changes)
		ChangeEngine(job);
	job->stays_out |= job->hands_over;
	job->changes = job->hands_over = job->crowded = false;
	JobMemoryForgetEngines(job->memory);
	CurrentRun->workers = job->earlier_workers;
	InitShared(job);
	if (job->task.summary != NULL)
		memset(job->task.summary, 0, FimSummarySize(&job->task));
	if (job->sink != NULL)
		job->sink->restart(job->sink);
}

/*
 * From here on memory is counted in this process, as it was before there was a segment.
 * No engine holds any now.  A worker that comes too late finds no segment, or counts its
 * memory in the old one.
 */
static void
LeaveSegment(Job *job)
{
	Size		size = JobSegmentSize(&job->task);
	JobMemory  *memory = &job->own_memory;

	memory->held = job->memory->held - size;
	pg_atomic_init_u64(&memory->used, memory->held);
	pg_atomic_init_u64(&memory->peak, pg_atomic_read_u64(&job->memory->peak));
	job->memory = memory;
	JobSegmentLetGo(job->segment, job->shared);
	job->segment = NULL;
	job->shared = false;
	job->header = NULL;
}

static void
ReleaseShared(Job *job)
{
	if (job->segment != NULL)
		LeaveSegment(job);
	else
	{
		JobMemoryHoldForCall(job->memory, -(int64) FimSharedSize(&job->task));
		pfree(job->task.shared);
	}
	job->task.shared = NULL;
}

void
JobStart(Job *job, FimSink *sink, bool pauses)
{
	job->sink = sink;
	job->pauses = pauses;
	job->earlier_workers = CurrentRun->workers;
	if (pauses && job->max_workers > 0)
		job->max_workers = CpuWorkersAllowed(false);
	PrepareShared(job);
	PrepareSummary(job);
}

/* What workers took is counted only in the segment; JobMemoryHold() has tracked the rest. */
static void
TrackMemory(const Job *job)
{
	RunTrackMemory(pg_atomic_read_u64(&job->memory->peak));
}

bool
JobGoOn(Job *job)
{
	volatile JobStage stage = JOB_DONE;

	PG_TRY();
	{
		while ((stage = job->on_gpu ? MineOnGpu(job) : MineOnCpu(job)) == JOB_STARTS_OVER)
			StartOver(job);
	}
	PG_CATCH();
	{
		TrackMemory(job);
		PG_RE_THROW();
	}
	PG_END_TRY();
	TrackMemory(job);
	return stage == JOB_PAUSED;
}

void *
JobFinish(Job *job)
{
	if (!job->on_gpu)
		JobShowStrategies(job, job->task.shared->strategies);
	ReleaseShared(job);
	return job->task.summary;
}

void *
JobRun(Job *job, FimSink *sink)
{
	JobStart(job, sink, false);
	(void) JobGoOn(job);
	return JobFinish(job);
}

FimShared *
JobShared(const Job *job)
{
	return job->task.shared;
}

FimData *
JobReplaceData(Job *job, Size size, const char *what)
{
	return JobDataReplace(job, size, what);
}

/* The CPU does the task if the data lie in this process's memory, where no GPU worker sees them. */
void
JobContinue(Job *job, const FimSpec *next, const EngineCost *cost)
{
	int			strategy = StrategyOf(job->task.family, GPUFIM_ENGINE_CPU);

	job->on_gpu = job->may_change = job->changes = false;
	job->continued = true;
	job->turns = 0;
	job->wants_few = cost->wants_few;
	if (job->data_segment != NULL && !cost->only_cpu)
		strategy = ChooseFirstEngine(job, cost);

	job->spec = MemoryContextAlloc(job->context, next->size);
	memcpy(job->spec, next, next->size);
	job->spec->strategy = strategy;
	job->task.spec = job->spec;
	if (job->on_gpu)
		ShowEngine(job);
}

void
JobTakeMemory(Job *job, uint64 bytes, const char *what)
{
	uint64		used = pg_atomic_read_u64(&job->memory->used);

	/* without workers there might be enough */
	if (!WithinMemoryLimit(used + bytes) && job->nworkers > 0)
		JobRaiseCrowded(job);
	CheckMemoryLimit(used, bytes, what);
	JobMemoryHoldForCall(job->memory, bytes);
}

void
JobGiveBackMemory(Job *job, uint64 bytes)
{
	JobMemoryHoldForCall(job->memory, -(int64) bytes);
}

void
JobEnd(Job *job)
{
	InboxDetach(job);
	if (job->segment != NULL)
		JobSegmentLetGo(job->segment, job->shared);
	if (job->data_segment != NULL)
		JobSegmentLetGo(job->data_segment, job->data_shared);
}

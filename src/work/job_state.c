/*-------------------------------------------------------------------------
 *
 * job_state.c
 *	  The state of a job in the backend that has it done, where its data lie, and preparing
 *	  them for the CPU engine.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "gpufim.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "work/workers.h"

void
JobMarkCrowded(Job *job)
{
	if (job->has_paused)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("not enough memory for the workers of %s()", CurrentRun->function),
				 errhint("Raise \"gpufim.memory_limit\", or set \"gpufim.workers\" to 0.")));
	job->crowded = true;
	job->task.shared->cancel = 1;
}

void
JobRaiseCrowded(Job *job)
{
	JobMarkCrowded(job);
	ereport(ERROR,
			(errcode(ERRCODE_JOB_CROWDED),
			 errmsg_internal("there is no memory for results beside gpufim workers")));
	pg_unreachable();
}

void
JobShowStrategies(const Job *job, uint32 used)
{
	const FimFamily *family = job->task.family;
	const char *const *names = job->on_gpu ? family->gpu_strategies : family->strategies;
	char	   *to = CurrentRun->strategy;

	if (used == 0)
		return;
	to[0] = '\0';
	for (int i = 0; names[i] != NULL; i++)
	{
		if ((used >> i & 1) == 0)
			continue;
		if (to[0] != '\0')
			strlcat(to, ", ", NAMEDATALEN);
		strlcat(to, names[i], NAMEDATALEN);
	}
}

void
JobShowProgress(const Job *job)
{
	const FimShared *shared = job->task.shared;

	if (!job->on_gpu)
		JobShowStrategies(job, shared->strategies);
	CurrentRun->done = shared->done;
	CurrentRun->total = shared->total;
	CurrentRun->nodes = shared->nodes;
	if (job->spec->count_only)
		CurrentRun->results = shared->results;
}

static void
RaiseCancel(dsm_segment *segment, Datum shared)
{
	((FimShared *) DatumGetPointer(shared))->cancel = 1;
}

void
JobShare(Job *job)
{
	if (job->shared)
		return;
	job->shared = job->data_shared = true;
	on_dsm_detach(job->segment, RaiseCancel, PointerGetDatum(job->task.shared));
}

/*
 * Where the data of a job lie, and preparing them for the CPU engine.
 *
 * The CPU engine needs more than the bare data, for example an index, and expects it
 * behind them.  GPUs make what they need in their own memory.  So there is room behind
 * the data only if the CPU engine begins.  If a GPU was to do the task and the CPU does it
 * after all, the data are moved to where there is room.
 */

/* Number of bytes that are copied between two checks for interrupts. */
#define COPY_STEP	((Size) 16 * 1024 * 1024)

FimData *
JobDataAllocate(Job *job, Size size)
{
	bool		shared = job->max_workers > 0 || job->on_gpu || job->may_change;
	FimData    *data;

	job->data_segment = shared ? JobSegmentCreate(size) : NULL;
	job->data_shared = job->shared;
	if (job->data_segment != NULL)
		data = dsm_segment_address(job->data_segment);
	else
		data = MemoryContextAllocHuge(job->context, size);
	job->task.data = data;
	return data;
}

/* How many bytes the data take together with what the CPU engine adds to them. */
static Size
CpuSize(const Job *job)
{
	const FimTask *task = &job->task;

	return task->family->cpu_size ? task->family->cpu_size(task->data) : task->data->size;
}

/* While data move, there are two copies of them. */
bool
JobDataFitCpu(const Job *job)
{
	return job->has_cpu_room ||
		WithinMemoryLimit(pg_atomic_read_u64(&job->memory->used) + CpuSize(job));
}

static void
CopyData(char *to, const char *from, Size size)
{
	for (Size done = 0; done < size; done += COPY_STEP)
	{
		CHECK_FOR_INTERRUPTS();
		memcpy(to + done, from + done, Min(COPY_STEP, size - done));
	}
}

/* Free data that were in this segment, or in the process's own memory. */
static void
FreeData(Job *job, FimData *data, dsm_segment *segment, bool shared)
{
	if (segment != NULL)
	{
		JobMemoryHoldForCall(job->memory, -(int64) dsm_segment_map_length(segment));
		JobSegmentLetGo(segment, shared);
	}
	else
	{
		JobMemoryHoldForCall(job->memory, -(int64) GetMemoryChunkSpace(data));
		pfree(data);
	}
}

/* Allocate memory for data, with room for what the CPU engine adds. */
static FimData *
AllocateForCpu(Job *job, Size size, const char *what)
{
	FimData    *data;

	CheckMemoryLimit(pg_atomic_read_u64(&job->memory->used), size, what);
	data = JobDataAllocate(job, size);
	JobMemoryHoldForCall(job->memory, job->data_segment != NULL ? dsm_segment_map_length(job->data_segment) : size);

	/* workers can only see what lies in a segment */
	if (job->data_segment == NULL)
	{
		job->max_workers = 0;
		job->may_change = false;
	}
	else if (job->header != NULL)
		job->header->data = dsm_segment_handle(job->data_segment);
	job->has_cpu_room = true;
	return data;
}

FimData *
JobDataReplace(Job *job, Size size, const char *what)
{
	FreeData(job, unconstify(FimData *, job->task.data), job->data_segment, job->data_shared);
	job->prepared = true;
	return AllocateForCpu(job, size, what);
}

static void
MoveData(Job *job)
{
	FimData    *old = unconstify(FimData *, job->task.data);
	dsm_segment *old_segment = job->data_segment;
	bool		old_shared = job->data_shared;
	FimData    *data = AllocateForCpu(job, CpuSize(job), "the data of the CPU engine");

	CopyData((char *) data, (const char *) old, old->size);
	FreeData(job, old, old_segment, old_shared);
}

void
JobDataPrepare(Job *job)
{
	const FimFamily *family = job->task.family;
	JobHost		host;

	if (job->prepared)
		return;
	job->prepared = true;
	if (family->cpu_prepare == NULL)
		return;
	RunEnterPhase(GPUFIM_ENCODING);
	if (!job->has_cpu_room)
		MoveData(job);
	JobHostInit(&host, job->memory);
	if (!family->cpu_prepare(unconstify(FimData *, job->task.data), &host.host))
		elog(ERROR, "preparing the data of a job was stopped");
	JobHostFree(&host);

	/* how many units of work there are may be known only now */
	FimSharedInit(&job->task);
}

/*-------------------------------------------------------------------------
 *
 * workers.c
 *	  Background workers of calls: registering them, and the segments that they share with the
 *	  call's backend.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <sys/mman.h>

#include "access/xact.h"
#include "engine/gpu.h"
#include "gpufim.h"
#include "lib/ilist.h"
#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "storage/dsm.h"
#include "storage/shmem.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "work/work.h"
#include "work/workers.h"

/*
 * Dynamic shared memory segments, for callers that can do without.
 */

/*
 * As it unmaps a page, the kernel notes that the page has been used, and processes that unmap segments at the same time wait for each
 * other over that.  It does not where memory is used from one end to the other.
 */
static void
UseOnce(dsm_segment *segment)
{
	/* not in the main shared memory, which stays mapped: see min_dynamic_shared_memory */
	if (!ShmemAddrIsValid(dsm_segment_address(segment)))
		(void) madvise(dsm_segment_address(segment), dsm_segment_map_length(segment), MADV_SEQUENTIAL);
}

/*
 * dsm_create() raises an error if the system has no room.  The error is caught here, and
 * the resource owner made for this call releases what was left behind.
 */
dsm_segment *
SegmentTry(dsm_segment *(*create) (void *arg), void *arg)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner caller = CurrentResourceOwner;
	ResourceOwner owner = ResourceOwnerCreate(caller, "gpufim segment");
	dsm_segment *volatile segment = NULL;

	PG_TRY();
	{
		CurrentResourceOwner = owner;
		segment = create(arg);
		if (segment != NULL)
		{
			dsm_pin_mapping(segment);
			UseOnce(segment);
		}
		CurrentResourceOwner = caller;
		if (segment != NULL)
			dsm_unpin_mapping(segment);
	}
	PG_CATCH();
	{
		CurrentResourceOwner = caller;
		if (ERRCODE_TO_CATEGORY(geterrcode()) != ERRCODE_INSUFFICIENT_RESOURCES)
			PG_RE_THROW();
		MemoryContextSwitchTo(context);
		FlushErrorState();
		segment = NULL;
	}
	PG_END_TRY();

	ResourceOwnerRelease(owner, RESOURCE_RELEASE_BEFORE_LOCKS, false, false);
	ResourceOwnerRelease(owner, RESOURCE_RELEASE_LOCKS, false, false);
	ResourceOwnerRelease(owner, RESOURCE_RELEASE_AFTER_LOCKS, false, false);
	ResourceOwnerDelete(owner);
	return segment;
}

static dsm_segment *
CreateOfSize(void *size)
{
	return IsSegmentSize(*(Size *) size) ? dsm_create(*(Size *) size, DSM_CREATE_NULL_IF_MAXSEGMENTS) : NULL;
}

dsm_segment *
SegmentCreate(Size size)
{
	return SegmentTry(CreateOfSize, &size);
}

dsm_segment *
SegmentAttach(dsm_handle handle)
{
	dsm_segment *segment = dsm_attach(handle);

	if (segment == NULL)
		elog(ERROR, "could not map dynamic shared memory segment");
	UseOnce(segment);
	return segment;
}

/*
 * Segments of jobs.
 *
 * To make one and give it back takes longer than all else that a small call does, and most small calls end before another
 * process learns of their segments.  So a small segment that no other process has seen serves the next job of the transaction.
 */

#define SPARE_BYTES		(32 * 1024)
#define MAX_SPARES		2		/* a job has one for its data and one for what its processes share */

static dsm_segment *Spares[MAX_SPARES];
static int	nspares = 0;

/* The server has few segments, so an idle session holds none. */
static void
DetachSpares(XactEvent event, void *arg)
{
	while (nspares > 0)
		dsm_detach(Spares[--nspares]);
}

dsm_segment *
JobSegmentCreate(Size size)
{
	dsm_segment *segment;

	if (size > SPARE_BYTES)
		return SegmentCreate(size);
	if (nspares == 0)
		return SegmentCreate(SPARE_BYTES);
	segment = Spares[--nspares];
	dsm_unpin_mapping(segment);
	return segment;
}

void
JobSegmentLetGo(dsm_segment *segment, bool shared)
{
	static bool registered = false;

	if (shared || nspares == MAX_SPARES || dsm_segment_map_length(segment) != SPARE_BYTES)
	{
		dsm_detach(segment);
		return;
	}
	if (!registered)
		RegisterXactCallback(DetachSpares, NULL);
	registered = true;
	dsm_pin_mapping(segment);
	Spares[nspares++] = segment;
}

/*
 * What the processes of a job share.
 */

#define JOB_SEGMENT_MAGIC	0x6770f1b6

static inline FimSpec *
HeaderSpec(const JobHeader *header)
{
	return (FimSpec *) ((char *) header + MAXALIGN(sizeof(JobHeader)));
}

static inline FimShared *
HeaderShared(const JobHeader *header)
{
	FimSpec	   *spec = HeaderSpec(header);

	return (FimShared *) ((char *) spec + MAXALIGN(spec->size));
}

Size
JobSegmentSize(const FimTask *task)
{
	return MAXALIGN(sizeof(JobHeader)) + MAXALIGN(task->spec->size) + FimSharedSize(task);
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
	memcpy(HeaderSpec(header), task->spec, task->spec->size);
	task->shared = HeaderShared(header);
	return header;
}

void
JobSegmentSetSpec(JobHeader *header, const FimSpec *spec)
{
	Assert(HeaderSpec(header)->size == spec->size);
	memcpy(HeaderSpec(header), spec, spec->size);
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
	job->task.spec = HeaderSpec(job->header);
	job->task.data = dsm_segment_address(job->data);
	job->task.shared = HeaderShared(job->header);
	summary_size = FimSummarySize(&job->task);
	job->task.summary = summary_size > 0 ?
		MemoryContextAllocExtended(CurrentMemoryContext, summary_size,
								   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO) : NULL;
	return true;
}

/*
 * Workers of this session's earlier calls that have not ended yet.
 *
 * A call that ends tells its workers to end, too.  If all went well it also waits for those
 * that took part.  But it does not wait for workers that had not come before it was done,
 * nor for any after an error or a cancel: the server may be busy, and whoever cancels a
 * call wants it to end now.  Workers that were not waited for hold slots of
 * max_worker_processes for a moment longer.  So a call that finds no slot does without
 * workers only when the session's own earlier workers have ended.  Calls that find one wait
 * for nothing.
 */

/* A worker that had not ended when it was last looked at. */
typedef struct CallWorker
{
	slist_node	node;
	BackgroundWorkerHandle *handle;
	dsm_handle	queues;			/* of its call */
} CallWorker;

/* All such workers of this session, with those of the running call. */
static slist_head Started = SLIST_STATIC_INIT(Started);

/* Has the worker's call ended?  Then its queues are detached, whichever way it ended. */
static bool
CallHasEnded(const CallWorker *worker)
{
	return dsm_find_mapping(worker->queues) == NULL;
}

static bool
HasEnded(const CallWorker *worker)
{
	pid_t		pid;

	return GetBackgroundWorkerPid(worker->handle, &pid) == BGWH_STOPPED;
}

bool
WorkersAreEnding(void)
{
	bool		any = false;
	slist_mutable_iter at;

	slist_foreach_modify(at, &Started)
	{
		CallWorker *worker = slist_container(CallWorker, node, at.cur);

		if (!CallHasEnded(worker))
			continue;
		if (!HasEnded(worker))
		{
			any = true;
			continue;
		}
		slist_delete_current(&at);
		pfree(worker->handle);
		pfree(worker);
	}
	return any;
}

BackgroundWorkerHandle *
RegisterCallWorker(BackgroundWorker *registration, dsm_segment *queues)
{
	MemoryContext caller = MemoryContextSwitchTo(TopMemoryContext);
	CallWorker *worker = palloc(sizeof(CallWorker));
	BackgroundWorkerHandle *handle = NULL;

	worker->queues = dsm_segment_handle(queues);
	if (RegisterDynamicBackgroundWorker(registration, &worker->handle))
	{
		handle = worker->handle;
		slist_push_head(&Started, &worker->node);
	}
	else
		pfree(worker);
	MemoryContextSwitchTo(caller);
	return handle;
}

/*-------------------------------------------------------------------------
 *
 * ending_workers.c
 *	  Workers of this session's earlier calls that have not ended yet.
 *
 * A call that ends tells its workers to end, too.  If all went well it also waits for those
 * that took part.  But it does not wait for workers that had not come before it was done,
 * nor for any after an error or a cancel: the server may be busy, and whoever cancels a
 * call wants it to end now.  Workers that were not waited for hold slots of
 * max_worker_processes for a moment longer.  So a call that finds no slot does without
 * workers only when the session's own earlier workers have ended.  Calls that find one wait
 * for nothing.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/ilist.h"
#include "utils/memutils.h"
#include "work/ending_workers.h"

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

/*-------------------------------------------------------------------------
 *
 * ending_workers.c
 *	  Workers of this session's earlier calls that have not ended yet.
 *
 * A call that ends tells its workers to end, too.  If all went well it also waits for those
 * that took part.  But it does not wait for workers that had not come before it was
 * done, nor after an error or a cancel: the server may be busy, and whoever cancels a call
 * wants it to end now.  These workers hold slots of max_worker_processes for a moment longer.
 * So a call that finds no slot waits for the session's own earlier workers, and only then
 * does without.  Calls that find one wait for nothing.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/ilist.h"
#include "utils/memutils.h"
#include "work/ending_workers.h"

/* A worker that has not ended, as far as anybody has looked. */
typedef struct CallWorker
{
	slist_node	node;
	BackgroundWorkerHandle *handle;
	dsm_handle	queues;			/* of its call */
} CallWorker;

/* Those of the running call are there, too. */
static slist_head Started = SLIST_STATIC_INIT(Started);

/* However a call ends, it detaches its queues. */
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

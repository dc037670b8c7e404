/*-------------------------------------------------------------------------
 *
 * attempt.c
 *	  Reading with several processes, and once more with one if they lack memory.
 *
 * Each process that reads keeps the values that it has met.  So gpufim.memory_limit may be enough for one process, but not for
 * several.  Whether a call succeeds must not depend on whether PostgreSQL plans workers: if several processes find the limit too
 * low, whichever of them, what has been read is dropped, and one process begins again.  So it does if the system has no room, or no
 * place, for the shared memory that PostgreSQL needs for workers, which the segments of rows may have filled.
 *
 * The executor and the workers are in the middle of something then, and only the end of a subtransaction leaves nothing behind.  So
 * there is one around all reading with several processes.  What has been read outlives it: its segments and files belong to the
 * caller's resource owner, and its memory to the ledger, which knows all of that.
 *
 * What several processes read has no side effects, or PostgreSQL would not let them.  So it can be read twice.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "gpufim.h"
#include "read/rows.h"
#include "utils/memutils.h"

void
AttemptBegin(ReadAttempt *attempt)
{
	MemoryContext context = CurrentMemoryContext;

	/* where a parallel query calls, PostgreSQL begins no subtransaction; then an error of the limit is one */
	if (attempt->executor != NULL || IsInParallelMode())
		return;
	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	attempt->executor = CurrentResourceOwner;
	CurrentResourceOwner = attempt->keeper;
}

/* Is the error one that a process which reads alone may not get? */
static bool
IsOfSeveral(const ErrorData *error, const MemoryLedger *ledger)
{
	switch (error->sqlerrcode)
	{
		case ERRCODE_OUT_OF_MEMORY:
			return LedgerExceeded(ledger);
		case ERRCODE_DISK_FULL:
		case ERRCODE_INSUFFICIENT_RESOURCES:
			return true;
		default:
			return false;
	}
}

void
ReadWithinLimit(MemoryLedger *ledger, void (*read) (void *arg), void *arg)
{
	MemoryContext context = CurrentMemoryContext;
	ReadAttempt attempt = {.keeper = CurrentResourceOwner};
	int64		rows_read = CurrentRun->rows_read;
	int64		read_workers = CurrentRun->read_workers;
	MemoryLedger saved;
	ErrorData  *volatile error = NULL;
	volatile bool of_several = false;

	LedgerSave(ledger, &saved);
	ledger->attempt = &attempt;
	PG_TRY();
	{
		read(arg);
		if (attempt.executor != NULL)
			ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		ledger->attempt = NULL;
		if (attempt.executor == NULL)
			PG_RE_THROW();
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		of_several = IsOfSeveral(error, ledger);
		RollbackAndReleaseCurrentSubTransaction();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = attempt.keeper;
	ledger->attempt = NULL;
	if (error == NULL)
		return;
	if (!of_several)
		ReThrowError(error);

	ereport(DEBUG1,
			(errmsg_internal("one process reads again, because several cannot: %s", error->message)));
	FreeErrorData(error);
	LedgerRestore(ledger, &saved);
	CurrentRun->rows_read = rows_read;
	CurrentRun->read_workers = read_workers;
	read(arg);
}

/*-------------------------------------------------------------------------
 *
 * receiver.c
 *	  What takes a source's rows as they arrive, and what all ways of reading share.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "figures.h"
#include "read/receiver.h"

void
ReportRows(const IngestReceiver *receiver)
{
	const GpufimRows *rows = receiver->rows;

	CurrentRun->rows_read = rows->growth.rows;
	CurrentRun->done = rows->growth.rows;
	CurrentRun->transactions = receiver->tids ? receiver->tids->n : rows->transactions;
	CurrentRun->distinct_items = rows->items->n;
}

void
RaiseTooManyTransactions(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("too many transactions"),
			 errdetail("At most %u can be mined in one call.", FIM_MAX_TRANSACTIONS - 1),
			 errhint("Select fewer rows.")));
}

/*-------------------------------------------------------------------------
 *
 * scan.h
 *	  From the batches of results that an engine writes to rows: in the function's tuplestore, or in
 *	  a scan that makes each row when it is asked for.
 *
 * PostgreSQL writes the rows of a function in FROM to a tuplestore and reads them from it, which
 * often takes longer than finding the results.  In place of that, a plan node of our own keeps the
 * batches as they are, and makes a row of a result only when the row is asked for.  It also knows
 * which columns the query refers to, so that no other is made, and whether there are any, so that
 * for count(*) results are counted and not listed.
 *
 * A family makes rows in one way, its row maker.  The function's sink uses the maker where whoever
 * called the function wants whole rows, and hands it to the node where that scans the result.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_SCAN_H
#define GPUFIM_SCAN_H

#include "postgres.h"

#include "engine/engine.h"
#include "fmgr.h"
#include "gpufim.h"
#include "nodes/extensible.h"
#include "results.h"
#include "utils/tuplestore.h"
#include "work/work.h"

/*
 * row_sink.c: What a function puts into its result, and what row makers have in common.
 */

/* The most columns that a maker fills. */
#define ROW_COLUMNS		10

/*
 * Makes rows of batches.  A family's maker begins with this.  All that it points to lies in its
 * memory context, because a scan still uses it when the call that made it has ended.
 */
typedef struct RowMaker
{
	/* Begin a batch.  It stays in place until the next one is begun. */
	void		(*begin) (struct RowMaker *maker, const uint32 *words);

	/*
	 * Set the values of the batch's next row.  Those that are not passed by value are good until
	 * the next call.  Only columns that are wanted are set.
	 */
	void		(*next) (struct RowMaker *maker, Datum *values);

	/*
	 * Returns the length of the result that this record stands for, and goes on to the next record.
	 * NULL if results have no lengths.
	 */
	uint32		(*length) (const struct RowMaker *maker, const uint32 **record);

	const ResultWords *words;
	const char *results_found;	/* "the itemsets found" */
	MemoryContext memory;
	bool		wanted[ROW_COLUMNS];	/* the columns that whoever takes the rows may look at */
	bool		nulls[ROW_COLUMNS]; /* those that are NULL in all rows, and those that are not wanted */

	/* what counts the memory: the ledger until the rows are encoded, then the job; neither once that has ended */
	MemoryLedger *ledger;
	struct Job *job;
} RowMaker;

/*
 * Make a maker of this size, all zero but for what stands above after its functions, with a memory context of its
 * own below the current one.  The memory counts in the ledger until RowSinkUseJob().
 */
extern void *RowMakerCreate(Size size, FunctionCallInfo fcinfo, MemoryLedger *ledger, const ResultWords *words);

/*
 * Resize a block of a maker's memory, or allocate one if it is NULL, and count what it takes more.  RowMakerCharge()
 * only counts, or raises an error that says for "what" there is not enough memory.
 */
extern void *RowMakerResize(RowMaker *maker, void *block, Size old_size, Size size, const char *what);
extern void RowMakerCharge(RowMaker *maker, Size bytes, const char *what);

/* What a sink does with batches. */
typedef enum RowSinkUse
{
	ROWS_STORED,				/* their rows come into the function's tuplestore */
	BATCHES_STORED,				/* the batches themselves do, for a scan */
	RESULTS_COUNTED				/* for a scan that wants to know no more than their number */
} RowSinkUse;

/*
 * A sink for a function's results.  Its functions may raise errors.  The engine writes batches each of
 * which can be read alone, and scans rely on that: a scan may end in the middle of one and begin with the first one again.
 */
typedef struct RowSink
{
	FimSink		sink;			/* must be first */
	RowMaker   *maker;
	struct Job *job;
	FunctionCallInfo call;		/* as long as the function has not returned */
	RowSinkUse	use;

	/* Shows the job's summary in the figures of the call.  NULL if there is nothing to show. */
	void		(*show) (const void *arg, const void *summary);
	const void *show_arg;
	Tuplestorestate *store;
	TupleDesc	desc;			/* of the rows in "store" */

	/* results by length, RunLengths() */
	int64	   *lengths;
	size_t		nlengths;

	/* a batch as a value, and the size of its memory in bytes */
	bytea	   *batch;
	Size		batch_size;
} RowSink;

/* Create a sink in the current memory context. */
extern RowSink *RowSinkCreate(FunctionCallInfo fcinfo, RowMaker *maker);

/* From now on, memory counts in the job, and the maker's ledger may be destroyed. */
extern void RowSinkUseJob(RowSink *sink, struct Job *job);

/*
 * The last thing that a function does: have the job write its results to the sink, and end it.  If there is a scan, the
 * function may return before: then the scan has the job go on whenever it has made rows of all batches.
 */
extern void RowSinkMine(RowSink *sink);

/*
 * The same for a function that has no job, or has had it done, and has written all results to the sink itself.  The maker's
 * ledger may be destroyed then.
 */
extern void RowSinkEnd(RowSink *sink);

/* Count the results of these records by length, for those who do not write batches to the sink but make rows themselves. */
extern void RowSinkCountLengths(RowSink *sink, const uint32 *record, const uint32 *end);

/*
 * row_scan.c: The scan.
 */

/*
 * The methods of the plan node.  Its custom_exprs have the call, its custom_private whether the
 * query wants only some rows and how many of the best ones, and its custom_scan_tlist all columns of the call's result, or none if
 * the results need only be counted, because the query refers to no column and wants all rows.
 */
extern const CustomScanMethods RowScanMethods;

/* Is the function called by a scan? */
extern bool IsRowScan(FunctionCallInfo fcinfo);

/*
 * Is it called by a scan that needs only the number of results?  Then a
 * function that can count need not list: it calls RowScanTakeCount() in place of writing to a sink.
 */
extern bool RowScanCounts(FunctionCallInfo fcinfo);
extern void RowScanTakeCount(FunctionCallInfo fcinfo, uint64 results);

/* Is it called by a scan of which the query wants only some rows, the first ones that come? */
extern bool RowScanWantsFew(FunctionCallInfo fcinfo);

/*
 * Is it called by a scan of which the query wants only the best rows?  Returns how many, or 0: all.  Others that are as good as the
 * last of these are wanted, too.
 */
extern uint32 RowScanBest(FunctionCallInfo fcinfo);

/*
 * Might the query refer to a column of the result, counted from 0?  False only if the function is
 * called by a scan that knows that it does not.
 */
extern bool RowColumnIsWanted(FunctionCallInfo fcinfo, int column);

/*
 * The function has put batches into its tuplestore, as rows of the columns of RowBatchDesc(): the number of
 * results and the words.  The scan takes over the sink's maker.  If the call goes on, it also takes over the sink and the call
 * itself, and go_on() is the step for CallGoOn(), with the sink as argument, that has the job write more batches; otherwise go_on is
 * NULL.  A function that calls neither this nor RowScanTakeCount() has found nothing.
 */
extern void RowScanTake(FunctionCallInfo fcinfo, RowSink *sink, bool (*go_on) (void *sink));
extern TupleDesc RowBatchDesc(void);

/*
 * row_path.c: Planning a scan.
 */

/* From now on in this session, plan a scan for each function in FROM that can be scanned. */
extern void EnableRowPath(void);

#endif							/* GPUFIM_SCAN_H */

/*-------------------------------------------------------------------------
 *
 * row_scan.c
 *	  A scan of the rows that a function in FROM returns.
 *
 * The node calls the function as a FunctionScan does: when the first row is asked for, and again
 * only if the parameters of the call have changed.  As that does, it can go backward, so that a
 * cursor need not be declared with SCROLL.  Batches can only be read forward.  So a scan that goes back for the first
 * time makes the rows again that it has returned, and from then on keeps rows and reads these.
 *
 * The call may go on after it has returned the first batches.  Then the scan asks for more when it has made rows of all that are
 * there.  It keeps those that it has read only if it may be told to begin anew or to go back, or has been told so: the
 * executor does not say it of a scan in a subquery that depends on other rows.  A query that
 * ends, or a cursor that is closed, before all rows have been asked for, gives the call up.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/explain.h"
#include "compat.h"
#include "executor/executor.h"
#include "gpufim.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "pgstat.h"
#include "scan/scan.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/ruleutils.h"
#include "utils/tuplestore.h"

typedef struct RowScan
{
	CustomScanState custom;		/* must be first */
	FuncExpr   *call;
	FmgrInfo	function;
	List	   *arguments;		/* of ExprState */
	Bitmapset  *parameters;		/* the executor's parameters that the arguments depend on */
	Bitmapset  *columns;		/* those that the query refers to, as pull_varattnos() numbers them */

	bool		counts;			/* results, and nothing else */
	bool		wants_few;		/* the query wants only some rows */
	int			best;			/* the query wants only so many of the best rows; 0: all */
	bool		keeps;			/* batches that have been read */

	/* what the function has returned */
	struct RunFrame *running;	/* the call, if it goes on */
	RowSink    *sink;			/* its sink then ... */
	bool		(*go_on) (void *sink);	/* ... and what has more written to that */
	bool		forgot;			/* batches that have been read */
	Tuplestorestate *batches;	/* NULL before it is called */
	RowMaker   *maker;			/* NULL before it is called, and if it has found nothing */
	uint64		results;		/* only how many there are, if it counts */

	/* where the scan is */
	TupleTableSlot *batch;		/* the one that is being read */
	uint32		left;			/* rows that have not been made of it yet */
	uint64		place;			/* of the row that was returned last, from 1; 0: before the first one; one more
								 * than there are rows: behind the last one */

	/* rows that are kept, once the scan has gone back; NULL before */
	Tuplestorestate *rows;
	TupleTableSlot *kept;		/* one of them */

	/* what the calls have done, for EXPLAIN */
	uint64		calls;
	double		phase_ms[GPUFIM_NPHASES];	/* without that of putting out results */
	GpufimRun	run;			/* of the last call */
} RowScan;

/* The read pointers of tuplestores, of batches and of rows. */
#define WRITE_POINTER	0		/* at the beginning, for when batches are written */
#define READ_POINTER	1

static const CustomExecMethods RowExecMethods;

TupleDesc
RowBatchDesc(void)
{
	TupleDesc	desc = CreateTemplateTupleDesc(1);

	TupleDescInitEntry(desc, 1, "batch", BYTEAOID, -1, 0);
	/* with another storage, short batches would get a short header and lose their alignment */
	TupleDescAttr(desc, 0)->attstorage = TYPSTORAGE_PLAIN;
	populate_compact_attribute(desc, 0);
	TupleDescFinalize(desc);
	return desc;
}

bool
IsRowScan(FunctionCallInfo fcinfo)
{
	return fcinfo->context != NULL && IsA(fcinfo->context, CustomScanState) &&
		((CustomScanState *) fcinfo->context)->methods == &RowExecMethods;
}

bool
RowScanCounts(FunctionCallInfo fcinfo)
{
	return IsRowScan(fcinfo) && ((RowScan *) fcinfo->context)->counts;
}

bool
RowScanWantsFew(FunctionCallInfo fcinfo)
{
	return IsRowScan(fcinfo) && ((RowScan *) fcinfo->context)->wants_few;
}

uint32
RowScanBest(FunctionCallInfo fcinfo)
{
	return IsRowScan(fcinfo) ? ((RowScan *) fcinfo->context)->best : 0;
}

bool
RowColumnIsWanted(FunctionCallInfo fcinfo, int column)
{
	return !IsRowScan(fcinfo) ||
		bms_is_member(column + 1 - FirstLowInvalidHeapAttributeNumber,
					  ((RowScan *) fcinfo->context)->columns);
}

void
RowScanTakeCount(FunctionCallInfo fcinfo, uint64 results)
{
	((RowScan *) fcinfo->context)->results = results;
}

void
RowScanTake(FunctionCallInfo fcinfo, RowSink *sink, bool (*go_on) (void *sink))
{
	RowScan    *scan = (RowScan *) fcinfo->context;
	MemoryContext context = scan->custom.ss.ps.state->es_query_cxt;

	MemoryContextSetParent(sink->maker->memory, context);
	scan->maker = sink->maker;
	if (go_on != NULL)
	{
		scan->sink = sink;
		scan->go_on = go_on;
		scan->running = CallGoesOn(context);
	}
}

static Node *
CreateRowScan(CustomScan *plan)
{
	RowScan    *scan = palloc0(sizeof(RowScan));

	NodeSetTag(scan, T_CustomScanState);
	scan->custom.methods = &RowExecMethods;
	scan->call = linitial(plan->custom_exprs);
	scan->counts = plan->custom_scan_tlist == NIL;
	scan->wants_few = intVal(linitial(plan->custom_private)) != 0;
	scan->best = intVal(lsecond(plan->custom_private));
	return (Node *) scan;
}

const CustomScanMethods RowScanMethods = {
	.CustomName = "Gpufim Rows",
	.CreateCustomScanState = CreateRowScan
};

static bool
CollectParameters(Node *node, void *parameters)
{
	if (node == NULL)
		return false;
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXEC)
		*(Bitmapset **) parameters = bms_add_member(*(Bitmapset **) parameters,
													((Param *) node)->paramid);
	return expression_tree_walker(node, CollectParameters, parameters);
}

static void
InitCall(RowScan *scan)
{
	FuncExpr   *call = scan->call;
	AclResult	allowed = CheckCallAllowed(call->funcid);

	if (allowed != ACLCHECK_OK)
		aclcheck_error(allowed, OBJECT_FUNCTION, get_func_name(call->funcid));
	InvokeFunctionExecuteHook(call->funcid);
	fmgr_info(call->funcid, &scan->function);
	fmgr_info_set_expr((Node *) call, &scan->function);
	scan->arguments = ExecInitExprList(call->args, &scan->custom.ss.ps);
	CollectParameters((Node *) call->args, &scan->parameters);
}

static void
BeginRowScan(CustomScanState *node, EState *estate, int eflags)
{
	RowScan    *scan = (RowScan *) node;
	TupleTableSlot *row = node->ss.ss_ScanTupleSlot;

	InitCall(scan);
	pull_varattnos((Node *) node->ss.ps.plan->targetlist, INDEX_VAR, &scan->columns);
	pull_varattnos((Node *) node->ss.ps.plan->qual, INDEX_VAR, &scan->columns);
	/* a plan that checks rows again begins anew for each of them */
	scan->keeps = (eflags & (EXEC_FLAG_REWIND | EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK)) != 0 ||
		estate->es_epq_active != NULL;
	scan->batch = MakeSingleTupleTableSlot(RowBatchDesc(), &TTSOpsMinimalTuple);
	scan->kept = MakeSingleTupleTableSlot(row->tts_tupleDescriptor, &TTSOpsMinimalTuple);
	/* columns that the maker does not set stay as they are */
	memset(row->tts_isnull, true, row->tts_tupleDescriptor->natts * sizeof(bool));
}

/* Evaluates the arguments in the current memory context. */
static void
EvaluateArguments(RowScan *scan, FunctionCallInfo fcinfo)
{
	ExprContext *context = scan->custom.ss.ps.ps_ExprContext;
	ListCell   *cell;
	int			i = 0;

	foreach(cell, scan->arguments)
	{
		fcinfo->args[i].value = ExecEvalExpr((ExprState *) lfirst(cell), context,
											 &fcinfo->args[i].isnull);
		i++;
	}
}

/* Keep what the call that has just ended has done. */
static void
NoteRun(RowScan *scan)
{
	const GpufimRun *run = LastRunFigures();

	scan->calls++;
	scan->run = *run;
	for (int phase = 0; phase < GPUFIM_NPHASES; phase++)
		scan->phase_ms[phase] += run->phase_ms[phase];
	scan->phase_ms[GPUFIM_MINING] -= run->emit_ms;
}

static void
CallFunctionOf(RowScan *scan)
{
	TupleTableSlot *row = scan->custom.ss.ss_ScanTupleSlot;
	LOCAL_FCINFO(fcinfo, FUNC_MAX_ARGS);
	MemoryContext garbage = AllocSetContextCreate(CurrentMemoryContext, "gpufim arguments",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(garbage);
	ReturnSetInfo result = {
		.type = T_ReturnSetInfo,
		.econtext = scan->custom.ss.ps.ps_ExprContext,
		.allowedModes = SFRM_Materialize,
		.returnMode = SFRM_ValuePerCall
	};
	PgStat_FunctionCallUsage usage;

	InitFunctionCallInfoData(*fcinfo, &scan->function, list_length(scan->arguments),
							 scan->call->inputcollid, (Node *) scan, (Node *) &result);
	EvaluateArguments(scan, fcinfo);
	pgstat_init_function_usage(fcinfo, &usage);
	FunctionCallInvoke(fcinfo);
	pgstat_end_function_usage(&usage, true);
	scan->batches = result.setResult;
	(void) tuplestore_alloc_read_pointer(scan->batches, EXEC_FLAG_REWIND);
	tuplestore_select_read_pointer(scan->batches, READ_POINTER);
	FreeTupleDesc(result.setDesc);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(garbage);

	if (scan->running == NULL)
		NoteRun(scan);
	if (scan->maker != NULL)
		memcpy(row->tts_isnull, scan->maker->nulls,
			   Min(row->tts_tupleDescriptor->natts, ROW_COLUMNS) * sizeof(bool));
}

static bool
GoesForward(ScanState *node)
{
	return ScanDirectionIsForward(node->ps.state->es_direction);
}

/* Call the function if it has not been called yet, and return the empty slot for the next row. */
static TupleTableSlot *
ClearedRow(RowScan *scan)
{
	if (scan->batches == NULL)
		CallFunctionOf(scan);
	return ExecClearTuple(scan->custom.ss.ss_ScanTupleSlot);
}

/*
 * Have the call find more.  It writes behind what has been read, by another read pointer: the
 * one that is selected would stay at the end.
 */
static void
FindMore(RowScan *scan)
{
	scan->sink->sink.kept = 0;
	if (!scan->keeps)
	{
		ExecClearTuple(scan->batch);
		tuplestore_clear(scan->batches);
		scan->forgot = true;
	}
	tuplestore_select_read_pointer(scan->batches, WRITE_POINTER);
	if (!CallGoOn(scan->running, scan->go_on, scan->sink))
	{
		scan->running = NULL;
		NoteRun(scan);
	}
	tuplestore_select_read_pointer(scan->batches, READ_POINTER);
}

/* Go to the next batch.  Returns false if there is none. */
static bool
NextBatch(RowScan *scan)
{
	const uint32 *batch;
	bool		isnull;

	while (!tuplestore_gettupleslot(scan->batches, true, false, scan->batch))
	{
		if (scan->running == NULL)
			return false;
		FindMore(scan);
	}
	batch = (const uint32 *) VARDATA(DatumGetPointer(slot_getattr(scan->batch, 1, &isnull)));
	scan->left = batch[0];
	scan->maker->begin(scan->maker, batch + 1);
	return true;
}

/* Make the next row.  Returns false if there is none. */
static bool
MakeRow(RowScan *scan, TupleTableSlot *row)
{
	while (scan->left == 0)
	{
		if (!NextBatch(scan))
			return false;
	}
	scan->left--;
	scan->maker->next(scan->maker, row->tts_values);
	ExecStoreVirtualTuple(row);
	return true;
}

/* Read the batches from the beginning. */
static void
Rewind(RowScan *scan)
{
	tuplestore_rescan(scan->batches);
	scan->left = 0;
}

/* Make the next row and keep it.  Returns false if there is none. */
static bool
KeepRow(RowScan *scan, TupleTableSlot *row)
{
	if (!MakeRow(scan, row))
		return false;
	tuplestore_select_read_pointer(scan->rows, WRITE_POINTER);
	tuplestore_puttupleslot(scan->rows, row);
	tuplestore_select_read_pointer(scan->rows, READ_POINTER);
	ExecClearTuple(row);
	return true;
}

/* Keep the rows up to the place where the scan is. */
static void
KeepRows(RowScan *scan, TupleTableSlot *row)
{
	MemoryContext caller = MemoryContextSwitchTo(scan->custom.ss.ps.state->es_query_cxt);

	scan->rows = tuplestore_begin_heap(true, false, work_mem);
	(void) tuplestore_alloc_read_pointer(scan->rows, EXEC_FLAG_REWIND | EXEC_FLAG_BACKWARD);
	MemoryContextSwitchTo(caller);
	Rewind(scan);
	for (uint64 i = 0; i < scan->place && KeepRow(scan, row); i++)
		CHECK_FOR_INTERRUPTS();
	tuplestore_select_read_pointer(scan->rows, READ_POINTER);
	tuplestore_rescan(scan->rows);
	tuplestore_skiptuples(scan->rows, (int64) scan->place, true);
}

static TupleTableSlot *
NextKeptRow(RowScan *scan, bool forward, TupleTableSlot *row)
{
	TupleTableSlot *kept = scan->kept;
	int			natts = row->tts_tupleDescriptor->natts;

	while (!tuplestore_gettupleslot(scan->rows, forward, false, kept))
	{
		if (!forward || !KeepRow(scan, row))
			return row;
	}
	slot_getallattrs(kept);
	memcpy(row->tts_values, kept->tts_values, natts * sizeof(Datum));
	memcpy(row->tts_isnull, kept->tts_isnull, natts * sizeof(bool));
	return ExecStoreVirtualTuple(row);
}

/* The next row in the direction of the scan. */
static TupleTableSlot *
NextRow(ScanState *node)
{
	RowScan    *scan = (RowScan *) node;
	TupleTableSlot *row = ClearedRow(scan);

	if (GoesForward(node) && scan->rows == NULL)
	{
		scan->place++;
		(void) MakeRow(scan, row);
		return row;
	}
	if (scan->rows == NULL)
		KeepRows(scan, row);
	return NextKeptRow(scan, GoesForward(node), row);
}

/* The next row of a scan that counts. */
static TupleTableSlot *
NextEmptyRow(ScanState *node)
{
	RowScan    *scan = (RowScan *) node;
	TupleTableSlot *row = ClearedRow(scan);

	if (!GoesForward(node))
		scan->place -= scan->place > 0;
	else
		scan->place += scan->place <= scan->results;
	return scan->place == 0 || scan->place > scan->results ? row : ExecStoreVirtualTuple(row);
}

/*
 * EvalPlanQual(), which checks rows again that have been updated concurrently, calls this in
 * place of NextRow().  The row that it checks is never one of this scan, because that would need
 * rows as a whole, which only a FunctionScan returns.  So it joins that row with the rows of a
 * new scan of this kind.
 */
static bool
RecheckRow(ScanState *node, TupleTableSlot *row)
{
	NextRow(node);
	return true;
}

static bool
RecheckEmptyRow(ScanState *node, TupleTableSlot *row)
{
	NextEmptyRow(node);
	return true;
}

static TupleTableSlot *
ExecRowScan(CustomScanState *node)
{
	if (((RowScan *) node)->counts)
		return ExecScan(&node->ss, NextEmptyRow, RecheckEmptyRow);
	return ExecScan(&node->ss, NextRow, RecheckRow);
}

static void
ForgetRows(RowScan *scan)
{
	ExecClearTuple(scan->kept);
	if (scan->rows != NULL)
		tuplestore_end(scan->rows);
	scan->rows = NULL;
}

/* No more rows are asked for. */
static void
StopCall(RowScan *scan)
{
	if (scan->running == NULL)
		return;
	JobEnd(scan->sink->job);
	CallGiveUp(scan->running);
	scan->running = NULL;
	NoteRun(scan);
}

static void
Forget(RowScan *scan)
{
	StopCall(scan);
	ExecClearTuple(scan->batch);
	if (scan->batches != NULL)
		tuplestore_end(scan->batches);
	if (scan->maker != NULL)
		MemoryContextDelete(scan->maker->memory);
	scan->batches = NULL;
	scan->forgot = false;
	scan->maker = NULL;
	scan->results = 0;
	scan->left = 0;
}

static void
EndRowScan(CustomScanState *node)
{
	RowScan    *scan = (RowScan *) node;

	ForgetRows(scan);
	Forget(scan);
	ExecDropSingleTupleTableSlot(scan->kept);
	ExecDropSingleTupleTableSlot(scan->batch);
}

static void
ReScanRowScan(CustomScanState *node)
{
	RowScan    *scan = (RowScan *) node;

	ExecScanReScan(&node->ss);
	ForgetRows(scan);
	scan->place = 0;
	if (bms_overlap(node->ss.ps.chgParam, scan->parameters))
		Forget(scan);
	else if (scan->batches != NULL)
		scan->keeps = true;
	if (scan->forgot)
		Forget(scan);
	if (scan->batches != NULL)
		Rewind(scan);
}

/* What the calls have done: the engine of the last one, and the time of all. */
static void
ExplainCalls(const RowScan *scan, ExplainState *es)
{
	static const char *const phases[GPUFIM_NPHASES] = {"Reading Time", "Encoding Time", "Waiting Time", "Mining Time"};
	const GpufimRun *run = &scan->run;

	ExplainPropertyUInteger("Calls", NULL, scan->calls, es);
	if (scan->calls == 0)
		return;
	if (run->phase == GPUFIM_MINING)
	{
		ExplainPropertyText("Engine", run->on_gpu ? "gpu" : "cpu", es);
		ExplainPropertyText("Strategy", run->strategy, es);
		ExplainPropertyInteger("Workers", NULL, run->workers, es);
	}
	if (!es->timing)
		return;
	for (int phase = 0; phase < GPUFIM_NPHASES; phase++)
	{
		/* few calls wait for a GPU */
		if (phase != GPUFIM_WAITING || scan->phase_ms[phase] > 0)
			ExplainPropertyFloat(phases[phase], "ms", scan->phase_ms[phase], 3, es);
	}
}

/*
 * The properties that are there before the call, and their names, are those of a FunctionScan.  No row is asked for
 * any more, so a call that still goes on is stopped to have its figures.
 */
static void
ExplainRowScan(CustomScanState *node, List *ancestors, ExplainState *es)
{
	RowScan    *scan = (RowScan *) node;
	FuncExpr   *call = scan->call;
	CustomScan *plan = (CustomScan *) node->ss.ps.plan;
	int			relid = bms_singleton_member(plan->custom_relids);
	char	   *function = get_func_name(call->funcid);
	char	   *schema = es->verbose ? get_namespace_name(get_func_namespace(call->funcid)) : NULL;

	/* no lock keeps others from dropping the function while it runs */
	if (function != NULL)
		ExplainPropertyText("Function Name", function, es);
	if (schema != NULL)
		ExplainPropertyText("Schema", schema, es);
	ExplainPropertyText("Alias", list_nth(es->rtable_names, relid - 1), es);
	if (scan->best > 0)
		ExplainPropertyInteger("Most Frequent", NULL, scan->best, es);
	if (es->verbose && function != NULL)
	{
		List	   *context = set_deparse_context_plan(es->deparse_cxt, node->ss.ps.plan, ancestors);

		ExplainPropertyText("Function Call",
							deparse_expression((Node *) call, context, true, false), es);
	}
	if (es->analyze)
	{
		StopCall(scan);
		ExplainCalls(scan, es);
	}
}

static const CustomExecMethods RowExecMethods = {
	.CustomName = "Gpufim Rows",
	.BeginCustomScan = BeginRowScan,
	.ExecCustomScan = ExecRowScan,
	.EndCustomScan = EndRowScan,
	.ReScanCustomScan = ReScanRowScan,
	.ExplainCustomScan = ExplainRowScan
};

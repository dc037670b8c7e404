/*-------------------------------------------------------------------------
 *
 * pair_scan.c
 *	  A scan of the pairs that a function in FROM finds.
 *
 * The node calls the function as a FunctionScan does: when the first row is asked for, and again
 * only if the parameters of the call have changed.  As that does, it can go backward, so that a
 * cursor need not be declared with SCROLL.
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
#include "engine/sets/sets.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "pgstat.h"
#include "sets/sets.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/ruleutils.h"
#include "utils/tuplestore.h"

/*
 * Reading the pairs of a batch as values of a row.
 */

void
PairReaderInit(PairReader *reader, const FimSetsSpec *spec, const Datum *left, const Datum *right,
			   uint64 transactions, int ncolumns)
{
	bool		one = right == NULL;

	memset(reader, 0, sizeof(PairReader));
	reader->left = left;
	reader->right = one ? left : right;
	reader->witnesses = spec->witnesses;
	reader->similar = spec->result == FIM_SETS_SIMILAR;
	reader->part = ncolumns > PAIR_PART;
	reader->both_orders = one && spec->result == FIM_SETS_PRODUCT;
	reader->ascending = spec->result == FIM_SETS_PAIRS ||
		(reader->similar && spec->measure != FIM_CONTAINMENT);
	reader->transactions = (double) transactions;
}

void
PairReaderBegin(PairReader *reader, const uint32 *words, size_t nwords)
{
	reader->batch = reader->next = reader->record = words;
	reader->end = words + nwords;
	reader->i = reader->n = 0;
	reader->turned = false;
}

/* Go behind the last pair of the batch. */
static void
PairReaderEnd(PairReader *reader)
{
	reader->next = reader->record = reader->end;
	reader->i = reader->n = 0;
	reader->turned = false;
}

/*
 * Go to the end of the record before the one that is being read.  Only its successor tells where
 * it begins, so it is looked for from the beginning of the batch, which is short.
 */
static void
PreviousRecord(PairReader *reader)
{
	const uint32 *end = reader->record;

	reader->next = reader->batch;
	while (reader->next != end)
		PairReaderNextRecord(reader);
	reader->i = reader->n;
}

/*
 * Go back by one pair, so that PairReaderNext() gives it again.  Returns false if there is none
 * before in the batch.
 */
static bool
PairReaderBack(PairReader *reader)
{
	if (reader->turned)
	{
		reader->turned = false;
		return true;
	}
	while (reader->i == 0)
	{
		if (reader->record == reader->batch)
			return false;
		PreviousRecord(reader);
	}
	reader->i--;
	reader->turned = reader->both_orders && reader->value != reader->others[reader->i];
	return true;
}

void
PairReaderNextRecord(PairReader *reader)
{
	const uint32 *record = reader->next;
	uint32		n = record[1];

	reader->record = record;
	reader->value = record[0];
	reader->n = n;
	reader->i = 0;
	reader->others = record + 2;
	reader->numbers = reader->others + n;
	reader->similarities = reader->numbers + (reader->witnesses ? n : 0);
	reader->next = reader->similarities + (reader->similar ? 2 * (Size) n : 0);
}

typedef struct PairScan
{
	CustomScanState custom;		/* must be first */
	FuncExpr   *call;
	FmgrInfo	function;
	List	   *arguments;		/* of ExprState */
	Bitmapset  *parameters;		/* the executor's parameters that the arguments depend on */
	Bitmapset  *columns;		/* those that the query refers to, as pull_varattnos() numbers them */
	int			modes;			/* SetFunctionReturnMode that the function may choose */

	/* what the function has returned */
	bool		taken;			/* it has called PairScanTake() or PairScanTakeCount() */
	Tuplestorestate *batches;	/* NULL before it is called */
	MemoryContext memory;		/* has all that the reader points to; NULL before the call */
	TupleTableSlot *batch;
	PairReader	reader;			/* its next pair is the one behind the row that was returned last */
	bool		ended;			/* there was no next row, so no row was returned last */

	/* or, if no column is referred to, only how many pairs there are */
	uint64		pairs;
	uint64		place;			/* of the row that was returned last, from 1; 0: before, pairs + 1:
								 * behind all */
} PairScan;

static const CustomExecMethods PairExecMethods;

TupleDesc
PairBatchDesc(void)
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
IsPairScan(FunctionCallInfo fcinfo)
{
	return fcinfo->context != NULL && IsA(fcinfo->context, CustomScanState) &&
		((CustomScanState *) fcinfo->context)->methods == &PairExecMethods;
}

bool
PairScanCounts(FunctionCallInfo fcinfo)
{
	return IsPairScan(fcinfo) && bms_is_empty(((PairScan *) fcinfo->context)->columns);
}

bool
PairColumnIsWanted(FunctionCallInfo fcinfo, int column)
{
	return !IsPairScan(fcinfo) ||
		bms_is_member(column + 1 - FirstLowInvalidHeapAttributeNumber,
					  ((PairScan *) fcinfo->context)->columns);
}

void
PairScanTakeCount(FunctionCallInfo fcinfo, uint64 pairs)
{
	PairScan   *scan = (PairScan *) fcinfo->context;

	scan->taken = true;
	scan->pairs = pairs;
}

void
PairScanTake(FunctionCallInfo fcinfo, const PairReader *reader, MemoryContext memory)
{
	PairScan   *scan = (PairScan *) fcinfo->context;

	scan->taken = true;
	MemoryContextSetParent(memory, scan->custom.ss.ps.state->es_query_cxt);
	scan->memory = memory;
	scan->reader = *reader;
}

static Node *
CreatePairScan(CustomScan *plan)
{
	PairScan   *scan = palloc0(sizeof(PairScan));

	NodeSetTag(scan, T_CustomScanState);
	scan->custom.methods = &PairExecMethods;
	scan->call = linitial(plan->custom_exprs);
	return (Node *) scan;
}

const CustomScanMethods PairScanMethods = {
	.CustomName = "Gpufim Pairs",
	.CreateCustomScanState = CreatePairScan
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
InitCall(PairScan *scan)
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
BeginPairScan(CustomScanState *node, EState *estate, int eflags)
{
	PairScan   *scan = (PairScan *) node;
	TupleTableSlot *row = node->ss.ss_ScanTupleSlot;

	InitCall(scan);
	scan->modes = SFRM_Materialize | (eflags & EXEC_FLAG_BACKWARD ? SFRM_Materialize_Random : 0);
	pull_varattnos((Node *) node->ss.ps.plan->targetlist, INDEX_VAR, &scan->columns);
	pull_varattnos((Node *) node->ss.ps.plan->qual, INDEX_VAR, &scan->columns);
	scan->batch = MakeSingleTupleTableSlot(PairBatchDesc(), &TTSOpsMinimalTuple);
	/* columns that pairs may lack are NULL until the function has been called */
	for (int i = 0; i < row->tts_tupleDescriptor->natts; i++)
		row->tts_isnull[i] = i >= PAIR_VALUES;
}

/* Evaluates the arguments in the current memory context. */
static void
EvaluateArguments(PairScan *scan, FunctionCallInfo fcinfo)
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

static void
CallFunctionOf(PairScan *scan)
{
	LOCAL_FCINFO(fcinfo, FUNC_MAX_ARGS);
	MemoryContext garbage = AllocSetContextCreate(CurrentMemoryContext, "gpufim arguments",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(garbage);
	ReturnSetInfo result = {
		.type = T_ReturnSetInfo,
		.econtext = scan->custom.ss.ps.ps_ExprContext,
		.allowedModes = scan->modes,
		.returnMode = SFRM_ValuePerCall
	};
	PgStat_FunctionCallUsage usage;

	InitFunctionCallInfoData(*fcinfo, &scan->function, list_length(scan->arguments),
							 scan->call->inputcollid, (Node *) scan, (Node *) &result);
	EvaluateArguments(scan, fcinfo);
	pgstat_init_function_usage(fcinfo, &usage);
	FunctionCallInvoke(fcinfo);
	pgstat_end_function_usage(&usage, true);
	if (!scan->taken)
		elog(ERROR, "function %u has left no pairs to a scan", scan->call->funcid);
	scan->batches = result.setResult;
	FreeTupleDesc(result.setDesc);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(garbage);

	PairReaderBegin(&scan->reader, NULL, 0);
	if (scan->reader.witnesses)
		scan->custom.ss.ss_ScanTupleSlot->tts_isnull[PAIR_WITNESSES] = false;
	if (scan->reader.part)
		scan->custom.ss.ss_ScanTupleSlot->tts_isnull[PAIR_PART] = false;
}

/*
 * Go to the beginning of the next batch, or to the end of the one before.  Returns false if there
 * is none.
 */
static bool
GoToBatch(PairScan *scan, bool forward)
{
	const bytea *batch;
	bool		isnull;

	PairReaderBegin(&scan->reader, NULL, 0);
	if (!tuplestore_gettupleslot(scan->batches, forward, false, scan->batch))
		return false;
	batch = (const bytea *) DatumGetPointer(slot_getattr(scan->batch, 1, &isnull));
	PairReaderBegin(&scan->reader, (const uint32 *) VARDATA(batch),
					(VARSIZE(batch) - VARHDRSZ) / sizeof(uint32));
	if (!forward)
		PairReaderEnd(&scan->reader);
	return true;
}

/* Go back by one row.  Returns false at the first one. */
static bool
GoBack(PairScan *scan)
{
	while (!PairReaderBack(&scan->reader))
	{
		if (!GoToBatch(scan, false))
			return false;
	}
	return true;
}

/* Have the next row be the one before that which was returned last.  Returns false if there is none. */
static bool
GoBefore(PairScan *scan)
{
	bool		last = scan->ended || GoBack(scan);

	scan->ended = false;
	return last && GoBack(scan);
}

static bool
GoesForward(ScanState *node)
{
	return ScanDirectionIsForward(node->ps.state->es_direction);
}

/* Call the function if it has not been called yet, and return the empty slot for the next row. */
static TupleTableSlot *
ClearedRow(PairScan *scan)
{
	if (scan->batches == NULL)
		CallFunctionOf(scan);
	return ExecClearTuple(scan->custom.ss.ss_ScanTupleSlot);
}

/* The next row in the direction of the scan. */
static TupleTableSlot *
NextRow(ScanState *node)
{
	PairScan   *scan = (PairScan *) node;
	TupleTableSlot *row = ClearedRow(scan);

	if (!GoesForward(node) && !GoBefore(scan))
		return row;
	while (!PairReaderNext(&scan->reader, row->tts_values))
	{
		if (!GoToBatch(scan, true))
		{
			scan->ended = true;
			return row;
		}
	}
	return ExecStoreVirtualTuple(row);
}

/* The next row of a scan without columns. */
static TupleTableSlot *
NextEmptyRow(ScanState *node)
{
	PairScan   *scan = (PairScan *) node;
	TupleTableSlot *row = ClearedRow(scan);

	if (!GoesForward(node))
		scan->place -= scan->place > 0;
	else
		scan->place += scan->place <= scan->pairs;
	return scan->place == 0 || scan->place > scan->pairs ? row : ExecStoreVirtualTuple(row);
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
ExecPairScan(CustomScanState *node)
{
	if (((PairScan *) node)->columns == NULL)
		return ExecScan(&node->ss, NextEmptyRow, RecheckEmptyRow);
	return ExecScan(&node->ss, NextRow, RecheckRow);
}

static void
Forget(PairScan *scan)
{
	if (scan->batches != NULL)
		tuplestore_end(scan->batches);
	if (scan->memory != NULL)
		MemoryContextDelete(scan->memory);
	scan->batches = NULL;
	scan->memory = NULL;
	scan->taken = false;
}

static void
EndPairScan(CustomScanState *node)
{
	PairScan   *scan = (PairScan *) node;

	ExecDropSingleTupleTableSlot(scan->batch);
	Forget(scan);
}

static void
ReScanPairScan(CustomScanState *node)
{
	PairScan   *scan = (PairScan *) node;

	ExecScanReScan(&node->ss);
	ExecClearTuple(scan->batch);
	if (bms_overlap(node->ss.ps.chgParam, scan->parameters))
		Forget(scan);
	scan->ended = false;
	scan->place = 0;
	if (scan->batches == NULL)
		return;
	tuplestore_rescan(scan->batches);
	PairReaderBegin(&scan->reader, NULL, 0);
}

/* The properties and their names are those of a FunctionScan. */
static void
ExplainPairScan(CustomScanState *node, List *ancestors, ExplainState *es)
{
	FuncExpr   *call = ((PairScan *) node)->call;
	CustomScan *plan = (CustomScan *) node->ss.ps.plan;
	int			relid = bms_singleton_member(plan->custom_relids);

	ExplainPropertyText("Function Name", get_func_name(call->funcid), es);
	if (es->verbose)
		ExplainPropertyText("Schema", get_namespace_name(get_func_namespace(call->funcid)), es);
	ExplainPropertyText("Alias", list_nth(es->rtable_names, relid - 1), es);
	if (es->verbose)
	{
		List	   *context = set_deparse_context_plan(es->deparse_cxt, node->ss.ps.plan, ancestors);

		ExplainPropertyText("Function Call",
							deparse_expression((Node *) call, context, true, false), es);
	}
}

static const CustomExecMethods PairExecMethods = {
	.CustomName = "Gpufim Pairs",
	.BeginCustomScan = BeginPairScan,
	.ExecCustomScan = ExecPairScan,
	.EndCustomScan = EndPairScan,
	.ReScanCustomScan = ReScanPairScan,
	.ExplainCustomScan = ExplainPairScan
};

/*-------------------------------------------------------------------------
 *
 * frequent_itemsets.c
 *	  The SQL functions frequent_itemsets() and itemset_counts().
 *
 * Each has an array form and a pair form, and each form a variant with a type
 * witness behind minsup.  All of them check their arguments here, before the
 * source is touched, and then run the same phases.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "compat.h"
#include "engine/minsup.h"
#include "executor/spi.h"
#include "figures.h"
#include "itemsets/encode.h"
#include "itemsets/result_rows.h"
#include "read/ingest.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

/* Arguments from "kind" on, the same in every form. */
#define OPTIONAL_ARGUMENTS	5

/*
 * The arguments of a call, taken one after the other.
 */
typedef struct Arguments
{
	FunctionCallInfo fcinfo;
	int			next;
} Arguments;

static Datum
TakeRequired(Arguments *args, const char *name)
{
	NullableDatum *arg = &args->fcinfo->args[args->next++];

	if (arg->isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"%s\" must not be null", name)));
	return arg->value;
}

static char *
TakeName(Arguments *args, const char *name)
{
	return pstrdup(NameStr(*DatumGetName(TakeRequired(args, name))));
}

static ArrayType *
TakeTextArray(Arguments *args, const char *name)
{
	NullableDatum *arg = &args->fcinfo->args[args->next++];
	ArrayType  *array;

	if (arg->isnull)
		return NULL;
	array = DatumGetArrayTypePCopy(arg->value);
	if (array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"%s\" must not contain nulls", name)));
	return array;
}

static double
TakeMinsup(Arguments *args)
{
	double		minsup = DatumGetFloat8(TakeRequired(args, "minsup"));

	if (isnan(minsup) || isinf(minsup) || minsup <= 0 ||
		(minsup >= 1 && minsup != floor(minsup)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid value for argument \"minsup\": %s",
						float8out_internal(minsup)),
				 errhint("Give a fraction of the transactions, greater than 0 and less than 1, "
						 "or a number of transactions, which is a whole number from 1 up.")));
	return minsup;
}

/* The element type of the array type that the witness has been declared with. */
static Oid
TakeWitness(Arguments *args)
{
	Oid			type = get_fn_expr_argtype(args->fcinfo->flinfo, args->next++);
	Oid			element = get_base_element_type(type);

	if (!OidIsValid(element))
		elog(ERROR, "could not determine the element type of argument \"item_type\"");
	return element;
}

static FimKind
TakeKind(Arguments *args)
{
	char	   *kind = TextDatumGetCString(TakeRequired(args, "kind"));

	if (strcmp(kind, "all") == 0)
		return FIM_ALL;
	if (strcmp(kind, "closed") == 0)
		return FIM_CLOSED;
	if (strcmp(kind, "maximal") == 0)
		return FIM_MAXIMAL;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid value for argument \"kind\": \"%s\"", kind),
			 errhint("Valid values are \"all\", \"closed\" and \"maximal\".")));
	return FIM_ALL;				/* keep compiler quiet */
}

static void
TakeLengths(Arguments *args, GpufimRequest *request)
{
	int32		min_length = DatumGetInt32(TakeRequired(args, "min_length"));
	NullableDatum *max_length = &args->fcinfo->args[args->next++];

	if (min_length < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"min_length\" must be at least 1")));
	request->min_length = min_length;
	request->max_length = FIM_NO_LIMIT;

	if (max_length->isnull)
		return;
	if (DatumGetInt32(max_length->value) < min_length)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"max_length\" must not be less than \"min_length\""),
				 errhint("Omit \"max_length\" for itemsets of any length.")));
	request->max_length = DatumGetInt32(max_length->value);
}

static void
ReadRequest(FunctionCallInfo fcinfo, bool pairs, GpufimRequest *request)
{
	Arguments	args = {fcinfo, 0};

	request->source = TextDatumGetCString(TakeRequired(&args, "source"));
	request->tid_column = pairs ? TakeName(&args, "tid_column") : NULL;
	request->item_argument = pairs ? "item_column" : "items_column";
	request->item_column = TakeName(&args, request->item_argument);
	request->minsup = TakeMinsup(&args);
	request->witness_type = InvalidOid;
	if (PG_NARGS() - args.next > OPTIONAL_ARGUMENTS)
		request->witness_type = TakeWitness(&args);
	request->kind = TakeKind(&args);
	TakeLengths(&args, request);
	request->including = TakeTextArray(&args, "including");
	request->excluding = TakeTextArray(&args, "excluding");
}

/* The columns that a call reads, and how many they are. */
static int
ColumnsOfRequest(const GpufimRequest *request, SourceColumn *columns)
{
	int			n = 0;

	memset(columns, 0, 2 * sizeof(SourceColumn));
	if (request->tid_column)
	{
		columns[n].role = ROLE_TRANSACTION;
		columns[n].name = request->tid_column;
		columns[n++].argument = "tid_column";
	}
	columns[n].role = request->tid_column ? ROLE_ITEM : ROLE_ITEMS;
	columns[n].name = request->item_column;
	columns[n].argument = request->item_argument;
	columns[n].witness = request->witness_type;
	return n + 1;
}

static Dictionary *
CreateDictionary(MemoryLedger *ledger, const SourceColumn *column, bool keep_values,
				 const char *what)
{
	return DictionaryCreate(ledger, column->type, column->collation, keep_values, what);
}

static GpufimRows *
ReadRows(const GpufimRequest *request, GpufimSource *source, MemoryLedger *ledger)
{
	const SourceColumn *transaction = SourceColumnOf(source, ROLE_TRANSACTION);
	const SourceColumn *item = &source->columns[source->ncolumns - 1];
	RowLayout	layout = {.unique = true,.minsup = request->minsup};
	Dictionary *items = CreateDictionary(ledger, item, true, "distinct items");
	Dictionary *transactions;
	GpufimRows *rows;

	if (transaction == NULL)
		return IngestSource(source, &layout, ledger, items, NULL);
	layout.grouped = true;
	transactions = CreateDictionary(ledger, transaction, false, "distinct transaction ids");
	rows = IngestSource(source, &layout, ledger, items, transactions);
	DictionaryFree(transactions);
	return rows;
}

static GpufimRows *
ReadSource(const GpufimRequest *request, MemoryLedger *ledger)
{
	MemoryContext call_context = CurrentMemoryContext;
	SourceColumn columns[2];
	int			ncolumns = ColumnsOfRequest(request, columns);
	GpufimSource *source;
	GpufimRows *rows;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	MemoryContextSwitchTo(call_context);
	source = SourceOpen(request->source, columns, ncolumns);

	/*
	 * An engine or strategy that is not there should not cost a scan.  It comes
	 * after all other errors, since to know it may take the start of a worker.
	 */
	CheckEngineChoice(&FimItemsetsFamily);
	rows = ReadRows(request, source, ledger);
	SPI_finish();
	MemoryContextSwitchTo(call_context);
	return rows;
}

static FimItemsetsJob
JobOfRequest(const GpufimRequest *request, const GpufimItems *items, uint32 minsup)
{
	FimItemsetsJob job = {{0}};

	job.head.size = sizeof(job);
	job.head.count_only = request->count_only;
	job.kind = request->kind;
	job.minsup = minsup;
	job.prefix_length = items->nprefix;
	job.min_length = request->min_length;
	job.max_length = request->max_length;
	return job;
}

/* Mine the rows, which are gone after this, and make rows of the results. */
static void
MineRows(FunctionCallInfo fcinfo, const GpufimRequest *request, GpufimRows *rows,
		 const GpufimItems *items, uint32 minsup)
{
	int64		transactions = rows->transactions;
	FimItemsetsJob what = JobOfRequest(request, items, minsup);
	EngineCost	cost = ItemsetsCost(items);
	GpufimEmitter *emitter = NULL;
	Job		   *job;
	FimTally	tally;

	if (!request->count_only)
		emitter = EmitterCreate(fcinfo, rows->ledger, items, transactions);
	job = JobCreate(&FimItemsetsFamily, &what.head, &cost);
	tally.lengths = FimTallyLengths(&what, BuildDatabase(job, rows, items));
	if (emitter != NULL)
		EmitterUseJob(emitter, job);
	tally.counts = JobRun(job, emitter ? EmitterSink(emitter) : NULL);
	JobEnd(job);
	if (request->count_only)
		EmitCounts(fcinfo, &tally);
}

static void
MineSource(FunctionCallInfo fcinfo, const GpufimRequest *request)
{
	MemoryLedger *ledger = LedgerCreate();
	GpufimRows *rows = ReadSource(request, ledger);
	GpufimItems *items;
	uint32		minsup;

	RunEnterPhase(GPUFIM_ENCODING);
	minsup = FimThreshold(request->minsup, rows->transactions);
	CurrentRun->minsup = minsup;
	items = PruneItems(rows, request, minsup);
	if (items->impossible)
	{
		RowsClose(rows);
		LedgerDestroy(ledger);
		return;
	}
	CurrentRun->frequent_items = items->nitems + items->nprefix;
	MineRows(fcinfo, request, rows, items, minsup);
}

/*
 * What all of the functions do.  Everything allocated on the way lives in a
 * context of the call's own, which goes with it, whichever way it ends.
 */
static Datum
RunFunction(FunctionCallInfo fcinfo, const char *function, bool pairs, bool count_only)
{
	MemoryContext call_context;
	MemoryContext caller;
	GpufimRequest request = {0};
	RunFrame	frame;

	InitMaterializedSRF(fcinfo, 0);

	call_context = AllocSetContextCreate(CurrentMemoryContext, "gpufim call",
										 ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(call_context);

	request.function = function;
	request.count_only = count_only;
	ReadRequest(fcinfo, pairs, &request);

	RunBegin(&frame, function);
	PG_TRY();
	{
		MineSource(fcinfo, &request);
	}
	PG_CATCH();
	{
		RunEnd(&frame, false);
		PG_RE_THROW();
	}
	PG_END_TRY();
	RunEnd(&frame, true);

	MemoryContextSwitchTo(caller);
	MemoryContextDelete(call_context);
	return (Datum) 0;
}

PG_FUNCTION_INFO_V1(gpufim_frequent_itemsets_array);

Datum
gpufim_frequent_itemsets_array(PG_FUNCTION_ARGS)
{
	return RunFunction(fcinfo, "frequent_itemsets", false, false);
}

PG_FUNCTION_INFO_V1(gpufim_frequent_itemsets_pairs);

Datum
gpufim_frequent_itemsets_pairs(PG_FUNCTION_ARGS)
{
	return RunFunction(fcinfo, "frequent_itemsets", true, false);
}

PG_FUNCTION_INFO_V1(gpufim_itemset_counts_array);

Datum
gpufim_itemset_counts_array(PG_FUNCTION_ARGS)
{
	return RunFunction(fcinfo, "itemset_counts", false, true);
}

PG_FUNCTION_INFO_V1(gpufim_itemset_counts_pairs);

Datum
gpufim_itemset_counts_pairs(PG_FUNCTION_ARGS)
{
	return RunFunction(fcinfo, "itemset_counts", true, true);
}

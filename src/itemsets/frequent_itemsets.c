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

#include <ctype.h>
#include <math.h>

#include "call.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "engine/minsup.h"
#include "figures.h"
#include "itemsets/encode.h"
#include "itemsets/forecast.h"
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

static bool
FindKind(const char *name, FimKind *kind)
{
	static const char *const names[] = {"all", "closed", "maximal"};

	for (int i = 0; i < lengthof(names); i++)
	{
		if (strcmp(name, names[i]) == 0)
		{
			*kind = (FimKind) i;
			return true;
		}
	}
	return false;
}

static FimKind
TakeKind(Arguments *args)
{
	char	   *name = TextDatumGetCString(TakeRequired(args, "kind"));
	FimKind		kind;

	if (!FindKind(name, &kind))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid value for argument \"kind\": \"%s\"", name),
				 errhint("Valid values are \"all\", \"closed\" and \"maximal\".")));
	return kind;
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
ReadRequest(FunctionCallInfo fcinfo, void *arg)
{
	GpufimRequest *request = arg;
	Arguments	args = {fcinfo, 0};

	request->source = TextDatumGetCString(TakeRequired(&args, "source"));
	request->tid_column = request->pairs ? TakeName(&args, "tid_column") : NULL;
	request->item_argument = request->pairs ? "item_column" : "items_column";
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
	RowLayout	layout = {.unique = true,.minsup = request->minsup,.foresee = ForecastMemory};
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
	SourceColumn columns[2];
	int			ncolumns = ColumnsOfRequest(request, columns);
	GpufimSource *source;
	GpufimRows *rows;

	SourceConnect();
	source = SourceOpen(request->source, columns, ncolumns);

	/*
	 * An engine or strategy that is not there should not cost a scan.  It comes
	 * after all other errors, since to know it may take the start of a worker.
	 */
	CheckEngineChoice(&FimItemsetsFamily);
	rows = ReadRows(request, source, ledger);
	SourceDisconnect();
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
	job.nrequired = items->nrequired;
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
	struct Job *job;
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

/* A number of transactions that there are not is no error, but hardly meant. */
static void
NoteHighMinsup(const GpufimRequest *request, int64 transactions)
{
	if (request->minsup >= 1 && request->minsup > transactions)
		ereport(NOTICE,
				(errmsg("no itemset can be frequent, because \"minsup\" is %s and the number of transactions is %lld",
						float8out_internal(request->minsup), (long long) transactions)));
}

static void
MineSource(FunctionCallInfo fcinfo, void *arg)
{
	const GpufimRequest *request = arg;
	MemoryLedger *ledger = LedgerCreate();
	GpufimRows *rows = ReadSource(request, ledger);
	GpufimItems *items;
	uint32		minsup;

	RunEnterPhase(GPUFIM_ENCODING);
	minsup = FimThreshold(request->minsup, rows->transactions);
	NoteHighMinsup(request, rows->transactions);
	CurrentRun->minsup = minsup;
	items = PruneItems(rows, request, minsup);
	if (items->impossible)
	{
		RowsClose(rows);
		LedgerDestroy(ledger);
		return;
	}
	CurrentRun->frequent_items = items->nitems + items->nrequired;
	MineRows(fcinfo, request, rows, items, minsup);
}

static Datum
RunFunction(FunctionCallInfo fcinfo, const char *function, bool pairs, bool count_only)
{
	GpufimRequest request = {0};

	request.function = function;
	request.pairs = pairs;
	request.count_only = count_only;
	return CallFunction(fcinfo, function, ReadRequest, MineSource, &request);
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

/*
 * The functions for parameters without types.  A driver may leave it to the server
 * to find out what types a call's parameters have.  Then all of the functions above
 * fit a call of four or five, and PostgreSQL prefers these, whose arguments are all
 * text.  They have the pair form's names.  Whether the arguments by position are
 * those of the pair form or of the array form, where each stands one place further
 * on, is seen by the fourth: it is either minsup or a kind.
 */
#define UNTYPED_ARGUMENTS	9
#define FIRST_OPTIONAL		4	/* its default and those of the next are '' */

typedef struct Untyped
{
	char	   *text[UNTYPED_ARGUMENTS];	/* NULL for NULL */
	bool		given[UNTYPED_ARGUMENTS];
} Untyped;

static void
ReadUntyped(FunctionCallInfo fcinfo, Untyped *from)
{
	for (int i = 0; i < UNTYPED_ARGUMENTS; i++)
	{
		from->text[i] = PG_ARGISNULL(i) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(i));
		from->given[i] = i < FIRST_OPTIONAL || from->text[i] == NULL || *from->text[i] != '\0';
	}
}

static void
MoveUntyped(const Untyped *from, int i, Untyped *to, int j)
{
	if (!from->given[i])
		return;
	if (to->given[j])
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("an argument of the array form is given twice, by position and by name")));
	to->text[j] = from->text[i];
	to->given[j] = true;
}

/*
 * The arguments of the array form, with an empty place for tid_column, so that each
 * is at the same index as the pair form's.  An argument by position lies one too
 * early, one by name where it belongs.  An argument has been given by position only
 * if all before it have.
 */
static void
ArrayFormOfUntyped(const Untyped *from, Untyped *to)
{
	bool		by_position = true;

	memset(to, 0, sizeof(*to));
	MoveUntyped(from, 0, to, 0);
	for (int i = 1; i < UNTYPED_ARGUMENTS; i++)
	{
		by_position = by_position && from->given[i] && i < UNTYPED_ARGUMENTS - 1;
		MoveUntyped(from, i, to, by_position ? i + 1 : i);
	}
}

static void
SetArgument(FunctionCallInfo call, Oid type, const char *text)
{
	NullableDatum *to = &call->args[call->nargs++];
	Oid			input;
	Oid			ioparam;

	to->isnull = text == NULL;
	to->value = (Datum) 0;
	if (text == NULL)
		return;
	getTypeInputInfo(type, &input, &ioparam);
	to->value = OidInputFunctionCall(input, unconstify(char *, text), ioparam, -1);
}

static const char *
UntypedOr(const Untyped *from, int i, const char *default_text)
{
	return from->given[i] ? from->text[i] : default_text;
}

static void
CheckUntypedMinsup(const char *text)
{
	char	   *end;

	if (text == NULL)
		return;
	(void) strtod(text, &end);
	while (isspace((unsigned char) *end))
		end++;
	if (end != text && *end == '\0')
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("argument \"minsup\" is not a number, nor is \"%s\" a kind", text),
			 errhint("Give parameters their types: ($1::text, $2::name, $3::float8, $4::text) for arrays of items, "
					 "($1::text, $2::name, $3::name, $4::float8) for an item in each row.")));
}

static Datum
RunUntyped(FunctionCallInfo fcinfo, const char *function, bool count_only)
{
	LOCAL_FCINFO(call, UNTYPED_ARGUMENTS);
	Untyped		given;
	Untyped		arguments;
	FimKind		kind;
	bool		pairs;

	ReadUntyped(fcinfo, &given);
	pairs = given.text[3] == NULL || !FindKind(given.text[3], &kind);
	if (pairs)
		arguments = given;
	else
		ArrayFormOfUntyped(&given, &arguments);

	InitFunctionCallInfoData(*call, fcinfo->flinfo, 0, fcinfo->fncollation, fcinfo->context,
							 fcinfo->resultinfo);
	SetArgument(call, TEXTOID, arguments.text[0]);
	if (pairs)
		SetArgument(call, NAMEOID, arguments.text[1]);
	SetArgument(call, NAMEOID, arguments.text[2]);
	CheckUntypedMinsup(arguments.text[3]);
	SetArgument(call, FLOAT8OID, arguments.text[3]);
	SetArgument(call, TEXTOID, UntypedOr(&arguments, 4, "all"));
	SetArgument(call, INT4OID, UntypedOr(&arguments, 5, "1"));
	SetArgument(call, INT4OID, UntypedOr(&arguments, 6, NULL));
	SetArgument(call, TEXTARRAYOID, UntypedOr(&arguments, 7, NULL));
	SetArgument(call, TEXTARRAYOID, UntypedOr(&arguments, 8, NULL));
	return RunFunction(call, function, pairs, count_only);
}

PG_FUNCTION_INFO_V1(gpufim_frequent_itemsets_untyped);

Datum
gpufim_frequent_itemsets_untyped(PG_FUNCTION_ARGS)
{
	return RunUntyped(fcinfo, "frequent_itemsets", false);
}

PG_FUNCTION_INFO_V1(gpufim_itemset_counts_untyped);

Datum
gpufim_itemset_counts_untyped(PG_FUNCTION_ARGS)
{
	return RunUntyped(fcinfo, "itemset_counts", true);
}

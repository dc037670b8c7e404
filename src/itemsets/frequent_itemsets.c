/*-------------------------------------------------------------------------
 *
 * frequent_itemsets.c
 *	  The SQL functions frequent_itemsets(), itemset_counts() and top_itemsets().
 *
 * Each has an array form, a pair form and a form of a transaction_set, and each form a variant with a
 * type sample, which stands behind minsup or k, or right after the set.  All of them go through the same phases: read the source,
 * keep the frequent items, build the database, mine it, and make rows of the results.
 * If only the best itemsets are wanted, the threshold is one that they certainly reach, and rises while they are mined.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "engine/engine.h"
#include "engine/itemsets/itemsets.h"
#include "engine/parts.h"
#include "fmgr.h"
#include "gpufim.h"
#include "itemsets/best.h"
#include "itemsets/itemsets.h"
#include "scan/scan.h"
#include "utils/array.h"
#include "utils/builtins.h"

/*
 * What a call asks for.
 */

/*
 * The arguments of a call, checked as far as is possible before the source is read.  Pointers
 * live as long as the call's memory context.
 */
typedef struct ItemsetsRequest
{
	TransactionsRequest from;
	FimKind		kind;
	bool		count_only;
	uint32		min_length;
	uint32		max_length;		/* FIM_NO_LIMIT for none */
	ArrayType  *including;		/* text[] or NULL */
	ArrayType  *excluding;		/* text[] or NULL */
	ArrayType  *including_any;	/* text[] or NULL */
	FimPart		part;			/* of the results */
	BestWanted	best;
} ItemsetsRequest;

/* The number of arguments behind minsup or k and the type sample, which is the same in every form. */
#define OPTIONAL_ARGUMENTS	(6 + PARTS_ARGUMENTS)
#define BEST_OPTIONAL_ARGUMENTS	6

/*
 * Read and check the arguments of a call.  "request" is its ItemsetsRequest, in which the caller
 * has set "from.form" and "count_only".
 */
static void
ReadRequest(FunctionCallInfo fcinfo, void *arg)
{
	ItemsetsRequest *request = arg;
	Arguments	args = {fcinfo, 0};

	TakeTransactions(&args, OPTIONAL_ARGUMENTS, &request->from);
	request->kind = TakeKind(&args);
	TakeLengths(&args, "itemsets", &request->min_length, &request->max_length);
	request->including = TakeTextArray(&args, "including");
	request->excluding = TakeTextArray(&args, "excluding");
	request->including_any = TakeTextArray(&args, "including_any");
	TakePart(&args, &request->part);
	/* the best of all may all be in another part, and the threshold is guessed from all */
	if (FimIsPart(&request->part))
		request->best.k = 0;
}

static FimKind
TakeKindOfBest(Arguments *args)
{
	char	   *name = TextDatumGetCString(TakeRequired(args, "kind"));
	bool		known;
	FimKind		kind;

	known = FindKind(name, &kind);
	if (!known || kind == FIM_MAXIMAL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid value for argument \"kind\": \"%s\"", name),
				 known ?
				 errdetail("Which itemsets are maximal depends on the threshold, and this function looks for the threshold.") : 0,
				 errhint("Valid values are \"all\" and \"closed\".")));
	return kind;
}

/* The same for top_itemsets(). */
static void
ReadBestRequest(FunctionCallInfo fcinfo, void *arg)
{
	ItemsetsRequest *request = arg;
	Arguments	args = {fcinfo, 0};

	TakeTransactions(&args, BEST_OPTIONAL_ARGUMENTS, &request->from);
	TakeLengths(&args, "itemsets", &request->min_length, &request->max_length);
	request->kind = TakeKindOfBest(&args);
	request->including = TakeTextArray(&args, "including");
	request->excluding = TakeTextArray(&args, "excluding");
	request->best.ties = DatumGetBool(TakeRequired(&args, "ties"));
	request->best.k = request->from.k;
}

static FimItemsetsSpec
SpecOfRequest(const ItemsetsRequest *request, const GpufimItems *items, uint32 minsup)
{
	FimItemsetsSpec spec = {{0}};

	spec.head.size = sizeof(spec);
	spec.head.count_only = request->count_only;
	spec.head.part = request->part;
	spec.kind = request->kind;
	spec.minsup = minsup;
	spec.nrequired = items->nrequired;
	spec.nany = items->nany;
	spec.min_length = request->min_length;
	spec.max_length = request->max_length;
	return spec;
}

/*
 * Have the job find the best itemsets.  The threshold that shows is the support of the last one, unless the call has a
 * threshold, of which they are the best itemsets.
 */
static void
GiveOutBest(RowSink *sink, const ItemsetsRequest *request, const GpufimItems *items, FimItemsetsSpec *spec,
			const EngineCost *cost)
{
	double		last;

	spec->best = request->best.k;
	spec->minsup = MinsupOfBest(sink->job, spec, cost, items, spec->minsup);
	spec->best = 0;
	spec->head.count_only = false;
	JobContinue(sink->job, &spec->head, cost);
	last = MineBest(sink, &BestItemsets, BestItemsetsState(sink->job, items, spec->minsup), &request->best);
	if (!request->from.has_minsup)
		CurrentRun->minsup = isnan(last) ? 1 : (int64) last;
}

/* Mine the rows, which are freed on the way, and make rows of the results. */
static void
MineRows(FunctionCallInfo fcinfo, const ItemsetsRequest *request, GpufimRows *rows,
		 const GpufimItems *items, uint32 minsup)
{
	int64		transactions = rows->transactions;
	FimItemsetsSpec spec = SpecOfRequest(request, items, minsup);
	EngineCost	cost = ItemsetsCost(items);
	RowSink    *sink = NULL;
	struct Job *job;
	const FimDatabase *db;
	FimTally	tally;

	cost.wants_few = RowScanWantsFew(fcinfo);
	cost.only_cpu = request->best.k > 0 || items->nany > 0;
	if (!request->count_only)
		sink = FrequentRowsCreate(fcinfo, rows->ledger, items, transactions, request->from.best);
	job = JobCreate(&FimItemsetsFamily, &spec.head, &cost);
	db = BuildDatabase(job, rows, items);
	if (FimIsPart(&spec.head.part))
		AddDatabaseFingerprint(job, db);
	tally.lengths = FimTallyLengths(&spec, db);
	if (sink != NULL)
	{
		RowSinkUseJob(sink, job);
		if (request->best.k > 0)
			GiveOutBest(sink, request, items, &spec, &cost);
		else
			RowSinkMine(sink);
		return;
	}
	tally.counts = JobRun(job, NULL);
	JobEnd(job);
	if (RowScanCounts(fcinfo))
		RowScanTakeCount(fcinfo, SumCounts(&tally));
	else
		EmitCounts(fcinfo, &tally);
}

/* Is the threshold the only restriction of the results? */
static bool
FindsAll(const ItemsetsRequest *request)
{
	return request->kind == FIM_ALL && request->min_length == 1 && request->max_length == FIM_NO_LIMIT &&
		request->including == NULL && request->excluding == NULL && request->including_any == NULL;
}

/* Do itemsets of one item and the required ones have one of the lengths that are wanted? */
static bool
WantsSingles(const ItemsetsRequest *request, uint32 nrequired)
{
	return request->kind == FIM_ALL && request->min_length <= nrequired + 1 && request->max_length > nrequired;
}

/* The threshold by which items are kept. */
static uint32
MinsupOfItems(const ItemsetsRequest *request, const GpufimRows *rows)
{
	ArrayType  *excluding = request->excluding;
	uint32		excluded = excluding != NULL ? ArrayGetNItems(ARR_NDIM(excluding), ARR_DIMS(excluding)) : 0;
	uint32		minsup = request->from.has_minsup ? FimThreshold(request->from.minsup, rows->transactions) : 1;

	if (request->best.k == 0 || request->including != NULL || request->including_any != NULL ||
		!WantsSingles(request, 0))
		return minsup;
	return Max(minsup, FirstMinsup(rows, request->best.k, excluded));
}

/* All arguments that name items show in what the items are. */
static void
AddRequestFingerprint(const ItemsetsRequest *request, const GpufimItems *items)
{
	RunBeginFingerprint(&request->part);
	RunAddFingerprint(request->kind);
	RunAddFingerprint(request->min_length);
	RunAddFingerprint(request->max_length);
	RunAddFingerprint(CurrentRun->minsup);
	RunAddFingerprint(items->fingerprint);
}

static void
MineSource(FunctionCallInfo fcinfo, void *arg)
{
	const ItemsetsRequest *request = arg;
	MemoryLedger *ledger = LedgerCreate();
	GpufimRows *rows = ReadTransactionRows(&request->from, ledger);
	ItemFilter	filter = {.min_length = request->min_length,.max_length = request->max_length,
	.including = request->including,.excluding = request->excluding,.including_any = request->including_any,
	.with_values = !request->count_only,.with_fingerprint = FimIsPart(&request->part)};
	GpufimItems *items;
	uint32		minsup;

	RunEnterPhase(GPUFIM_ENCODING);
	minsup = MinsupOfItems(request, rows);
	NoteHighMinsup(request->from.minsup, rows->transactions,
				   gettext_noop("no itemset can be frequent, because \"minsup\" is %s and the number of transactions is %llu"));
	if (request->from.has_minsup && FindsAll(request))
		NoteLowestMinsup(request->from.minsup, rows->transactions,
						 _("\"minsup\" is 1, so one transaction is enough for an itemset"));
	filter.minsup = minsup;
	CurrentRun->minsup = request->from.has_minsup ? FimThreshold(request->from.minsup, rows->transactions) : minsup;
	items = PruneItems(rows, &filter);
	if (FimIsPart(&request->part))
		AddRequestFingerprint(request, items);
	if (items->impossible)
	{
		LedgerDestroy(ledger);
		return;
	}
	CurrentRun->frequent_items = items->nitems + items->nrequired;
	if (request->best.k > 0 && items->nany == 0 && WantsSingles(request, items->nrequired))
		minsup = FirstMinsupOf(items, request->best.k, minsup);
	MineRows(fcinfo, request, rows, items, minsup);
}

/* Run the function with this SQL name on the arguments of one of its forms. */
static Datum
ItemsetsFunction(FunctionCallInfo fcinfo, const char *function, TransactionsForm form, bool count_only)
{
	ItemsetsRequest request = {.from = {.form = form,.has_minsup = true}};

	request.count_only = count_only || RowScanCounts(fcinfo);
	/* whoever has set a GPU wants it to be used */
	if (gpufim_engine != GPUFIM_ENGINE_GPU)
		request.best.k = RowScanBest(fcinfo);
	request.best.ties = true;
	return CallFunction(fcinfo, function, ReadRequest, MineSource, &request);
}

PG_FUNCTION_INFO_V1(gpufim_frequent_itemsets_array);

Datum
gpufim_frequent_itemsets_array(PG_FUNCTION_ARGS)
{
	return ItemsetsFunction(fcinfo, "frequent_itemsets", FORM_ARRAYS, false);
}

PG_FUNCTION_INFO_V1(gpufim_frequent_itemsets_pairs);

Datum
gpufim_frequent_itemsets_pairs(PG_FUNCTION_ARGS)
{
	return ItemsetsFunction(fcinfo, "frequent_itemsets", FORM_PAIRS, false);
}

PG_FUNCTION_INFO_V1(gpufim_itemset_counts_array);

Datum
gpufim_itemset_counts_array(PG_FUNCTION_ARGS)
{
	return ItemsetsFunction(fcinfo, "itemset_counts", FORM_ARRAYS, true);
}

PG_FUNCTION_INFO_V1(gpufim_itemset_counts_pairs);

Datum
gpufim_itemset_counts_pairs(PG_FUNCTION_ARGS)
{
	return ItemsetsFunction(fcinfo, "itemset_counts", FORM_PAIRS, true);
}

/*
 * frequent_itemsets() and itemset_counts() of a transaction_set.
 *
 * With a type sample, which stands in the place of a source's column, arguments are those of the array form.  Without one,
 * they would be a place further ahead than there.  For a call whose first arguments are literals, PostgreSQL could then take a
 * minsup for a kind, or prefer a whole number to a float8.  So numbers come first in this form, and are of a domain: that is
 * never preferred.
 */

static Datum
ItemsetsOfSet(FunctionCallInfo fcinfo, const char *function, bool count_only)
{
	LOCAL_FCINFO(call, 2 + OPTIONAL_ARGUMENTS);

	if (PG_NARGS() > 2 + OPTIONAL_ARGUMENTS)
		return ItemsetsFunction(fcinfo, function, FORM_SET, count_only);
	PutNumbersBehindText(fcinfo, call, 2, 2); /* lengths, behind the kind */
	return ItemsetsFunction(call, function, FORM_SET, count_only);
}

PG_FUNCTION_INFO_V1(gpufim_frequent_itemsets_set);

Datum
gpufim_frequent_itemsets_set(PG_FUNCTION_ARGS)
{
	return ItemsetsOfSet(fcinfo, "frequent_itemsets", false);
}

PG_FUNCTION_INFO_V1(gpufim_itemset_counts_set);

Datum
gpufim_itemset_counts_set(PG_FUNCTION_ARGS)
{
	return ItemsetsOfSet(fcinfo, "itemset_counts", true);
}

/* The same for top_itemsets(), which has to list itemsets to count them. */
static Datum
BestFunction(FunctionCallInfo fcinfo, TransactionsForm form)
{
	ItemsetsRequest request = {.from = {.form = form,.best = true}};

	return CallFunction(fcinfo, "top_itemsets", ReadBestRequest, MineSource, &request);
}

PG_FUNCTION_INFO_V1(gpufim_top_itemsets_array);

Datum
gpufim_top_itemsets_array(PG_FUNCTION_ARGS)
{
	return BestFunction(fcinfo, FORM_ARRAYS);
}

PG_FUNCTION_INFO_V1(gpufim_top_itemsets_pairs);

Datum
gpufim_top_itemsets_pairs(PG_FUNCTION_ARGS)
{
	return BestFunction(fcinfo, FORM_PAIRS);
}

PG_FUNCTION_INFO_V1(gpufim_top_itemsets_set);

Datum
gpufim_top_itemsets_set(PG_FUNCTION_ARGS)
{
	return BestFunction(fcinfo, FORM_SET);
}

/*
 * frequent_itemsets() and itemset_counts() for parameters without types.
 *
 * The fourth argument is minsup in the pair form and a kind in the array form; see
 * arguments.c.
 */

#define UNTYPED_ARGUMENTS	12

static void
CheckUntypedMinsup(const char *text)
{
	if (text == NULL || IsNumberText(text))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("argument \"minsup\" is not a number, nor is \"%s\" a kind", text),
			 errhint("Kinds are \"all\", \"closed\" and \"maximal\". "
					 "Give parameters their types: ($1::text, $2::name, $3::float8, $4::text) for arrays of items, "
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
	/* a NULL is a kind if the argument before it is minsup, and not a column */
	pairs = given.text[UNTYPED_DECIDES] != NULL ? !FindKind(given.text[UNTYPED_DECIDES], &kind) :
		given.text[2] == NULL || !IsNumberText(given.text[2]);
	BeginFormCall(fcinfo, call, &given, pairs, &arguments);
	CheckUntypedMinsup(arguments.text[3]);
	AddArgument(call, FLOAT8OID, arguments.text[3]);
	AddArgument(call, TEXTOID, UntypedOr(&arguments, 4, "all"));
	AddArgument(call, INT4OID, UntypedOr(&arguments, 5, "1"));
	AddArgument(call, INT4OID, UntypedOr(&arguments, 6, NULL));
	AddArgument(call, TEXTARRAYOID, UntypedOr(&arguments, 7, NULL));
	AddArgument(call, TEXTARRAYOID, UntypedOr(&arguments, 8, NULL));
	AddArgument(call, TEXTARRAYOID, UntypedOr(&arguments, 9, NULL));
	AddArgument(call, INT4OID, UntypedOr(&arguments, 10, "0"));
	AddArgument(call, INT4OID, UntypedOr(&arguments, 11, "1"));
	return ItemsetsFunction(call, function, pairs ? FORM_PAIRS : FORM_ARRAYS, count_only);
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

/*
 * top_itemsets() for parameters without types.
 *
 * The third argument is a column in the pair form and k in the array form.
 */

#define UNTYPED_BEST_ARGUMENTS	10

PG_FUNCTION_INFO_V1(gpufim_top_itemsets_untyped);

Datum
gpufim_top_itemsets_untyped(PG_FUNCTION_ARGS)
{
	LOCAL_FCINFO(call, UNTYPED_BEST_ARGUMENTS);
	Untyped		given;
	Untyped		arguments;
	bool		pairs;

	ReadUntyped(fcinfo, &given);
	pairs = given.text[2] == NULL || !IsNumberText(given.text[2]);
	BeginFormCall(fcinfo, call, &given, pairs, &arguments);
	AddArgument(call, INT4OID, arguments.text[3]);
	AddArgument(call, INT4OID, UntypedOr(&arguments, 4, "1"));
	AddArgument(call, INT4OID, UntypedOr(&arguments, 5, NULL));
	AddArgument(call, TEXTOID, UntypedOr(&arguments, 6, "all"));
	AddArgument(call, TEXTARRAYOID, UntypedOr(&arguments, 7, NULL));
	AddArgument(call, TEXTARRAYOID, UntypedOr(&arguments, 8, NULL));
	AddArgument(call, BOOLOID, UntypedOr(&arguments, 9, "true"));
	return BestFunction(call, pairs ? FORM_PAIRS : FORM_ARRAYS);
}

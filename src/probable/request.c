/*-------------------------------------------------------------------------
 *
 * request.c
 *	  What a call of probable_itemsets() or probable_itemset_distribution() asks for, and
 *	  reading the source that it names.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "engine/probable/probable.h"
#include "gpufim.h"
#include "probable/probable.h"
#include "read/read.h"
#include "read/rows.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "work/work.h"

/* The number of arguments from "min_length" on, which is the same in every form. */
#define OPTIONAL_ARGUMENTS	(7 + PARTS_ARGUMENTS)

static void
TakeSource(Arguments *args, bool pairs, UncertainSource *from)
{
	from->source = TextDatumGetCString(TakeRequired(args, "source"));
	from->tid_column = pairs ? TakeName(args, "tid_column") : NULL;
	from->item_argument = pairs ? "item_column" : "items_column";
	from->item_column = TakeName(args, from->item_argument);
	if (pairs && args->fcinfo->args[args->next].isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"probability_column\" must not be null"),
				 errhint("If items are in arrays, this argument is \"minsup\", which must not be null either.")));
	from->probability_column = TakeName(args, "probability_column");
}

/* Returns NaN if the argument is NULL. */
static double
TakeMinprob(Arguments *args)
{
	NullableDatum *arg = &args->fcinfo->args[args->next++];
	double		minprob;

	if (arg->isnull)
		return get_float8_nan();
	minprob = DatumGetFloat8(arg->value);
	if (!(minprob > 0 && minprob <= 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid value for argument \"minprob\": %s",
						float8out_internal(minprob)),
				 errhint("Give a probability above 0 and at most 1, or NULL to select by expected support.")));
	return minprob;
}

void
ReadItemsetsRequest(FunctionCallInfo fcinfo, void *arg)
{
	ProbableRequest *request = arg;
	Arguments	args = {fcinfo, 0};

	TakeSource(&args, request->pairs, &request->from);
	request->minsup = TakeMinsup(&args, "transactions", "transactions");
	request->minprob = TakeMinprob(&args);
	if (PG_NARGS() - args.next > OPTIONAL_ARGUMENTS)
		request->from.type_sample = TakeTypeSample(&args, "item_type");
	TakeLengths(&args, "itemsets", &request->min_length, &request->max_length);
	request->including = TakeTextArray(&args, "including");
	request->excluding = TakeTextArray(&args, "excluding");
	request->kind = TakeKind(&args);
	request->exact = DatumGetBool(TakeRequired(&args, "exact"));
	request->including_any = TakeTextArray(&args, "including_any");
	TakePart(&args, &request->part);
}

void
ReadDistributionRequest(FunctionCallInfo fcinfo, void *arg)
{
	ProbableRequest *request = arg;
	Arguments	args = {fcinfo, 0};

	TakeSource(&args, request->pairs, &request->from);
	(void) TakeRequired(&args, "items");
	args.next--;
	request->items = TakeTextArray(&args, "items");
	if (ArrayGetNItems(ARR_NDIM(request->items), ARR_DIMS(request->items)) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"items\" must name at least one item")));
}

/*
 * Reading a source of uncertain transactions.
 */

#define MAX_COLUMNS	3

static GpufimSource *
OpenSource(const UncertainSource *from)
{
	SourceColumn columns[MAX_COLUMNS];
	SourceColumn *next = columns;

	if (from->tid_column)
		next = SourceColumnSet(next, ROLE_TRANSACTION, from->tid_column, "tid_column");
	next = SourceColumnSet(next, from->tid_column ? ROLE_ITEM : ROLE_ITEMS, from->item_column,
					 from->item_argument);
	next[-1].type_sample = from->type_sample;
	next = SourceColumnSet(next, ROLE_PROBABILITY, from->probability_column, "probability_column");
	return SourceOpen(from->source, columns, next - columns);
}

/*
 * An array of probabilities, or a probability in each pair, belongs to the items; a single number
 * belongs to the row.
 */
static RowLayout
LayoutOf(const GpufimSource *source)
{
	RowLayout	layout = {.unique = true};

	layout.grouped = SourceColumnOf(source, ROLE_TRANSACTION) != NULL;
	if (layout.grouped || SourceColumnOf(source, ROLE_PROBABILITY)->is_array)
		layout.value_words = VALUE_WORDS;
	else
		layout.head_words = VALUE_WORDS;
	return layout;
}

GpufimRows *
ReadUncertainRows(const UncertainSource *from, MemoryLedger *ledger)
{
	GpufimSource *source;
	RowLayout	layout;
	GpufimRows *rows;

	SourceConnect();
	source = OpenSource(from);

	/* A call for an engine or strategy that is not available should fail before the source is scanned. */
	CheckEngineChoice(&FimProbableFamily, false);
	layout = LayoutOf(source);
	rows = IngestSource(source, &layout, ledger);
	SourceDisconnect();
	return rows;
}

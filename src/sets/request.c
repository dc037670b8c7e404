/*-------------------------------------------------------------------------
 *
 * request.c
 *	  What a call of a function about products of sets asks for.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "sets/request.h"
#include "utils/builtins.h"
#include "utils/float.h"

static void
InitJob(SetsRequest *request, FimSetsResult result)
{
	request->job.head.size = sizeof(FimSetsJob);
	request->job.result = result;
	request->job.witnesses = true;
	request->job.min_witnesses = 1;
}

static void
TakeSource(Arguments *args, const char *argument, RelationSource *relation)
{
	relation->source = TextDatumGetCString(TakeRequired(args, argument));
	relation->argument = argument;
}

static void
TakeColumn(Arguments *args, const char *argument, RelationColumn *column)
{
	column->name = TakeName(args, argument);
	column->argument = argument;
}

/* Take a type sample, whose declared type is the wanted type of the results. */
static void
TakeValueWitness(Arguments *args, const char *argument, RelationColumn *column)
{
	column->type_sample = get_fn_expr_argtype(args->fcinfo->flinfo, args->next++);
	column->sample_argument = argument;
	if (!OidIsValid(column->type_sample))
		elog(ERROR, "could not determine the type of argument \"%s\"", argument);
}

static uint64
TakeMinWitnesses(Arguments *args)
{
	int64		least = DatumGetInt64(TakeRequired(args, "min_witnesses"));

	if (least < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"min_witnesses\" must be at least 1")));
	return (uint64) least;
}

/* Between the columns and "witnesses" there may be "min_witnesses", and then two type samples. */
void
ReadJoinRequest(FunctionCallInfo fcinfo, SetsRequest *request, bool listing)
{
	Arguments	args = {fcinfo, 0};
	int			optional;

	InitJob(request, FIM_SETS_PRODUCT);
	TakeSource(&args, "left_source", &request->left);
	TakeColumn(&args, "left_key", &request->left.key);
	TakeColumn(&args, "left_value", &request->left.value);
	TakeSource(&args, "right_source", &request->right);
	TakeColumn(&args, "right_key", &request->right.key);
	TakeColumn(&args, "right_value", &request->right.value);
	optional = fcinfo->nargs - args.next - listing;
	if (optional % 2 == 1)
		request->job.min_witnesses = TakeMinWitnesses(&args);
	if (optional >= 2)
	{
		TakeValueWitness(&args, "left_type", &request->left.value);
		TakeValueWitness(&args, "right_type", &request->right.value);
	}
	if (listing)
		request->job.witnesses = DatumGetBool(TakeRequired(&args, "witnesses"));
}

void
ReadMatrixRequest(FunctionCallInfo fcinfo, SetsRequest *request)
{
	Arguments	args = {fcinfo, 0};

	InitJob(request, FIM_SETS_PRODUCT);
	request->job.witnesses = false;
	TakeSource(&args, "a_source", &request->left);
	TakeColumn(&args, "a_row", &request->left.value);
	TakeColumn(&args, "a_column", &request->left.key);
	TakeSource(&args, "b_source", &request->right);
	TakeColumn(&args, "b_row", &request->right.key);
	TakeColumn(&args, "b_column", &request->right.value);
	request->left.key.whole_number = request->left.value.whole_number = true;
	request->right.key.whole_number = request->right.value.whole_number = true;
}

void
ReadPairsRequest(FunctionCallInfo fcinfo, SetsRequest *request, bool arrays)
{
	Arguments	args = {fcinfo, 0};

	InitJob(request, FIM_SETS_PAIRS);
	TakeSource(&args, "source", &request->left);
	if (!arrays)
		TakeColumn(&args, "tid_column", &request->left.key);
	TakeColumn(&args, arrays ? "items_column" : "item_column", &request->left.value);
	request->left.value.is_array = arrays;
	request->left.value.is_item = true;
	request->minsup = TakeMinsup(&args, "transactions", "transactions");
	if (args.next < fcinfo->nargs)
		TakeValueWitness(&args, "item_type", &request->left.value);
}

static double
TakeThreshold(Arguments *args)
{
	double		threshold = DatumGetFloat8(TakeRequired(args, "threshold"));

	if (!(threshold > 0 && threshold <= 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid value for argument \"threshold\": %s", float8out_internal(threshold)),
				 errhint("Give a number above 0 and up to 1; sets that have nothing in common have a similarity of 0.")));
	return threshold;
}

static FimSetsMeasure
TakeMeasure(Arguments *args)
{
	static const char *const names[] = {"jaccard", "cosine", "overlap", "containment"};
	char	   *name = TextDatumGetCString(TakeRequired(args, "measure"));

	for (int i = 0; i < lengthof(names); i++)
	{
		if (strcmp(name, names[i]) == 0)
			return (FimSetsMeasure) i;
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid value for argument \"measure\": \"%s\"", name),
			 errhint("Valid values are \"jaccard\", \"cosine\", \"overlap\" and \"containment\".")));
}

void
ReadSimilarRequest(FunctionCallInfo fcinfo, SetsRequest *request, bool row_numbers)
{
	Arguments	args = {fcinfo, 0};

	InitJob(request, FIM_SETS_SIMILAR);
	TakeSource(&args, "source", &request->left);
	if (!row_numbers)
		TakeColumn(&args, "tid_column", &request->left.value);
	TakeColumn(&args, row_numbers ? "items_column" : "item_column", &request->left.key);
	request->left.key.is_array = row_numbers;
	request->left.key.may_be_array = !row_numbers;
	request->left.key.is_item = true;
	request->job.threshold = TakeThreshold(&args);
	request->job.measure = TakeMeasure(&args);
}

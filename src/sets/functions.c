/*-------------------------------------------------------------------------
 *
 * functions.c
 *	  The SQL functions about products of sets, but for the product itself, which is in
 *	  product_call.c: what a call asks for, and the forms of each function.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "gpufim.h"
#include "sets/sets.h"
#include "utils/builtins.h"
#include "utils/float.h"

/*
 * What a call asks for.
 */

static void
InitRequest(SetsRequest *request, FimSetsResult result)
{
	request->result = result;
	request->witnesses = true;
	request->min_witnesses = 1;
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
TakeValueSample(Arguments *args, const char *argument, RelationColumn *column)
{
	column->type_sample = get_fn_expr_argtype(args->fcinfo->flinfo, args->next++);
	column->sample_argument = argument;
	if (!OidIsValid(column->type_sample))
		elog(ERROR, "could not determine the type of argument \"%s\"", argument);
}

static uint64
TakeLeast(Arguments *args, const char *argument)
{
	int64		least = DatumGetInt64(TakeRequired(args, argument));

	if (least < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"%s\" must be at least 1", argument)));
	return (uint64) least;
}

/* Take "part" and "parts", in forms that have them. */
static void
TakePartIfAny(Arguments *args, SetsRequest *request)
{
	if (args->next < args->fcinfo->nargs)
		TakePart(args, &request->part);
}

/*
 * Read and check the arguments of a call.  "arg" is its SetsRequest, in which the caller has set "form" or "count_only",
 * if the function has them.
 */

/*
 * A function that lists pairs has an argument "witnesses".  Between the columns and that there may be "min_witnesses", and
 * then two type samples.  A part may follow.
 */
static void
ReadJoinRequest(FunctionCallInfo fcinfo, void *arg)
{
	SetsRequest *request = arg;
	Arguments	args = {fcinfo, 0};
	int			optional;

	InitRequest(request, FIM_SETS_PRODUCT);
	TakeSource(&args, "left_source", &request->left);
	TakeColumn(&args, "left_key", &request->left.key);
	TakeColumn(&args, "left_value", &request->left.value);
	TakeSource(&args, "right_source", &request->right);
	TakeColumn(&args, "right_key", &request->right.key);
	TakeColumn(&args, "right_value", &request->right.value);
	optional = fcinfo->nargs - args.next - !request->count_only;
	/* type samples come in twos, and so do the arguments of a part */
	if (optional % 2 == 1)
		request->min_witnesses = TakeLeast(&args, "min_witnesses");
	if (optional >= 2)
	{
		TakeValueSample(&args, "left_type", &request->left.value);
		TakeValueSample(&args, "right_type", &request->right.value);
	}
	if (!request->count_only)
		request->witnesses = DatumGetBool(TakeRequired(&args, "witnesses"));
	TakePartIfAny(&args, request);
}

static void
ReadMatrixRequest(FunctionCallInfo fcinfo, void *arg)
{
	SetsRequest *request = arg;
	Arguments	args = {fcinfo, 0};

	InitRequest(request, FIM_SETS_PRODUCT);
	request->witnesses = false;
	TakeSource(&args, "a_source", &request->left);
	TakeColumn(&args, "a_row", &request->left.value);
	TakeColumn(&args, "a_column", &request->left.key);
	TakeSource(&args, "b_source", &request->right);
	TakeColumn(&args, "b_row", &request->right.key);
	TakeColumn(&args, "b_column", &request->right.value);
	request->left.key.whole_number = request->left.value.whole_number = true;
	request->right.key.whole_number = request->right.value.whole_number = true;
	TakePartIfAny(&args, request);
}

/*
 * The type sample of a set is an array, and comes before the arguments that all forms have, which are "common" of them.  Where that makes an
 * odd number of arguments with those of a part, there is a sample.
 */
static void
TakeItems(Arguments *args, SetsRequest *request, int common)
{
	bool		arrays = request->form == FORM_ARRAYS;

	if (request->form == FORM_SET)
	{
		request->left.set = SetOfDatum(TakeRequired(args, "s"));
		if ((args->fcinfo->nargs - args->next - common) % PARTS_ARGUMENTS == 1)
			request->left.value.type_sample = TakeTypeSample(args, "item_type");
		return;
	}
	TakeSource(args, "source", &request->left);
	if (!arrays)
		TakeColumn(args, "tid_column", &request->left.key);
	TakeColumn(args, arrays ? "items_column" : "item_column", &request->left.value);
	request->left.value.is_array = arrays;
	request->left.value.is_item = true;
}

static void
ReadPairsRequest(FunctionCallInfo fcinfo, void *arg)
{
	SetsRequest *request = arg;
	Arguments	args = {fcinfo, 0};

	InitRequest(request, FIM_SETS_PAIRS);
	TakeItems(&args, request, 1);
	request->minsup = TakeMinsup(&args, "transactions", "transactions");
	if ((fcinfo->nargs - args.next) % PARTS_ARGUMENTS == 1)
		TakeValueSample(&args, "item_type", &request->left.value);
	TakePartIfAny(&args, request);
}

/* Take a threshold.  Where only the most similar sets are asked for, it may be 0: then any similarity is enough. */
static double
TakeThreshold(Arguments *args, bool may_be_zero)
{
	double		threshold = DatumGetFloat8(TakeRequired(args, "threshold"));

	if (!((threshold > 0 || (threshold == 0 && may_be_zero)) && threshold <= 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid value for argument \"threshold\": %s", float8out_internal(threshold)),
				 may_be_zero ? errhint("Give a number from 0 to 1.") :
				 errhint("Give a number above 0 and up to 1; sets that have nothing in common have a similarity of 0.")));
	return threshold;
}

/* The names of measures by their numbers; NULL for those that a function does not have. */
typedef const char *MeasureNames[FIM_LOG_LIKELIHOOD_RATIO + 1];

static const MeasureNames of_sets = {
	[FIM_JACCARD] = "jaccard", [FIM_COSINE] = "cosine", [FIM_OVERLAP] = "overlap", [FIM_CONTAINMENT] = "containment"
};

/* as rule_measures() calls them */
static const MeasureNames of_items = {
	[FIM_JACCARD] = "jaccard", [FIM_COSINE] = "cosine", [FIM_CONTAINMENT] = "confidence", [FIM_LIFT] = "lift",
	[FIM_LEVERAGE] = "leverage", [FIM_LOG_LIKELIHOOD_RATIO] = "log_likelihood_ratio"
};

static FimSetsMeasure
TakeMeasure(Arguments *args, const MeasureNames names)
{
	char	   *name = TextDatumGetCString(TakeRequired(args, "measure"));

	for (int i = 0; i < lengthof(of_sets); i++)
	{
		if (names[i] != NULL && strcmp(name, names[i]) == 0)
			return (FimSetsMeasure) i;
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid value for argument \"measure\": \"%s\"", name),
			 names == of_sets ?
			 errhint("Valid values are \"jaccard\", \"cosine\", \"overlap\" and \"containment\".") :
			 errhint("Valid values are \"cosine\", \"jaccard\", \"lift\", \"confidence\", \"leverage\" and \"log_likelihood_ratio\".")));
}

/* The last arguments of similar_sets(), in all forms. */
static void
TakeSimilarity(Arguments *args, SetsRequest *request)
{
	bool		has_most = !args->fcinfo->args[args->next + 2].isnull;

	request->of_sets = true;
	request->threshold = TakeThreshold(args, has_most);
	request->measure = TakeMeasure(args, of_sets);
	if (has_most)
	{
		request->most_partners = TakePositive(args, "k");
		request->result = FIM_SETS_BEST;
	}
	else
		args->next++;
	TakePartIfAny(args, request);
}

/* Transactions of the array form have no ids, and so results have the numbers of rows. */
static void
ReadSimilarRequest(FunctionCallInfo fcinfo, void *arg)
{
	SetsRequest *request = arg;
	Arguments	args = {fcinfo, 0};
	bool		arrays = request->form == FORM_ARRAYS;

	InitRequest(request, FIM_SETS_SIMILAR);
	TakeSource(&args, "source", &request->left);
	if (!arrays)
		TakeColumn(&args, "tid_column", &request->left.value);
	TakeColumn(&args, arrays ? "items_column" : "item_column", &request->left.key);
	request->left.key.is_array = arrays;
	request->left.key.may_be_array = !arrays;
	request->left.key.is_item = true;
	TakeSimilarity(&args, request);
}

static void
TakeSets(Arguments *args, RelationSource *relation, const char *source, const char *tids, const char *items)
{
	TakeSource(args, source, relation);
	TakeColumn(args, tids, &relation->value);
	TakeColumn(args, items, &relation->key);
	relation->key.may_be_array = true;
	relation->key.is_item = true;
}

static void
ReadSimilarOfTwo(FunctionCallInfo fcinfo, void *arg)
{
	SetsRequest *request = arg;
	Arguments	args = {fcinfo, 0};

	InitRequest(request, FIM_SETS_SIMILAR);
	TakeSets(&args, &request->left, "left_source", "left_tid_column", "left_item_column");
	TakeSets(&args, &request->right, "right_source", "right_tid_column", "right_item_column");
	request->right.apart = true;
	TakeSimilarity(&args, request);
}

/* Between "k" and the next two arguments there may be a type sample, and after these a part. */
static void
ReadPartnersRequest(FunctionCallInfo fcinfo, void *arg)
{
	SetsRequest *request = arg;
	Arguments	args = {fcinfo, 0};

	InitRequest(request, FIM_SETS_BEST);
	TakeItems(&args, request, 3);
	request->most_partners = TakePositive(&args, "k");
	if ((fcinfo->nargs - args.next) % PARTS_ARGUMENTS == 1)
		TakeValueSample(&args, "item_type", &request->left.value);
	request->measure = TakeMeasure(&args, of_items);
	request->min_witnesses = TakeLeast(&args, "min_support");
	TakePartIfAny(&args, request);
}

/*
 * The SQL functions join_project(), join_project_count() and boolean_matrix_product().
 */

PG_FUNCTION_INFO_V1(gpufim_join_project);

Datum
gpufim_join_project(PG_FUNCTION_ARGS)
{
	SetsRequest request = {0};

	return CallFunction(fcinfo, "join_project", ReadJoinRequest, MultiplySets, &request);
}

PG_FUNCTION_INFO_V1(gpufim_join_project_count);

Datum
gpufim_join_project_count(PG_FUNCTION_ARGS)
{
	SetsRequest request = {.count_only = true};

	CallValueFunction(fcinfo, "join_project_count", ReadJoinRequest, MultiplySets, &request);
	PG_RETURN_INT64((int64) request.found);
}

PG_FUNCTION_INFO_V1(gpufim_boolean_matrix_product);

Datum
gpufim_boolean_matrix_product(PG_FUNCTION_ARGS)
{
	SetsRequest request = {0};

	return CallFunction(fcinfo, "boolean_matrix_product", ReadMatrixRequest, MultiplySets, &request);
}

/*
 * The SQL functions frequent_pairs(), similar_sets() and similar_items(), each with its array form, and those of items with
 * that of a transaction_set.
 */

static Datum
ListSets(FunctionCallInfo fcinfo, const char *function, CallStep read, TransactionsForm form)
{
	SetsRequest request = {.form = form};

	return CallFunction(fcinfo, function, read, MultiplySets, &request);
}

PG_FUNCTION_INFO_V1(gpufim_frequent_pairs_array);

Datum
gpufim_frequent_pairs_array(PG_FUNCTION_ARGS)
{
	return ListSets(fcinfo, "frequent_pairs", ReadPairsRequest, FORM_ARRAYS);
}

PG_FUNCTION_INFO_V1(gpufim_frequent_pairs);

Datum
gpufim_frequent_pairs(PG_FUNCTION_ARGS)
{
	return ListSets(fcinfo, "frequent_pairs", ReadPairsRequest, FORM_PAIRS);
}

PG_FUNCTION_INFO_V1(gpufim_frequent_pairs_set);

Datum
gpufim_frequent_pairs_set(PG_FUNCTION_ARGS)
{
	return ListSets(fcinfo, "frequent_pairs", ReadPairsRequest, FORM_SET);
}

PG_FUNCTION_INFO_V1(gpufim_similar_sets);

Datum
gpufim_similar_sets(PG_FUNCTION_ARGS)
{
	return ListSets(fcinfo, "similar_sets", ReadSimilarRequest, FORM_PAIRS);
}

PG_FUNCTION_INFO_V1(gpufim_similar_sets_array);

Datum
gpufim_similar_sets_array(PG_FUNCTION_ARGS)
{
	return ListSets(fcinfo, "similar_sets", ReadSimilarRequest, FORM_ARRAYS);
}

PG_FUNCTION_INFO_V1(gpufim_similar_sets_two);

Datum
gpufim_similar_sets_two(PG_FUNCTION_ARGS)
{
	return ListSets(fcinfo, "similar_sets", ReadSimilarOfTwo, FORM_PAIRS);
}

PG_FUNCTION_INFO_V1(gpufim_similar_items);

Datum
gpufim_similar_items(PG_FUNCTION_ARGS)
{
	return ListSets(fcinfo, "similar_items", ReadPartnersRequest, FORM_PAIRS);
}

PG_FUNCTION_INFO_V1(gpufim_similar_items_array);

Datum
gpufim_similar_items_array(PG_FUNCTION_ARGS)
{
	return ListSets(fcinfo, "similar_items", ReadPartnersRequest, FORM_ARRAYS);
}

PG_FUNCTION_INFO_V1(gpufim_similar_items_set);

/*
 * Without a type sample, the number of min_support comes before the measure, so that PostgreSQL does not take k for a measure
 * in calls with literals, see itemsets/frequent_itemsets.c.
 */
Datum
gpufim_similar_items_set(PG_FUNCTION_ARGS)
{
	LOCAL_FCINFO(call, 4);

	if (PG_NARGS() > 4)
		return ListSets(fcinfo, "similar_items", ReadPartnersRequest, FORM_SET);
	PutNumbersBehindText(fcinfo, call, 2, 1);
	return ListSets(call, "similar_items", ReadPartnersRequest, FORM_SET);
}

/*
 * frequent_pairs() and similar_sets() for parameters without types.
 *
 * Only calls with four such parameters, and with five or six of similar_sets(), fit several forms.  So four arguments of these
 * functions are required.  The arguments have no names, because PostgreSQL finds
 * the right form for calls by name without these functions.
 */

static void
BeginCall(FunctionCallInfo fcinfo, FunctionCallInfo call, Untyped *given)
{
	ReadUntyped(fcinfo, given);
	BeginTypedCall(fcinfo, call);
	AddArgument(call, TEXTOID, given->text[0]);
	AddArgument(call, NAMEOID, given->text[1]);
}

static bool
IsNumber(const Untyped *given, int i)
{
	return given->text[i] != NULL && IsNumberText(given->text[i]);
}

/*
 * The array form has a number as its third argument, and the pair form as its fourth.  NULL may
 * stand for the number, so that the typed function raises the error.
 */
static bool
IsArrayForm(const Untyped *given)
{
	if (given->text[UNTYPED_DECIDES] == NULL)
		return IsNumber(given, 2);
	return !IsNumber(given, UNTYPED_DECIDES) && (given->text[2] == NULL || IsNumber(given, 2));
}

static bool
IsPairForm(const Untyped *given)
{
	return !IsArrayForm(given) &&
		(given->text[UNTYPED_DECIDES] == NULL || IsNumber(given, UNTYPED_DECIDES));
}

PG_FUNCTION_INFO_V1(gpufim_frequent_pairs_untyped);

/*
 * The fourth argument is minsup in the pair form.  In the array form it is a type sample.  That
 * is always NULL, and asks for the type text, which the result has anyway.
 */
Datum
gpufim_frequent_pairs_untyped(PG_FUNCTION_ARGS)
{
	LOCAL_FCINFO(call, UNTYPED_MAX_ARGUMENTS);
	Untyped		given;

	BeginCall(fcinfo, call, &given);
	if (given.text[UNTYPED_DECIDES] == NULL && IsArrayForm(&given))
	{
		AddArgument(call, FLOAT8OID, given.text[2]);
		return gpufim_frequent_pairs_array(call);
	}
	if (!IsPairForm(&given))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"minsup\" is not a number: \"%s\"", given.text[UNTYPED_DECIDES]),
				 errhint("Give parameters their types: ($1::text, $2::name, $3::float8) for arrays of items, "
						 "($1::text, $2::name, $3::name, $4::float8) for an item in each row.")));
	AddArgument(call, NAMEOID, given.text[2]);
	AddArgument(call, FLOAT8OID, given.text[3]);
	return gpufim_frequent_pairs(call);
}

PG_FUNCTION_INFO_V1(gpufim_similar_sets_untyped);

/* The fourth argument is the threshold in the pair form, and the measure in the array form; "measure" and "k" may follow. */
Datum
gpufim_similar_sets_untyped(PG_FUNCTION_ARGS)
{
	LOCAL_FCINFO(call, UNTYPED_MAX_ARGUMENTS);
	Untyped		given;

	BeginCall(fcinfo, call, &given);
	if (IsPairForm(&given))
	{
		AddArgument(call, NAMEOID, given.text[2]);
		AddArgument(call, FLOAT8OID, given.text[3]);
		AddArgument(call, TEXTOID, UntypedOr(&given, 4, "jaccard"));
		AddArgument(call, INT4OID, UntypedOr(&given, 5, NULL));
		return gpufim_similar_sets(call);
	}
	if (!IsArrayForm(&given))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"threshold\" is not a number: \"%s\"", given.text[UNTYPED_DECIDES]),
				 errhint("Give parameters their types: ($1::text, $2::name, $3::name, $4::float8, $5::text, $6::int) for transactions with an id, "
						 "($1::text, $2::name, $3::float8, $4::text, $5::int) for arrays alone.")));
	AddArgument(call, FLOAT8OID, given.text[2]);
	AddArgument(call, TEXTOID, given.text[3]);
	AddArgument(call, INT4OID, UntypedOr(&given, 4, NULL));
	return gpufim_similar_sets_array(call);
}

/*
 * similar_items() for parameters without types.
 *
 * More calls of it fit several forms.  The fourth argument is k in the pair form, and the measure in the array form;
 * see arguments.c.
 */

#define PARTNERS_ARGUMENTS	6

PG_FUNCTION_INFO_V1(gpufim_similar_items_untyped);

Datum
gpufim_similar_items_untyped(PG_FUNCTION_ARGS)
{
	LOCAL_FCINFO(call, PARTNERS_ARGUMENTS);
	Untyped		given;
	Untyped		arguments;
	bool		pairs;

	ReadUntyped(fcinfo, &given);
	/* a NULL is a measure if the argument before it is k, and not a column */
	pairs = given.text[UNTYPED_DECIDES] != NULL ? IsNumber(&given, UNTYPED_DECIDES) || !IsNumber(&given, 2) : !IsNumber(&given, 2);
	BeginFormCall(fcinfo, call, &given, pairs, &arguments);
	if (arguments.text[3] != NULL && !IsNumberText(arguments.text[3]))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"k\" is not a number: \"%s\"", arguments.text[3]),
				 errhint("Give parameters their types: ($1::text, $2::name, $3::int, $4::text, $5::bigint) for arrays of items, "
						 "($1::text, $2::name, $3::name, $4::int, $5::text, $6::bigint) for an item in each row.")));
	AddArgument(call, INT4OID, arguments.text[3]);
	AddArgument(call, TEXTOID, UntypedOr(&arguments, 4, "cosine"));
	AddArgument(call, INT8OID, UntypedOr(&arguments, 5, "1"));
	return pairs ? gpufim_similar_items(call) : gpufim_similar_items_array(call);
}

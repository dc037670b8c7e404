/*-------------------------------------------------------------------------
 *
 * request.c
 *	  What a call of probable_itemsets() or probable_itemset_distribution() asks for.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "arguments.h"
#include "probable/request.h"
#include "utils/builtins.h"
#include "utils/float.h"

/* The number of arguments from "min_length" on, which is the same in every form. */
#define OPTIONAL_ARGUMENTS	6

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
	from->type_sample = InvalidOid;
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

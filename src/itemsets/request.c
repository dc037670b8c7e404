/*-------------------------------------------------------------------------
 *
 * request.c
 *	  What a call of frequent_itemsets() or itemset_counts() asks for.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "arguments.h"
#include "itemsets/request.h"
#include "utils/builtins.h"

/* The number of arguments from "kind" on, which is the same in every form. */
#define OPTIONAL_ARGUMENTS	5

void
ReadRequest(FunctionCallInfo fcinfo, void *arg)
{
	ItemsetsRequest *request = arg;
	Arguments	args = {fcinfo, 0};

	request->source = TextDatumGetCString(TakeRequired(&args, "source"));
	request->tid_column = request->pairs ? TakeName(&args, "tid_column") : NULL;
	request->item_argument = request->pairs ? "item_column" : "items_column";
	request->item_column = TakeName(&args, request->item_argument);
	request->minsup = TakeMinsup(&args, "transactions", "transactions");
	request->type_sample = InvalidOid;
	if (PG_NARGS() - args.next > OPTIONAL_ARGUMENTS)
		request->type_sample = TakeTypeSample(&args, "item_type");
	request->kind = TakeKind(&args);
	TakeLengths(&args, "itemsets", &request->min_length, &request->max_length);
	request->including = TakeTextArray(&args, "including");
	request->excluding = TakeTextArray(&args, "excluding");
}

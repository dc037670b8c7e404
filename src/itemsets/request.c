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

/* Arguments from "kind" on, the same in every form. */
#define OPTIONAL_ARGUMENTS	5

bool
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

void
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
	TakeLengths(&args, "itemsets", &request->min_length, &request->max_length);
	request->including = TakeTextArray(&args, "including");
	request->excluding = TakeTextArray(&args, "excluding");
}

/*-------------------------------------------------------------------------
 *
 * untyped_call.c
 *	  frequent_itemsets() and itemset_counts() for parameters without types.
 *
 * The fourth argument is minsup in the pair form and a kind in the array form; see
 * untyped.h.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "arguments.h"
#include "catalog/pg_type.h"
#include "itemsets/frequent_itemsets.h"
#include "itemsets/request.h"
#include "untyped.h"

#define UNTYPED_ARGUMENTS	9
#define FIRST_OPTIONAL		4	/* this argument and those after it have the default '' */

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

	ReadUntyped(fcinfo, FIRST_OPTIONAL, &given);
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
	return ItemsetsFunction(call, function, pairs, count_only);
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

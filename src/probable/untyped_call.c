/*-------------------------------------------------------------------------
 *
 * untyped_call.c
 *	  probable_itemsets() for parameters without types, and for a minprob of another type.
 *
 * The fourth argument is the name of a column in the pair form and minsup in the array
 * form, which is a number; see untyped.h.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "probable/probable_itemsets.h"
#include "untyped.h"
#include "utils/builtins.h"

#define UNTYPED_ARGUMENTS	12
#define FIRST_OPTIONAL		4	/* this argument and those after it have the default '' */

/* Indexes in the pair form. */
#define MINSUP				4
#define MINPROB				5

static void
CheckUntypedMinsup(const Untyped *arguments, const char *decides)
{
	const char *text = UntypedOr(arguments, MINSUP, decides);

	if (text == NULL || IsNumberText(text))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("argument \"minsup\" is not a number: \"%s\"", text),
			 errhint("Give parameters their types: ($1::text, $2::name, $3::name, $4::float8) for arrays of items, "
					 "($1::text, $2::name, $3::name, $4::name, $5::float8) for an item in each row.")));
}

PG_FUNCTION_INFO_V1(gpufim_probable_itemsets_untyped);

Datum
gpufim_probable_itemsets_untyped(PG_FUNCTION_ARGS)
{
	LOCAL_FCINFO(call, UNTYPED_ARGUMENTS);
	Untyped		given;
	Untyped		arguments;
	const char *decides;
	bool		pairs;

	ReadUntyped(fcinfo, FIRST_OPTIONAL, &given);
	decides = given.text[UNTYPED_DECIDES];
	pairs = decides == NULL ? given.given[MINSUP] : !IsNumberText(decides);
	BeginFormCall(fcinfo, call, &given, pairs, &arguments);
	AddArgument(call, NAMEOID, arguments.text[3]);
	CheckUntypedMinsup(&arguments, decides);
	AddArgument(call, FLOAT8OID, UntypedOr(&arguments, MINSUP, NULL));
	AddArgument(call, FLOAT8OID, UntypedOr(&arguments, MINPROB, "0.5"));
	AddArgument(call, INT4OID, UntypedOr(&arguments, 6, "1"));
	AddArgument(call, INT4OID, UntypedOr(&arguments, 7, NULL));
	AddArgument(call, TEXTARRAYOID, UntypedOr(&arguments, 8, NULL));
	AddArgument(call, TEXTARRAYOID, UntypedOr(&arguments, 9, NULL));
	AddArgument(call, TEXTOID, UntypedOr(&arguments, 10, "all"));
	AddArgument(call, BOOLOID, UntypedOr(&arguments, 11, "true"));
	return ProbableFunction(call, pairs);
}

/* The pair form with a minprob written as text, or NULL. */
static Datum
PairsWithMinprob(FunctionCallInfo fcinfo, const char *minprob)
{
	LOCAL_FCINFO(call, UNTYPED_ARGUMENTS);

	memcpy(call, fcinfo, SizeForFunctionCallInfo(UNTYPED_ARGUMENTS));
	call->nargs = MINPROB;
	AddArgument(call, FLOAT8OID, minprob);
	call->nargs = UNTYPED_ARGUMENTS;
	return ProbableFunction(call, true);
}

PG_FUNCTION_INFO_V1(gpufim_probable_itemsets_minprob_text);

/*
 * The pair form with a minprob that is text, and NULL most of the time.  A NULL without
 * a type may also be the type sample of the array form, so that the call would be
 * ambiguous; but PostgreSQL prefers text for it.
 */
Datum
gpufim_probable_itemsets_minprob_text(PG_FUNCTION_ARGS)
{
	return PairsWithMinprob(fcinfo, PG_ARGISNULL(MINPROB) ? NULL :
							text_to_cstring(PG_GETARG_TEXT_PP(MINPROB)));
}

PG_FUNCTION_INFO_V1(gpufim_probable_itemsets_minprob_int);

/*
 * The pair form with a minprob that is an integer, which is 1 if it is valid.  Without
 * this function PostgreSQL would take the 1 for min_length of the array form, because
 * that is an integer, too, and the column before minsup for minsup.
 */
Datum
gpufim_probable_itemsets_minprob_int(PG_FUNCTION_ARGS)
{
	return PairsWithMinprob(fcinfo, PG_ARGISNULL(MINPROB) ? NULL :
							psprintf("%d", PG_GETARG_INT32(MINPROB)));
}

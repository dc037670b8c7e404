/*-------------------------------------------------------------------------
 *
 * untyped_call.c
 *	  frequent_pairs() and similar_sets() for parameters without types; see untyped.h.
 *
 * Only a call with four such parameters fits several forms.  So these functions have four
 * arguments, all of which are required.  The arguments have no names, because PostgreSQL finds
 * the right form for calls by name without these functions.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "sets/one_relation.h"
#include "untyped.h"

static void
BeginCall(FunctionCallInfo fcinfo, FunctionCallInfo call, Untyped *given)
{
	ReadUntyped(fcinfo, PG_NARGS(), given);
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

/* The fourth argument is the threshold in the pair form, and the measure in the array form. */
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
		AddArgument(call, TEXTOID, "jaccard");
		return gpufim_similar_sets(call);
	}
	if (!IsArrayForm(&given))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"threshold\" is not a number: \"%s\"", given.text[UNTYPED_DECIDES]),
				 errhint("Give parameters their types: ($1::text, $2::name, $3::name, $4::float8, $5::text) for transactions with an id, "
						 "($1::text, $2::name, $3::float8, $4::text) for arrays alone.")));
	AddArgument(call, FLOAT8OID, given.text[2]);
	AddArgument(call, TEXTOID, given.text[3]);
	return gpufim_similar_sets_array(call);
}

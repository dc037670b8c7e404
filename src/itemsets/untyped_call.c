/*-------------------------------------------------------------------------
 *
 * untyped_call.c
 *	  frequent_itemsets() and itemset_counts() for parameters without types.
 *
 * A driver may leave it to the server to find out what types a call's parameters
 * have.  Then all forms of these functions fit a call of four or five arguments, and
 * PostgreSQL prefers the forms here, whose arguments are all text.  They have the pair
 * form's names.  The arguments by position can be those of the pair form, or of the
 * array form, where each stands one place further on.  The fourth argument tells which:
 * it is either minsup or a kind.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <ctype.h>

#include "arguments.h"
#include "catalog/pg_type.h"
#include "itemsets/frequent_itemsets.h"
#include "itemsets/request.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#define UNTYPED_ARGUMENTS	9
#define FIRST_OPTIONAL		4	/* its default and those of the next are '' */

typedef struct Untyped
{
	char	   *text[UNTYPED_ARGUMENTS];	/* NULL for NULL */
	bool		given[UNTYPED_ARGUMENTS];
} Untyped;

static void
ReadUntyped(FunctionCallInfo fcinfo, Untyped *from)
{
	for (int i = 0; i < UNTYPED_ARGUMENTS; i++)
	{
		from->text[i] = PG_ARGISNULL(i) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(i));
		from->given[i] = i < FIRST_OPTIONAL || from->text[i] == NULL || *from->text[i] != '\0';
	}
}

static void
MoveUntyped(const Untyped *from, int i, Untyped *to, int j)
{
	if (!from->given[i])
		return;
	if (to->given[j])
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("an argument of the array form is given twice, by position and by name")));
	to->text[j] = from->text[i];
	to->given[j] = true;
}

/*
 * The arguments of the array form, with an empty place for tid_column, so that each
 * is at the same index as the pair form's.  An argument by position lies one too
 * early, one by name where it belongs.  An argument has been given by position only
 * if all before it have.
 */
static void
ArrayFormOfUntyped(const Untyped *from, Untyped *to)
{
	bool		by_position = true;

	memset(to, 0, sizeof(*to));
	MoveUntyped(from, 0, to, 0);
	for (int i = 1; i < UNTYPED_ARGUMENTS; i++)
	{
		by_position = by_position && from->given[i] && i < UNTYPED_ARGUMENTS - 1;
		MoveUntyped(from, i, to, by_position ? i + 1 : i);
	}
}

static void
SetArgument(FunctionCallInfo call, Oid type, const char *text)
{
	NullableDatum *to = &call->args[call->nargs++];
	Oid			input;
	Oid			ioparam;

	to->isnull = text == NULL;
	to->value = (Datum) 0;
	if (text == NULL)
		return;
	getTypeInputInfo(type, &input, &ioparam);
	to->value = OidInputFunctionCall(input, unconstify(char *, text), ioparam, -1);
}

static const char *
UntypedOr(const Untyped *from, int i, const char *default_text)
{
	return from->given[i] ? from->text[i] : default_text;
}

static void
CheckUntypedMinsup(const char *text)
{
	char	   *end;

	if (text == NULL)
		return;
	(void) strtod(text, &end);
	while (isspace((unsigned char) *end))
		end++;
	if (end != text && *end == '\0')
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("argument \"minsup\" is not a number, nor is \"%s\" a kind", text),
			 errhint("Give parameters their types: ($1::text, $2::name, $3::float8, $4::text) for arrays of items, "
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
	pairs = given.text[3] == NULL || !FindKind(given.text[3], &kind);
	if (pairs)
		arguments = given;
	else
		ArrayFormOfUntyped(&given, &arguments);

	InitFunctionCallInfoData(*call, fcinfo->flinfo, 0, fcinfo->fncollation, fcinfo->context,
							 fcinfo->resultinfo);
	SetArgument(call, TEXTOID, arguments.text[0]);
	if (pairs)
		SetArgument(call, NAMEOID, arguments.text[1]);
	SetArgument(call, NAMEOID, arguments.text[2]);
	CheckUntypedMinsup(arguments.text[3]);
	SetArgument(call, FLOAT8OID, arguments.text[3]);
	SetArgument(call, TEXTOID, UntypedOr(&arguments, 4, "all"));
	SetArgument(call, INT4OID, UntypedOr(&arguments, 5, "1"));
	SetArgument(call, INT4OID, UntypedOr(&arguments, 6, NULL));
	SetArgument(call, TEXTARRAYOID, UntypedOr(&arguments, 7, NULL));
	SetArgument(call, TEXTARRAYOID, UntypedOr(&arguments, 8, NULL));
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

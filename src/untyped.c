/*-------------------------------------------------------------------------
 *
 * untyped.c
 *	  Calls whose parameters have no types.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <ctype.h>

#include "catalog/pg_type.h"
#include "untyped.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

void
ReadUntyped(FunctionCallInfo fcinfo, int first_optional, Untyped *from)
{
	from->n = PG_NARGS();
	for (int i = 0; i < from->n; i++)
	{
		from->text[i] = PG_ARGISNULL(i) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(i));
		from->given[i] = i < first_optional || from->text[i] == NULL || *from->text[i] != '\0';
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
 * Moves the arguments of the array form to the indexes that they have in the pair form,
 * with an empty place for tid_column.  Arguments given by position move one place on;
 * those given by name are where they belong already.  Raises an error if an argument is
 * given both ways.  An argument has been given by position only if all before it have.
 */
static void
MoveArrayForm(const Untyped *from, Untyped *to)
{
	bool		by_position = true;

	memset(to, 0, sizeof(*to));
	to->n = from->n;
	MoveUntyped(from, 0, to, 0);
	for (int i = 1; i < from->n; i++)
	{
		by_position = by_position && from->given[i] && i < from->n - 1;
		MoveUntyped(from, i, to, by_position ? i + 1 : i);
	}
}

void
BeginTypedCall(FunctionCallInfo fcinfo, FunctionCallInfo call)
{
	InitFunctionCallInfoData(*call, fcinfo->flinfo, 0, fcinfo->fncollation, fcinfo->context,
							 fcinfo->resultinfo);
}

void
BeginFormCall(FunctionCallInfo fcinfo, FunctionCallInfo call, const Untyped *given, bool pairs,
			  Untyped *arguments)
{
	if (pairs)
		*arguments = *given;
	else
		MoveArrayForm(given, arguments);
	BeginTypedCall(fcinfo, call);
	AddArgument(call, TEXTOID, arguments->text[0]);
	if (pairs)
		AddArgument(call, NAMEOID, arguments->text[1]);
	AddArgument(call, NAMEOID, arguments->text[2]);
}

bool
IsNumberText(const char *text)
{
	char	   *end;

	(void) strtod(text, &end);
	while (isspace((unsigned char) *end))
		end++;
	return end != text && *end == '\0';
}

void
AddArgument(FunctionCallInfo call, Oid type, const char *text)
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

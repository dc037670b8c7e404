/*-------------------------------------------------------------------------
 *
 * arguments.c
 *	  The arguments of a call, taken one after the other and checked, and calls whose parameters
 *	  have no types.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <ctype.h>
#include <math.h>

#include "catalog/pg_type.h"
#include "engine/engine.h"
#include "engine/parts.h"
#include "fmgr.h"
#include "gpufim.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/lsyscache.h"

/* Fewer transactions or events than this may well be listed with all that occurs in them. */
#define MANY_COUNTED	100

Datum
TakeRequired(Arguments *args, const char *name)
{
	NullableDatum *arg = &args->fcinfo->args[args->next++];

	if (arg->isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"%s\" must not be null", name)));
	return arg->value;
}

char *
TakeName(Arguments *args, const char *name)
{
	return pstrdup(NameStr(*DatumGetName(TakeRequired(args, name))));
}

char *
TakeOptionalName(Arguments *args)
{
	NullableDatum *arg = &args->fcinfo->args[args->next++];

	return arg->isnull ? NULL : pstrdup(NameStr(*DatumGetName(arg->value)));
}

ArrayType *
TakeTextArray(Arguments *args, const char *name)
{
	NullableDatum *arg = &args->fcinfo->args[args->next++];
	ArrayType  *array;

	if (arg->isnull)
		return NULL;
	array = DatumGetArrayTypePCopy(arg->value);
	if (array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"%s\" must not contain nulls", name)));
	return array;
}

double
TakeMinsup(Arguments *args, const char *whole, const char *counted)
{
	double		minsup = DatumGetFloat8(TakeRequired(args, "minsup"));

	if (isnan(minsup) || isinf(minsup) || minsup <= 0 ||
		(minsup >= 1 && minsup != floor(minsup)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid value for argument \"minsup\": %s",
						float8out_internal(minsup)),
				 errhint("Give a fraction of the %s, greater than 0 and less than 1, "
						 "or a number of %s, which is a whole number from 1 up.", whole, counted)));
	return minsup;
}

uint32
TakePositive(Arguments *args, const char *name)
{
	int32		number = DatumGetInt32(TakeRequired(args, name));

	if (number < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"%s\" must be at least 1", name)));
	return number;
}

static int
MinsupHint(void)
{
	return errhint("From 1 up, \"minsup\" is a number. Write a share as a fraction, 0.05 for 5 percent.");
}

void
NoteHighMinsup(double minsup, uint64 counted, const char *message)
{
	if (minsup >= 1 && minsup > counted)
		ereport(NOTICE,
				(errmsg(message, float8out_internal(minsup), (unsigned long long) counted),
				 counted == 0 ? 0 : MinsupHint()));
}

void
NoteLowestMinsup(double minsup, uint64 counted, const char *message)
{
	if (minsup == 1 && counted >= MANY_COUNTED)
		ereport(NOTICE, (errmsg_internal("%s", message), MinsupHint()));
}

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

FimKind
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

/* int2vector and oidvector are arrays whose indexes begin with 0, and have no other use than in the catalogs. */
Oid
TakeTypeSample(Arguments *args, const char *name)
{
	Oid			type = get_fn_expr_argtype(args->fcinfo->flinfo, args->next++);
	Oid			element = get_base_element_type(type);

	if (!OidIsValid(element))
		ereport(ERROR,
				(errcode(ERRCODE_INDETERMINATE_DATATYPE),
				 errmsg("could not determine the element type of argument \"%s\"", name),
				 errhint("Write a null value of an array type, such as NULL::int[].")));
	if (type == INT2VECTOROID || type == OIDVECTOROID)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("argument \"%s\" must not be of type %s", name, format_type_be(type)),
				 errhint("Write NULL::%s.", format_type_be(get_array_type(element)))));
	return element;
}

void
TakeLengths(Arguments *args, const char *results, uint32 *shortest, uint32 *longest)
{
	int32		min_length = DatumGetInt32(TakeRequired(args, "min_length"));
	NullableDatum *max_length = &args->fcinfo->args[args->next++];

	if (min_length < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"min_length\" must be at least 1")));
	*shortest = min_length;
	*longest = FIM_NO_LIMIT;

	if (max_length->isnull)
		return;
	if (DatumGetInt32(max_length->value) < min_length)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"max_length\" must not be less than \"min_length\""),
				 errhint("Omit \"max_length\" for %s of any length.", results)));
	*longest = DatumGetInt32(max_length->value);
}

void
TakePart(Arguments *args, FimPart *part)
{
	int32		number = DatumGetInt32(TakeRequired(args, "part"));
	int32		parts = DatumGetInt32(TakeRequired(args, "parts"));

	if (parts < 1 || parts > FIM_MOST_PARTS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"parts\" must be from 1 to %d", FIM_MOST_PARTS)));
	if (number < 0 || number >= parts)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"part\" must be from 0 to %d, since \"parts\" is %d", parts - 1, parts)));
	part->number = number;
	part->of = parts;
}

/*
 * Calls whose parameters have no types.
 */

void
ReadUntyped(FunctionCallInfo fcinfo, Untyped *from)
{
	from->n = PG_NARGS();
	for (int i = 0; i < from->n; i++)
	{
		from->text[i] = PG_ARGISNULL(i) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(i));
		from->given[i] = i < UNTYPED_REQUIRED || from->text[i] == NULL || *from->text[i] != '\0';
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
PutNumbersBehindText(FunctionCallInfo fcinfo, FunctionCallInfo call, int first, int n)
{
	BeginTypedCall(fcinfo, call);
	call->nargs = fcinfo->nargs;
	for (int i = 0; i < fcinfo->nargs; i++)
		call->args[i] = fcinfo->args[i];
	call->args[first] = fcinfo->args[first + n];
	for (int i = first; i < first + n; i++)
		call->args[i + 1] = fcinfo->args[i];
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

/*-------------------------------------------------------------------------
 *
 * statistics.c
 *	  What a planner support function can learn of a call.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "read/source.h"
#include "statistics.h"
#include "untyped.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"
#include "utils/syscache.h"
#include "utils/varlena.h"

bool
ReadCallArguments(FuncExpr *function, CallArguments *arguments)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function->funcid));
	Oid		   *types;
	char	   *modes;
	int			n;

	if (!HeapTupleIsValid(tuple))
		return false;
	n = ((Form_pg_proc) GETSTRUCT(tuple))->pronargs;
	arguments->nnames = get_func_arg_info(tuple, &types, &arguments->names, &modes);
	ReleaseSysCache(tuple);
	arguments->values = function->args;
	arguments->untyped = n > UNTYPED_DECIDES;
	for (int i = 0; i < n && arguments->untyped; i++)
		arguments->untyped = types[i] == TEXTOID;
	/* a call of a function that is VARIADIC "any" may have more arguments than have names */
	return arguments->names != NULL && list_length(function->args) == n;
}

/* Input arguments come before a result's columns, which may have the same names. */
static int
FindArgument(const CallArguments *arguments, const char *name)
{
	for (int i = 0; i < list_length(arguments->values); i++)
		if (strcmp(arguments->names[i], name) == 0)
			return i;
	return -1;
}

bool
HasArgument(const CallArguments *arguments, const char *name)
{
	return FindArgument(arguments, name) >= 0;
}

/* The argument's value if it is a constant and not a null, otherwise NULL. */
static Const *
ConstantOfAnyType(const CallArguments *arguments, const char *name)
{
	int			i = FindArgument(arguments, name);
	Node	   *value = i < 0 ? NULL : (Node *) list_nth(arguments->values, i);

	return value != NULL && IsA(value, Const) && !((Const *) value)->constisnull ? (Const *) value : NULL;
}

Const *
ConstantArgument(const CallArguments *arguments, const char *name, Oid type)
{
	Const	   *argument = ConstantOfAnyType(arguments, name);

	return argument != NULL && argument->consttype == type ? argument : NULL;
}

char *
TextArgument(const CallArguments *arguments, const char *name)
{
	Const	   *argument = ConstantArgument(arguments, name, NAMEOID);
	char	   *string;

	if (argument != NULL)
		return pstrdup(NameStr(*DatumGetName(argument->constvalue)));
	argument = ConstantArgument(arguments, name, TEXTOID);
	if (argument == NULL)
		return NULL;
	string = TextDatumGetCString(argument->constvalue);
	return *string != '\0' ? string : NULL;
}

double
NumberArgument(const CallArguments *arguments, const char *name, double otherwise)
{
	Const	   *argument = ConstantOfAnyType(arguments, name);
	char	   *string;

	if (argument == NULL)
		return otherwise;
	switch (argument->consttype)
	{
		case INT4OID:
			return DatumGetInt32(argument->constvalue);
		case INT8OID:
			return DatumGetInt64(argument->constvalue);
		case FLOAT8OID:
			return DatumGetFloat8(argument->constvalue);
		case TEXTOID:
			string = TextDatumGetCString(argument->constvalue);
			return IsNumberText(string) ? strtod(string, NULL) : otherwise;
		default:
			return otherwise;
	}
}

int
LengthArgument(const CallArguments *arguments, const char *name, int otherwise, int most)
{
	double		length = NumberArgument(arguments, name, otherwise);

	return length >= 1 ? (int) Min(length, most) : 1;
}

/* The number of elements of an array that is written as text: one more than commas outside of quotes. */
static int
ElementsOfText(const char *text)
{
	bool		quoted = false;
	int			n = 1;

	for (; *text != '\0'; text++)
	{
		if (*text == '\\' && text[1] != '\0')
			text++;
		else if (*text == '"')
			quoted = !quoted;
		else if (*text == ',' && !quoted)
			n++;
	}
	return n;
}

int
ElementsOfArgument(const CallArguments *arguments, const char *name)
{
	Const	   *argument = ConstantArgument(arguments, name, TEXTARRAYOID);
	ArrayType  *array;
	char	   *text;

	if (argument == NULL)
	{
		text = TextArgument(arguments, name);
		return text != NULL && strcmp(text, "{}") != 0 ? ElementsOfText(text) : 0;
	}
	array = DatumGetArrayTypeP(argument->constvalue);
	return ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
}

static int
CompareNames(const void *a, const void *b)
{
	return strcmp(*(char *const *) a, *(char *const *) b);
}

int
NamesArgument(const CallArguments *arguments, const char *name, NamedValue *named)
{
	Const	   *argument = ConstantArgument(arguments, name, TEXTARRAYOID);
	Datum	   *elements;
	bool	   *nulls;
	char	  **names;
	int			n;
	int			nnames = 0;
	int			nnamed = 0;

	if (argument == NULL)
		return 0;
	deconstruct_array(DatumGetArrayTypeP(argument->constvalue), TEXTOID, -1, false, TYPALIGN_INT,
					  &elements, &nulls, &n);
	names = palloc((n + 1) * sizeof(char *));
	for (int i = 0; i < n; i++)
		if (!nulls[i])
			names[nnames++] = TextDatumGetCString(elements[i]);
	qsort(names, nnames, sizeof(char *), CompareNames);
	for (int i = 0; i < nnames; i++)
	{
		if (i > 0 && strcmp(names[i], names[i - 1]) == 0)
			named[nnamed - 1].times++;
		else if (nnamed == MOST_NAMED)
			break;
		else
			named[nnamed++] = (NamedValue) {names[i], 1};
	}
	return nnamed;
}

Oid
AnalyzedRelation(const char *source)
{
	List	   *names;
	Oid			schema;
	Oid			relation;

	if (SourceIsQuery(source) || !SplitIdentifierString(pstrdup(source), '.', &names))
		return InvalidOid;
	if (list_length(names) == 1)
		relation = RelnameGetRelid(linitial(names));
	else if (list_length(names) == 2)
	{
		schema = get_namespace_oid(linitial(names), true);
		if (!OidIsValid(schema) || !MayUseSchema(schema))
			return InvalidOid;
		relation = get_relname_relid(lsecond(names), schema);
	}
	else
		return InvalidOid;

	/* a user who may not read the rows must not learn what occurs in them */
	if (!OidIsValid(relation) || pg_class_aclcheck(relation, GetUserId(), ACL_SELECT) != ACLCHECK_OK ||
		check_enable_rls(relation, InvalidOid, true) == RLS_ENABLED)
		return InvalidOid;
	return relation;
}

HeapTuple
ColumnStatistics(Oid relation, const char *column)
{
	AttrNumber	number = get_attnum(relation, column);
	bool		inherited = get_rel_relkind(relation) == RELKIND_PARTITIONED_TABLE;

	if (number == InvalidAttrNumber)
		return NULL;
	return SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(relation), Int16GetDatum(number),
						   BoolGetDatum(inherited));
}

double
RelationRows(Oid relation)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	double		rows;

	if (!HeapTupleIsValid(tuple))
		return 0;
	rows = ((Form_pg_class) GETSTRUCT(tuple))->reltuples;
	ReleaseSysCache(tuple);
	return rows;
}

double
DistinctValues(HeapTuple statistics, double rows)
{
	double		distinct = ((Form_pg_statistic) GETSTRUCT(statistics))->stadistinct;

	return distinct < 0 ? -distinct * rows : distinct;
}

/*
 * Read the common values of a column into a slot, which is empty if there are none.  *others
 * becomes the number of other values, and *rest the fraction of the rows that have one of them.
 */
static void
ReadCommonValues(HeapTuple statistics, double rows, AttStatsSlot *slot, double *others, double *rest)
{
	*others = DistinctValues(statistics, rows);
	*rest = 1 - ((Form_pg_statistic) GETSTRUCT(statistics))->stanullfrac;
	(void) get_attstatsslot(slot, statistics, STATISTIC_KIND_MCV, InvalidOid,
							ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS);
	for (int i = 0; i < slot->nnumbers; i++)
		*rest -= slot->numbers[i];
	*others -= slot->nnumbers;
	*rest = Max(*rest, 0);
}

/* The most common values have parts of their own; the others share what is left evenly. */
int
ValueParts(Oid relation, const char *column, double rows, double *parts, int max)
{
	HeapTuple	tuple = ColumnStatistics(relation, column);
	AttStatsSlot slot;
	double		rest;
	double		others;
	int			n = 0;

	if (!HeapTupleIsValid(tuple))
		return 0;
	ReadCommonValues(tuple, rows, &slot, &others, &rest);
	for (int i = 0; i < slot.nnumbers && n < max; i++)
		parts[n++] = slot.numbers[i];
	for (int i = 0; i < others && n < max; i++)
		parts[n++] = rest / others;
	free_attstatsslot(&slot);
	ReleaseSysCache(tuple);
	return n;
}

/*
 * The index of a value, which is given as text, among those of a slot that have a number; -1 if it
 * is not there.
 */
static int
FindInSlot(const AttStatsSlot *slot, const char *value)
{
	Oid			output;
	bool		is_varlena;

	if (slot->nvalues == 0)
		return -1;
	getTypeOutputInfo(slot->valuetype, &output, &is_varlena);
	for (int i = 0; i < Min(slot->nvalues, slot->nnumbers); i++)
	{
		char	   *text = OidOutputFunctionCall(output, slot->values[i]);
		bool		equal = strcmp(text, value) == 0;

		pfree(text);
		if (equal)
			return i;
	}
	return -1;
}

double
ValuePart(Oid relation, const char *column, double rows, const char *value)
{
	HeapTuple	tuple = ColumnStatistics(relation, column);
	AttStatsSlot slot;
	double		rest;
	double		others;
	double		part;
	int			found;

	if (!HeapTupleIsValid(tuple))
		return -1;
	ReadCommonValues(tuple, rows, &slot, &others, &rest);
	found = FindInSlot(&slot, value);
	part = found >= 0 ? slot.numbers[found] : rest / Max(others, 1);
	free_attstatsslot(&slot);
	ReleaseSysCache(tuple);
	return part;
}

/*
 * The third number from the end is the least part that a common element has.  Other elements have
 * less, of which PostgreSQL's own estimates take half, too.
 */
double
ElementPart(Oid relation, const char *column, const char *element)
{
	HeapTuple	tuple = ColumnStatistics(relation, column);
	AttStatsSlot slot;
	double		part = -1;

	if (!HeapTupleIsValid(tuple))
		return -1;
	if (get_attstatsslot(&slot, tuple, STATISTIC_KIND_MCELEM, InvalidOid,
						 ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS))
	{
		int			found = FindInSlot(&slot, element);

		if (found >= 0)
			part = slot.numbers[found];
		else if (slot.nnumbers >= 3)
			part = slot.numbers[slot.nnumbers - 3] / 2;
		free_attstatsslot(&slot);
	}
	ReleaseSysCache(tuple);
	return part;
}

/* The logarithms of frequencies of one class differ by less than this. */
#define CLASS_WIDTH		0.125

/* Adds values that have one frequency, "part", to the class of that frequency. */
static void
AddToClass(ValueClass *classes, double part, double values)
{
	int			c;

	if (!(part > 0 && values > 0))
		return;
	c = (int) Min(-log(Min(part, 1)) / CLASS_WIDTH, MAX_VALUE_CLASSES - 1);
	classes[c].part += part * values;
	classes[c].values += values;
}

/* Turns sums of parts into means, and drops the empty classes.  Returns how many are left. */
static int
FinishClasses(ValueClass *classes)
{
	int			n = 0;

	for (int c = 0; c < MAX_VALUE_CLASSES; c++)
	{
		ValueClass	class = classes[c];

		if (class.values > 0)
			classes[n++] = (ValueClass) {class.part / class.values, class.values};
	}
	return n;
}

/* Adds values, each of them with its own frequency. */
static void
AddNumbers(ValueClass *classes, const float4 *numbers, int n)
{
	for (int i = 0; i < n; i++)
		AddToClass(classes, numbers[i], 1);
}

int
ValueClasses(Oid relation, const char *column, double rows, ValueClass *classes)
{
	HeapTuple	tuple = ColumnStatistics(relation, column);
	AttStatsSlot slot;
	double		rest;
	double		others;

	memset(classes, 0, MAX_VALUE_CLASSES * sizeof(ValueClass));
	if (!HeapTupleIsValid(tuple))
		return 0;
	ReadCommonValues(tuple, rows, &slot, &others, &rest);
	AddNumbers(classes, slot.numbers, slot.nnumbers);
	free_attstatsslot(&slot);
	ReleaseSysCache(tuple);
	AddToClass(classes, rest / Max(others, 1), others);
	return FinishClasses(classes);
}

/*
 * The numbers of the most common elements end with three about all elements, and those of the
 * histogram with the mean number of different elements.
 */
int
ElementClasses(Oid relation, const char *column, ValueClass *classes, double *length)
{
	HeapTuple	tuple = ColumnStatistics(relation, column);
	AttStatsSlot slot;

	memset(classes, 0, MAX_VALUE_CLASSES * sizeof(ValueClass));
	*length = 0;
	if (!HeapTupleIsValid(tuple))
		return 0;
	if (get_attstatsslot(&slot, tuple, STATISTIC_KIND_MCELEM, InvalidOid, ATTSTATSSLOT_NUMBERS))
	{
		AddNumbers(classes, slot.numbers, slot.nnumbers - 3);
		free_attstatsslot(&slot);
	}
	if (get_attstatsslot(&slot, tuple, STATISTIC_KIND_DECHIST, InvalidOid, ATTSTATSSLOT_NUMBERS))
	{
		if (slot.nnumbers > 0)
			*length = slot.numbers[slot.nnumbers - 1];
		free_attstatsslot(&slot);
	}
	ReleaseSysCache(tuple);
	return FinishClasses(classes);
}

static int
CompareDescending(const void *a, const void *b)
{
	double		left = *(const double *) a;
	double		right = *(const double *) b;

	return left < right ? 1 : left > right ? -1 : 0;
}

void
SortDescending(double *numbers, int n)
{
	qsort(numbers, n, sizeof(double), CompareDescending);
}

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
#include "read/source_text.h"
#include "statistics.h"
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

	if (!HeapTupleIsValid(tuple))
		return false;
	(void) get_func_arg_info(tuple, &types, &arguments->names, &modes);
	ReleaseSysCache(tuple);
	arguments->values = function->args;
	return arguments->names != NULL && list_length(function->args) >= 3 && types[1] == NAMEOID;
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

Const *
ConstantArgument(const CallArguments *arguments, const char *name)
{
	int			i = FindArgument(arguments, name);
	Node	   *value = i < 0 ? NULL : (Node *) list_nth(arguments->values, i);

	return value != NULL && IsA(value, Const) && !((Const *) value)->constisnull ? (Const *) value : NULL;
}

int
ConstantElements(const Const *array)
{
	ArrayType  *elements;

	if (array == NULL)
		return 0;
	elements = DatumGetArrayTypeP(array->constvalue);
	return ArrayGetNItems(ARR_NDIM(elements), ARR_DIMS(elements));
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
ColumnStatistics(Oid relation, Const *column)
{
	AttrNumber	number = get_attnum(relation, NameStr(*DatumGetName(column->constvalue)));
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

/* The most common values have parts of their own; the others share what is left evenly. */
int
ValueParts(Oid relation, Const *column, double rows, double *parts, int max)
{
	HeapTuple	tuple = ColumnStatistics(relation, column);
	AttStatsSlot slot;
	double		rest;
	double		others;
	int			n = 0;

	if (!HeapTupleIsValid(tuple))
		return 0;
	rest = 1 - ((Form_pg_statistic) GETSTRUCT(tuple))->stanullfrac;
	others = DistinctValues(tuple, rows);
	if (get_attstatsslot(&slot, tuple, STATISTIC_KIND_MCV, InvalidOid, ATTSTATSSLOT_NUMBERS))
	{
		for (int i = 0; i < slot.nnumbers && n < max; i++)
		{
			parts[n++] = slot.numbers[i];
			rest -= slot.numbers[i];
		}
		others -= slot.nnumbers;
		free_attstatsslot(&slot);
	}
	ReleaseSysCache(tuple);
	for (int i = 0; i < others && n < max; i++)
		parts[n++] = Max(rest, 0) / others;
	return n;
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

/* Adds the common values of a slot, and returns the sum of their parts. */
static double
AddNumbers(ValueClass *classes, const float4 *numbers, int n)
{
	double		sum = 0;

	for (int i = 0; i < n; i++)
	{
		AddToClass(classes, numbers[i], 1);
		sum += numbers[i];
	}
	return sum;
}

int
ValueClasses(Oid relation, Const *column, double rows, ValueClass *classes)
{
	HeapTuple	tuple = ColumnStatistics(relation, column);
	AttStatsSlot slot;
	double		rest;
	double		others;

	memset(classes, 0, MAX_VALUE_CLASSES * sizeof(ValueClass));
	if (!HeapTupleIsValid(tuple))
		return 0;
	rest = 1 - ((Form_pg_statistic) GETSTRUCT(tuple))->stanullfrac;
	others = DistinctValues(tuple, rows);
	if (get_attstatsslot(&slot, tuple, STATISTIC_KIND_MCV, InvalidOid, ATTSTATSSLOT_NUMBERS))
	{
		rest -= AddNumbers(classes, slot.numbers, slot.nnumbers);
		others -= slot.nnumbers;
		free_attstatsslot(&slot);
	}
	ReleaseSysCache(tuple);
	AddToClass(classes, rest / Max(others, 1), others);
	return FinishClasses(classes);
}

/*
 * The numbers of the most common elements end with three about all elements, and those of the
 * histogram with the mean number of different elements.
 */
int
ElementClasses(Oid relation, Const *column, ValueClass *classes, double *length)
{
	HeapTuple	tuple = ColumnStatistics(relation, column);
	AttStatsSlot slot;

	memset(classes, 0, MAX_VALUE_CLASSES * sizeof(ValueClass));
	*length = 0;
	if (!HeapTupleIsValid(tuple))
		return 0;
	if (get_attstatsslot(&slot, tuple, STATISTIC_KIND_MCELEM, InvalidOid, ATTSTATSSLOT_NUMBERS))
	{
		(void) AddNumbers(classes, slot.numbers, slot.nnumbers - 3);
		free_attstatsslot(&slot);
	}
	if (get_attstatsslot(&slot, tuple, STATISTIC_KIND_DECHIST, InvalidOid, ATTSTATSSLOT_NUMBERS))
	{
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

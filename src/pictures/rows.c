/*-------------------------------------------------------------------------
 *
 * rows.c
 *	  What the aggregates that draw are given: the rows, as numbers and texts.
 *
 * Items are compared by their texts from here on.  Dates and times of day are written as ISO 8601
 * has them, whatever the settings of the session say.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "compat.h"
#include "gpufim.h"
#include "miscadmin.h"
#include "pictures/pictures.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

/* What a piece of memory takes besides what was asked for. */
#define PIECE_BYTES	16

/* Raises an error if the rows would be beyond the memory limit with so many bytes more, and counts them. */
static void
Charge(PictureRows *rows, uint64 bytes)
{
	CheckMemoryLimit(rows->bytes, bytes, "the rows of a picture");
	rows->bytes += bytes;
}

static char **
MakeTexts(PictureRows *rows, int n)
{
	Charge(rows, sizeof(char *) * (uint64) n + PIECE_BYTES);
	return palloc(sizeof(char *) * Max(n, 1));
}

static void
AddText(PictureRows *rows, PictureValue *into, char *text)
{
	Charge(rows, strlen(text) + PIECE_BYTES);
	into->texts[into->ntexts++] = text;
}

static char *
ElementText(PictureRows *rows, int value, Datum element)
{
	Oid			type = rows->element_types[value];

	if (type == DATEOID || type == TIMESTAMPOID || type == TIMESTAMPTZOID)
		return JsonEncodeDateTime(palloc(MAXDATELEN + 1), element, type, NULL);
	return OutputFunctionCall(&rows->output[value], element);
}

/* Elements that are NULL are none, as NULL items of a source. */
static void
ReadArray(PictureRows *rows, int value, ArrayType *array, PictureValue *into)
{
	Oid			type = ARR_ELEMTYPE(array);
	int16		length;
	bool		by_value;
	char		align;
	Datum	   *elements;
	bool	   *nulls;
	int			nelements;

	if (rows->element_types[value] != type)
	{
		Oid			function;
		bool		is_varlena;

		getTypeOutputInfo(type, &function, &is_varlena);
		fmgr_info_cxt(function, &rows->output[value], CurrentMemoryContext);
		rows->element_types[value] = type;
	}
	get_typlenbyvalalign(type, &length, &by_value, &align);
	deconstruct_array(array, type, length, by_value, align, &elements, &nulls, &nelements);
	into->texts = MakeTexts(rows, nelements);
	for (int i = 0; i < nelements; i++)
		if (!nulls[i])
			AddText(rows, into, ElementText(rows, value, elements[i]));
	pfree(elements);
	pfree(nulls);
}

/* Returns false if a row with this argument cannot be drawn. */
static bool
ReadValue(FunctionCallInfo fcinfo, int argument, PictureRows *rows, PictureValue *into)
{
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, argument);
	ArrayType  *array;

	if (PG_ARGISNULL(argument))
		return type == TEXTOID;
	if (type == FLOAT8OID)
	{
		into->number = PG_GETARG_FLOAT8(argument);
		return isfinite(into->number);
	}
	if (type == TEXTOID)
	{
		into->texts = MakeTexts(rows, 1);
		AddText(rows, into, text_to_cstring(PG_GETARG_TEXT_PP(argument)));
		return true;
	}
	array = PG_GETARG_ARRAYTYPE_P(argument);
	ReadArray(rows, argument - 1, array, into);
	PG_FREE_IF_COPY(array, argument);
	return true;
}

PG_FUNCTION_INFO_V1(gpufim_picture_row);

Datum
gpufim_picture_row(PG_FUNCTION_ARGS)
{
	PictureRows *rows = PG_ARGISNULL(0) ? NULL : (PictureRows *) PG_GETARG_POINTER(0);
	MemoryContext context;
	MemoryContext caller;
	PictureRow *row;
	bool		drawn = true;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "gpufim_picture_row() was not called by an aggregate");
	Assert(PG_NARGS() - 1 <= PICTURE_MAX_VALUES);
	caller = MemoryContextSwitchTo(context);
	if (rows == NULL)
	{
		rows = palloc0(sizeof(PictureRows));
		rows->nvalues = PG_NARGS() - 1;
		rows->room = 64;
		rows->rows = palloc(sizeof(PictureRow) * rows->room);
	}
	if (rows->nrows == rows->room)
	{
		Charge(rows, sizeof(PictureRow) * rows->room);
		rows->room *= 2;
		rows->rows = repalloc_huge(rows->rows, sizeof(PictureRow) * rows->room);
	}
	row = &rows->rows[rows->nrows];
	memset(row, 0, sizeof(PictureRow));
	for (int i = 0; drawn && i < rows->nvalues; i++)
		drawn = ReadValue(fcinfo, i + 1, rows, &row->values[i]);
	rows->nrows += drawn;
	MemoryContextSwitchTo(caller);
	PG_RETURN_POINTER(rows);
}

/* Whole numbers are compared as such, other texts by their bytes. */
static int
CompareTexts(const char *a, const char *b)
{
	size_t		a_length = strlen(a);
	size_t		b_length = strlen(b);

	if (a_length != b_length && strspn(a, "0123456789") == a_length && strspn(b, "0123456789") == b_length)
		return a_length < b_length ? -1 : 1;
	return strcmp(a, b);
}

static int
CompareValues(const PictureValue *a, const PictureValue *b)
{
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	for (int i = 0; i < a->ntexts && i < b->ntexts; i++)
	{
		int			result = CompareTexts(a->texts[i], b->texts[i]);

		if (result != 0)
			return result;
	}
	return a->ntexts < b->ntexts ? -1 : a->ntexts > b->ntexts;
}

static int
CompareRows(const void *a, const void *b, void *order)
{
	const PictureRow *left = *(PictureRow *const *) a;
	const PictureRow *right = *(PictureRow *const *) b;

	CHECK_FOR_INTERRUPTS();
	for (const int *key = order; *key != PICTURE_END; key++)
	{
		int			result = *key < 0 ? CompareValues(&right->values[~*key], &left->values[~*key]) :
			CompareValues(&left->values[*key], &right->values[*key]);

		if (result != 0)
			return result;
	}
	return 0;
}

/* NULL if there was no row. */
static PictureRows *
GivenRows(FunctionCallInfo fcinfo)
{
	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "a picture was not asked for by an aggregate");
	return PG_ARGISNULL(0) ? NULL : (PictureRows *) PG_GETARG_POINTER(0);
}

PictureRow **
SortedPictureRows(FunctionCallInfo fcinfo, const int *order, int64 *nrows)
{
	PictureRows *rows = GivenRows(fcinfo);
	PictureRow **sorted;

	*nrows = rows ? rows->nrows : 0;
	if (rows)
		CheckMemoryLimit(rows->bytes, sizeof(PictureRow *) * rows->nrows, "a picture");
	sorted = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(PictureRow *) * Max(*nrows, 1));
	for (int64 i = 0; i < *nrows; i++)
		sorted[i] = &rows->rows[i];
	qsort_arg(sorted, *nrows, sizeof(PictureRow *), CompareRows, unconstify(int *, order));
	return sorted;
}

Oid
PictureElementType(FunctionCallInfo fcinfo, int value)
{
	PictureRows *rows = GivenRows(fcinfo);

	return rows ? rows->element_types[value] : InvalidOid;
}

char *
CountedNoun(int64 number, const char *noun)
{
	return psprintf(INT64_FORMAT " %s%s", number, noun, number == 1 ? "" : "s");
}

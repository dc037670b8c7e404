/*-------------------------------------------------------------------------
 *
 * messages.c
 *	  What messages say of the row that is being read, and of columns that may hold lists.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "read/read.h"
#include "read/rows.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#define SHOWN_BYTES		64		/* of a column's value */

char *
ValueText(Oid type, Datum value)
{
	Oid			output;
	bool		varlena;

	getTypeOutputInfo(type, &output, &varlena);
	return OidOutputFunctionCall(output, value);
}

void
AppendClipped(StringInfo text, const char *value)
{
	int			length = strlen(value);

	if (length <= SHOWN_BYTES)
		appendStringInfoString(text, value);
	else
		appendStringInfo(text, "%.*s...", pg_mbcliplen(value, length, SHOWN_BYTES), value);
}

static void
AppendColumn(StringInfo text, const SourceRow *row, int column)
{
	if (RowIsNull(row, column))
		appendStringInfoString(text, "null");
	else
		AppendClipped(text, ValueText(row->types[column], RowValue(row, column)));
}

char *
ColumnText(const SourceRow *row, int column)
{
	StringInfoData text;

	initStringInfo(&text);
	AppendColumn(&text, row, column);
	return text.data;
}

int
RowDetail(const GpufimRows *rows, const SourceRow *row)
{
	StringInfoData text;

	initStringInfo(&text);
	for (int i = 0; i < row->ncolumns; i++)
	{
		if (i > 0)
			appendStringInfoString(&text, ", ");
		AppendColumn(&text, row, i);
	}
	if (!rows->numbered)
		return errdetail("A row of the source is (%s).", text.data);
	return errdetail("Row %lld of the source is (%s).", (long long) rows->rows_read, text.data);
}

/*
 * Notices about columns that may hold lists of items where the call takes each value as one.
 */

#define MOST_LOOKED_AT	1000	/* distinct values that are looked at for lists */

static bool
IsText(Oid type)
{
	char		category;
	bool		is_preferred;

	get_type_category_preferred(type, &category, &is_preferred);
	return category == TYPCATEGORY_STRING;
}

static void
NoteArrays(const GpufimSource *source, const SourceColumn *column, const char *value,
		   const char *function)
{
	ereport(NOTICE,
			(errmsg("each array in column \"%s\", named by \"%s\", is taken as one %s",
					column->name, column->argument, value),
			 errhint("If its elements are the %ss, the source is %s.", value,
					 SourceElementsQuery(source, column, function, ")"))));
}

static void
NoteTexts(const GpufimSource *source, const SourceColumn *column, const char *text)
{
	const char *query;

	if (*text == '{')
		query = SourceElementsQuery(source, column, "unnest(", "::text[])");
	else if (*text == '[')
		query = SourceElementsQuery(source, column, "jsonb_array_elements_text(", "::jsonb)");
	else
		query = SourceElementsQuery(source, column, "unnest(string_to_array(",
									strstr(text, ", ") != NULL ? ", ', '))" : ", ','))");
	ereport(NOTICE,
			(errmsg("no transaction has more than one item, but there are commas in column \"%s\", named by \"%s\"",
					column->name, column->argument),
			 errhint("If the values are lists of items, the source is %s.", query)));
}

/* Are the first n values, of type jsonb, arrays? */
static bool
AreJsonArrays(const Dictionary *values, uint32 n)
{
	bool		are = true;

	for (uint32 id = 0; id < n && are; id++)
	{
		const Jsonb *json = DatumGetJsonbP(values->entries[id].value);

		are = JB_ROOT_IS_ARRAY(json) && !JB_ROOT_IS_SCALAR(json);
	}
	return are;
}

/* Returns the text of the first of n values that has a comma; NULL if none has. */
static const char *
TextWithComma(const Dictionary *values, Oid type, uint32 n)
{
	for (uint32 id = 0; id < n; id++)
	{
		const char *text = ValueText(type, values->entries[id].value);

		if (strchr(text, ',') != NULL)
			return text;
	}
	return NULL;
}

void
NoteLists(const GpufimSource *source, const SourceColumn *column, const Dictionary *values,
		  const char *value, bool single)
{
	uint32		n = Min(values->n, MOST_LOOKED_AT);
	MemoryContext caller;

	/* no values, or integers, which may not have been kept */
	if (n == 0 || values->entries == NULL)
		return;
	caller = MemoryContextSwitchTo(values->ledger->scratch);
	if (OidIsValid(get_element_type(column->type)))
		NoteArrays(source, column, value, "unnest(");
	else if (column->type == JSONBOID && AreJsonArrays(values, n))
		NoteArrays(source, column, value, "jsonb_array_elements_text(");
	else if (single && IsText(column->type))
	{
		const char *text = TextWithComma(values, column->type, n);

		if (text != NULL)
			NoteTexts(source, column, text);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextReset(values->ledger->scratch);
}

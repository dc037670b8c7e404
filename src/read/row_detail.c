/*-------------------------------------------------------------------------
 *
 * row_detail.c
 *	  What messages say of the row that is being read.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "read/row_detail.h"
#include "utils/lsyscache.h"

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
AppendColumn(StringInfo text, TupleTableSlot *slot, int column)
{
	if (slot->tts_isnull[column])
		appendStringInfoString(text, "null");
	else
		AppendClipped(text, ValueText(TupleDescAttr(slot->tts_tupleDescriptor, column)->atttypid,
									  slot->tts_values[column]));
}

char *
ColumnText(TupleTableSlot *slot, int column)
{
	StringInfoData text;

	initStringInfo(&text);
	AppendColumn(&text, slot, column);
	return text.data;
}

int
RowDetail(const GpufimRows *rows, TupleTableSlot *slot)
{
	StringInfoData text;

	initStringInfo(&text);
	slot_getallattrs(slot);
	for (int i = 0; i < slot->tts_nvalid; i++)
	{
		if (i > 0)
			appendStringInfoString(&text, ", ");
		AppendColumn(&text, slot, i);
	}
	return errdetail("Row %lld of the source is (%s).", (long long) rows->rows_read, text.data);
}

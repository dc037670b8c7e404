/*-------------------------------------------------------------------------
 *
 * probabilities.c
 *	  What a source may give as probabilities, and what is said of anything else.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "read/probabilities.h"
#include "read/source.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/lsyscache.h"

#define SHOWN_BYTES		64		/* of a column's value, in messages */

static char *
ValueText(Oid type, Datum value)
{
	Oid			output;
	bool		varlena;

	getTypeOutputInfo(type, &output, &varlena);
	return OidOutputFunctionCall(output, value);
}

static void
AppendClipped(StringInfo text, const char *value)
{
	int			length = strlen(value);

	if (length <= SHOWN_BYTES)
		appendStringInfoString(text, value);
	else
		appendStringInfo(text, "%.*s...", pg_mbcliplen(value, length, SHOWN_BYTES), value);
}

/* "Row 7 of the source is (3, b, 1.5)."  Its columns are those that are read. */
static int
RowDetail(const GpufimRows *rows, TupleTableSlot *slot)
{
	StringInfoData text;

	initStringInfo(&text);
	slot_getallattrs(slot);
	for (int i = 0; i < slot->tts_nvalid; i++)
	{
		if (i > 0)
			appendStringInfoString(&text, ", ");
		if (slot->tts_isnull[i])
			appendStringInfoString(&text, "null");
		else
			AppendClipped(&text, ValueText(TupleDescAttr(slot->tts_tupleDescriptor, i)->atttypid,
										   slot->tts_values[i]));
	}
	return errdetail("Row %lld of the source is (%s).", (long long) rows->growth.rows, text.data);
}

static const SourceColumn *
ProbabilityColumn(const GpufimRows *rows)
{
	return SourceColumnOf(rows->source, ROLE_PROBABILITY);
}

void
RaiseNotProbability(const GpufimRows *rows, TupleTableSlot *slot, float8 value)
{
	const SourceColumn *column = ProbabilityColumn(rows);

	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("%s in column \"%s\", named by \"%s\", is not a probability",
					float8out_internal(value), column->name, column->argument),
			 RowDetail(rows, slot),
			 errhint("A probability is a number from 0 to 1.")));
}

void
RaiseNotAsMany(const GpufimRows *rows, TupleTableSlot *slot, int nitems, int nprobabilities)
{
	const SourceColumn *items = SourceColumnOf(rows->source, ROLE_ITEMS);
	const SourceColumn *column = ProbabilityColumn(rows);

	ereport(ERROR,
			(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
			 errmsg("an array in column \"%s\", named by \"%s\", is not as long as that in column \"%s\"",
					column->name, column->argument, items->name),
			 errdetail("Row %lld of the source has %d items and %d probabilities.",
					   (long long) rows->growth.rows, nitems, nprobabilities)));
}

/* The query that finds pairs with several probabilities. */
static int
PairsHint(const GpufimRows *rows)
{
	const SourceColumn *transaction = SourceColumnOf(rows->source, ROLE_TRANSACTION);
	const SourceColumn *item = SourceColumnOf(rows->source, ROLE_ITEM);
	const char *probability;

	if (transaction == NULL)
		return 0;
	probability = quote_identifier(ProbabilityColumn(rows)->name);
	return errhint("To find such items, GROUP BY %s, %s HAVING min(%s) <> max(%s).",
				   quote_identifier(transaction->name), quote_identifier(item->name),
				   probability, probability);
}

void
RaiseTwoProbabilities(const GpufimRows *rows, TupleTableSlot *slot, uint32 item,
					  float8 one, float8 other)
{
	StringInfoData text;

	initStringInfo(&text);
	AppendClipped(&text, ValueText(rows->items->type->type_id, rows->items->entries[item].value));
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("item \"%s\" is in one transaction with different probabilities, %s and %s",
					text.data, float8out_internal(one), float8out_internal(other)),
			 slot == NULL ? 0 : RowDetail(rows, slot),
			 PairsHint(rows)));
}

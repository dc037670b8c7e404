/*-------------------------------------------------------------------------
 *
 * probabilities.c
 *	  What a source may give as probabilities, and the errors about anything else.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "read/probabilities.h"
#include "read/row_detail.h"
#include "read/source.h"
#include "utils/builtins.h"
#include "utils/float.h"

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
RaiseNotAsMany(const GpufimRows *rows, int nitems, int nprobabilities)
{
	const SourceColumn *items = SourceColumnOf(rows->source, ROLE_ITEMS);
	const SourceColumn *column = ProbabilityColumn(rows);

	ereport(ERROR,
			(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
			 errmsg("an array in column \"%s\", named by \"%s\", is not as long as that in column \"%s\"",
					column->name, column->argument, items->name),
			 errdetail("Items in row %lld of the source: %d; probabilities: %d.",
					   (long long) rows->rows_read, nitems, nprobabilities)));
}

/* An errhint() with the clauses that find pairs with several probabilities, for the pair form. */
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

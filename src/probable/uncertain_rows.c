/*-------------------------------------------------------------------------
 *
 * uncertain_rows.c
 *	  Reading a source of uncertain transactions.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "engine/probable/probable.h"
#include "probable/uncertain_rows.h"
#include "read/ingest.h"
#include "work/engine_choice.h"

#define MAX_COLUMNS	3

static GpufimSource *
OpenSource(const UncertainSource *from)
{
	SourceColumn columns[MAX_COLUMNS];
	SourceColumn *next = columns;

	if (from->tid_column)
		next = SourceColumnSet(next, ROLE_TRANSACTION, from->tid_column, "tid_column");
	next = SourceColumnSet(next, from->tid_column ? ROLE_ITEM : ROLE_ITEMS, from->item_column,
					 from->item_argument);
	next[-1].type_sample = from->type_sample;
	next = SourceColumnSet(next, ROLE_PROBABILITY, from->probability_column, "probability_column");
	return SourceOpen(from->source, columns, next - columns);
}

/*
 * An array of probabilities, or a probability in each pair, belongs to the items; a single number
 * belongs to the row.
 */
static RowLayout
LayoutOf(const GpufimSource *source)
{
	RowLayout	layout = {.unique = true};

	layout.grouped = SourceColumnOf(source, ROLE_TRANSACTION) != NULL;
	if (layout.grouped || SourceColumnOf(source, ROLE_PROBABILITY)->is_array)
		layout.value_words = VALUE_WORDS;
	else
		layout.head_words = VALUE_WORDS;
	return layout;
}

GpufimRows *
ReadUncertainRows(const UncertainSource *from, MemoryLedger *ledger)
{
	GpufimSource *source;
	RowLayout	layout;
	GpufimRows *rows;

	SourceConnect();
	source = OpenSource(from);

	/* A call for an engine or strategy that is not available should fail before the source is scanned. */
	CheckEngineChoice(&FimProbableFamily);
	layout = LayoutOf(source);
	rows = IngestSource(source, &layout, ledger);
	SourceDisconnect();
	return rows;
}

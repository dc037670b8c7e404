/*-------------------------------------------------------------------------
 *
 * uncertain_rows.c
 *	  Reading a source of uncertain transactions.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "engine/probable/probable.h"
#include "forecast.h"
#include "probable/uncertain_rows.h"
#include "read/ingest.h"
#include "work/engine_choice.h"

#define MAX_COLUMNS	3

/*
 * Bytes in the engine's data for an entry (the item in its row, and the row in the item's
 * column), for its probability in both places, for a row, and for an item (where its column
 * begins).
 */
#define ENTRY_BYTES			(2 * sizeof(uint32))
#define UNCERTAIN_BYTES		(2 * sizeof(double))
#define ROW_BYTES			(sizeof(uint64) + sizeof(double))
#define ITEM_BYTES			sizeof(uint64)

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
 * Estimates of the data's bytes, each a RowLayout's data_bytes(): where rows have probabilities,
 * and where entries do.
 */
static double
TupleDataBytes(const RowLayout *layout, double rows, double entries, double nitems)
{
	return entries * ENTRY_BYTES + rows * ROW_BYTES + nitems * ITEM_BYTES;
}

static double
AttributeDataBytes(const RowLayout *layout, double rows, double entries, double nitems)
{
	return TupleDataBytes(layout, rows, entries, nitems) + entries * UNCERTAIN_BYTES;
}

/*
 * An array of probabilities, or a probability in each pair, belongs to the items; a single number
 * belongs to the row.
 */
static RowLayout
LayoutOf(const GpufimSource *source, double minsup)
{
	RowLayout	layout = {.unique = true,.minsup = minsup,.foresee = ForecastMemory};

	layout.grouped = SourceColumnOf(source, ROLE_TRANSACTION) != NULL;
	if (layout.grouped || SourceColumnOf(source, ROLE_PROBABILITY)->is_array)
	{
		layout.value_words = VALUE_WORDS;
		layout.data_bytes = AttributeDataBytes;
	}
	else
	{
		layout.head_words = VALUE_WORDS;
		layout.data_bytes = TupleDataBytes;
	}
	return layout;
}

GpufimRows *
ReadUncertainRows(const UncertainSource *from, double minsup, MemoryLedger *ledger)
{
	GpufimSource *source;
	RowLayout	layout;
	GpufimRows *rows;

	SourceConnect();
	source = OpenSource(from);

	/* A call for an engine or strategy that is not available should fail before the source is scanned. */
	CheckEngineChoice(&FimProbableFamily);
	layout = LayoutOf(source, minsup);
	rows = IngestSource(source, &layout, ledger);
	SourceDisconnect();
	return rows;
}

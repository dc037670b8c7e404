/*-------------------------------------------------------------------------
 *
 * result_rows.c
 *	  Turning probable itemsets into rows of the SQL function's result.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "engine/probable/probable.h"
#include "miscadmin.h"
#include "probable/result_rows.h"

/* Items between two checks for interrupts. */
#define INTERRUPT_ITEMS	4096

typedef struct ProbableRows
{
	ItemsetRows rows;			/* must be first */
	const GpufimItems *items;	/* with their ranks */
} ProbableRows;

/*
 * The items of a record come in the order of their numbers, required ones first.  Ranks ascend
 * within the required items and within the others, so merging both gives the order of the array.
 */
static Datum
BuildArray(ProbableRows *emitter, const uint32_t *numbers, uint32 n)
{
	ItemsetRows *rows = &emitter->rows;
	const GpufimItem *required = emitter->items->required;
	const GpufimItem *items = emitter->items->items;
	uint32		nrequired = emitter->items->nrequired;
	char	   *at = ArrayStart(rows);
	uint32		next_required = 0;
	uint32		next = nrequired;

	while (next_required < nrequired || next < n)
	{
		uint32		rank = next < n ? items[numbers[next] - nrequired].rank : UINT32_MAX;

		if (next_required < nrequired && required[next_required].rank < rank)
			rank = required[next_required++].rank;
		else
			next++;
		at = AppendImage(rows, at, rank);
		if (next % INTERRUPT_ITEMS == 0)
			CHECK_FOR_INTERRUPTS();
	}
	return ArrayEnd(rows, at, n);
}

static inline double
DoubleAt(const uint32_t *words)
{
	double		value;

	memcpy(&value, words, sizeof(value));
	return value;
}

static const uint32_t *
EmitRecord(ItemsetRows *rows, const uint32_t *record)
{
	uint32		n = record[0];
	const uint32_t *after = record + 1 + n;
	Datum		values[4];
	bool		nulls[4] = {false, false, false, false};

	if (n > rows->max_length)
		ItemsetRowsGrow(rows, n, 0);
	values[0] = BuildArray((ProbableRows *) rows, record + 1, n);
	values[1] = Float8GetDatum(DoubleAt(after));
	values[2] = Float8GetDatum(DoubleAt(after + 2));
	values[3] = Int64GetDatum((int64) after[4]);
	PutItemset(rows, n, values, nulls);
	return after + 5;
}

ItemsetRows *
ProbableRowsCreate(FunctionCallInfo fcinfo, MemoryLedger *ledger, const GpufimItems *items)
{
	static const ResultWords words = {
		"itemset", "itemsets", "items",
		"Raise \"minsup\" or \"minprob\", lower \"max_length\" or ask for "
		"\"closed\" or \"maximal\" itemsets to get fewer."
	};
	ProbableRows *emitter = palloc0(sizeof(ProbableRows));

	ItemsetRowsInit(&emitter->rows, EmitRecord, &words, fcinfo, ledger, items);
	emitter->items = items;
	ItemsetRowsGrow(&emitter->rows, items->nrequired + 16, 0);
	return &emitter->rows;
}

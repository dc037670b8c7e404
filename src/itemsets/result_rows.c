/*-------------------------------------------------------------------------
 *
 * result_rows.c
 *	  Turning results into rows.
 *
 * Consecutive results share items: each keeps a number of the items of the result before and
 * adds others.  For results of up to TRIANGLE_LENGTH items the sink keeps, for every length
 * that a shared part can have, the sorted ranks of that many items of the last result, each in
 * one row of a triangle: row n starts at n * (n - 1) / 2 and is made from row n - 1 by
 * inserting one rank.  A longer result is kept as one sorted list, which tells of each rank how
 * many ranks were added to the result before it.  From that list the next result takes the
 * ranks that it shares and merges its own into them, in a time that is proportional to the
 * length of the result's array.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "gpufim.h"
#include "itemsets/itemsets.h"
#include "miscadmin.h"
#include "results.h"

/*
 * Results that are longer than this are merged, see above.  Where there are many results,
 * nearly all are shorter.
 */
#define TRIANGLE_LENGTH	64
#define TRIANGLE_SIZE	(TRIANGLE_LENGTH * (TRIANGLE_LENGTH + 1) / 2)

/* Items between two checks for interrupts. */
#define INTERRUPT_ITEMS	4096

/* A rank of a long result, and how many ranks were added to the result before it. */
typedef uint64 PlacedRank;

#define PlaceRank(rank, place)	((uint64) (rank) << 32 | (place))
#define RankOf(placed)			((uint32) ((placed) >> 32))
#define PlaceOf(placed)			((uint32) (placed))

#define ST_SORT SortPlacedRanks
#define ST_ELEMENT_TYPE PlacedRank
#define ST_COMPARE(a, b) (*(a) > *(b) ? 1 : -1)
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

struct FrequentRows
{
	ItemsetRows rows;			/* must be first */
	double		transactions;
	const GpufimItem *items;	/* with their ranks */
	uint32		nrequired;
	uint32		triangle[TRIANGLE_SIZE]; /* sorted ranks by length, see above */
	uint32		room;			/* longest result that there is room for */
	PlacedRank *placed;			/* the last result, if longer than TRIANGLE_LENGTH: sorted */
	uint32		nplaced;		/* 0: it was not that long */
	PlacedRank *added;			/* ranks that the next result adds, in the same block of memory */
};

static inline uint32 *
TriangleRow(FrequentRows *frequent, uint32 length)
{
	return frequent->triangle + (size_t) length * (length - 1) / 2;
}

/*
 * Make room for results of this length.  Without enough memory this raises an error, which is
 * caught where there are workers: then the results start over with the same sink.  So each of
 * the two steps is done as a whole or not at all.
 */
static void
FrequentRowsGrow(FrequentRows *frequent, uint32 length)
{
	ItemsetRows *rows = &frequent->rows;
	size_t		old_size = frequent->placed ? 2 * frequent->room * sizeof(PlacedRank) : 0;

	if (length > rows->max_length)
		ItemsetRowsGrow(rows, length);
	if (rows->max_length > TRIANGLE_LENGTH)
	{
		frequent->placed = ItemsetRowsResize(rows, frequent->placed, old_size,
											2 * rows->max_length * sizeof(PlacedRank));
		frequent->added = frequent->placed + rows->max_length;
	}
	frequent->room = rows->max_length;
}

/* Make the triangle's row of length + 1 ranks from the row of "length" ranks and one more. */
static inline void
InsertRank(FrequentRows *frequent, uint32 length, uint32 rank)
{
	const uint32 *from = TriangleRow(frequent, length);
	uint32	   *to = TriangleRow(frequent, length + 1);
	uint32		i = length;

	for (; i > 0 && from[i - 1] > rank; i--)
		to[i] = from[i - 1];
	to[i] = rank;
	while (i-- > 0)
		to[i] = from[i];
}

/* Make a long result of the first "keep" items of the last result and n more items. */
static void
MergeRanks(FrequentRows *frequent, uint32 keep, const uint32_t *items, uint32 n)
{
	PlacedRank *placed = frequent->placed;
	PlacedRank *added = frequent->added;
	uint32		kept = 0;

	if (keep <= TRIANGLE_LENGTH)
	{
		/*
		 * a result that shares more than these ranks shares all of them, so their places do
		 * not matter
		 */
		for (; kept < keep; kept++)
			placed[kept] = PlaceRank(TriangleRow(frequent, keep)[kept], 0);
	}
	else
	{
		for (uint32 i = 0; i < frequent->nplaced; i++)
		{
			placed[kept] = placed[i];
			kept += PlaceOf(placed[i]) < keep;
		}
	}
	Assert(kept == keep);
	frequent->nplaced = keep + n;

	for (uint32 i = 0; i < n; i++)
		added[i] = PlaceRank(frequent->items[items[i]].rank, keep + i);
	if (n > 1)
		SortPlacedRanks(added, n);
	for (placed += keep + n; n > 0;)
	{
		if (kept > 0 && frequent->placed[kept - 1] > added[n - 1])
			*--placed = frequent->placed[--kept];
		else
			*--placed = added[--n];
	}
}

static Datum
BuildArray(FrequentRows *frequent, uint32 length)
{
	ItemsetRows *rows = &frequent->rows;
	char	   *at = ArrayStart(rows);

	if (length <= TRIANGLE_LENGTH)
	{
		const uint32 *ranks = TriangleRow(frequent, length);

		for (uint32 i = 0; i < length; i++)
			at = AppendImage(rows, at, ranks[i]);
	}
	else
	{
		for (uint32 i = 0; i < length; i++)
		{
			if (i % INTERRUPT_ITEMS == 0)
				CHECK_FOR_INTERRUPTS();
			at = AppendImage(rows, at, RankOf(frequent->placed[i]));
		}
	}
	return ArrayEnd(rows, at, length);
}

/*
 * A record is: the number of items shared with the result before, the number of items added,
 * these items, and the support.
 */
static const uint32_t *
EmitRecord(ItemsetRows *rows, const uint32_t *record)
{
	FrequentRows *frequent = (FrequentRows *) rows;
	uint32		length = frequent->nrequired + record[0];
	uint32		added = record[1];
	Datum		values[3];
	bool		nulls[3] = {false, false, false};

	record += 2;
	if (length + added > frequent->room)
		FrequentRowsGrow(frequent, length + added);
	for (; added > 0 && length < TRIANGLE_LENGTH; added--)
		InsertRank(frequent, length++, frequent->items[*record++].rank);
	if (length + added > TRIANGLE_LENGTH)
		MergeRanks(frequent, length, record, added);
	length += added;
	record += added;

	values[0] = BuildArray(frequent, length);
	values[1] = Int64GetDatum((int64) *record);
	values[2] = Float8GetDatum(*record / frequent->transactions);
	PutItemset(rows, length, values, nulls);
	return record + 1;
}

/* Begin with the required items, which are sorted already and are in every result. */
static void
PlaceRequired(FrequentRows *frequent, const GpufimItems *items)
{
	uint32		n = items->nrequired;

	for (uint32 i = 0; i < n; i++)
	{
		if (n <= TRIANGLE_LENGTH)
			TriangleRow(frequent, n)[i] = items->required[i].rank;
		else
			frequent->placed[i] = PlaceRank(items->required[i].rank, 0);
	}
	frequent->nplaced = n;
}

FrequentRows *
FrequentRowsCreate(FunctionCallInfo fcinfo, MemoryLedger *ledger, const GpufimItems *items,
			  int64 transactions)
{
	static const ResultWords words = {
		"itemset", "itemsets", "items",
		"Raise \"minsup\", lower \"max_length\" or ask for \"closed\" or "
		"\"maximal\" itemsets to get fewer; itemset_counts() tells how many there are."
	};
	FrequentRows *frequent = palloc0(sizeof(FrequentRows));

	ItemsetRowsInit(&frequent->rows, EmitRecord, &words, fcinfo, ledger, items);
	frequent->transactions = (double) transactions;
	frequent->items = items->items;
	frequent->nrequired = items->nrequired;
	FrequentRowsGrow(frequent, items->nrequired + 16);
	PlaceRequired(frequent, items);
	return frequent;
}

FimSink *
FrequentRowsSink(FrequentRows *frequent)
{
	return &frequent->rows.sink;
}

void
FrequentRowsUseJob(FrequentRows *frequent, struct Job *job)
{
	ItemsetRowsUseJob(&frequent->rows, job);
}

void
EmitCounts(FunctionCallInfo fcinfo, const FimTally *tally)
{
	CurrentRun->results = 0;
	for (uint32 length = 0; length < tally->lengths; length++)
	{
		const FimCount *count = &tally->counts[length];

		if (count->high == 0 && count->low == 0)
			continue;
		if (count->high > 0 || count->low > PG_INT64_MAX)
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("number of itemsets with %u items is out of range for type bigint",
							length),
					 errhint("Raise \"minsup\" or lower \"max_length\".")));
		PutLengthCount(fcinfo, length, (int64) count->low);
	}
}

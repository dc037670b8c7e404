/*-------------------------------------------------------------------------
 *
 * result_rows.c
 *	  Turning results into rows.
 *
 * Consecutive results share items: each keeps a number of the items of the result before and
 * adds others.  For results of up to TRIANGLE_LENGTH items the maker keeps, for every length
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

#include "common/int.h"
#include "compat.h"
#include "gpufim.h"
#include "itemset_rows.h"
#include "itemsets/itemsets.h"
#include "miscadmin.h"
#include "scan/scan.h"

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

typedef struct FrequentMaker
{
	ItemsetMaker itemsets;		/* must be first */
	double		transactions;
	uint32		nrequired;
	uint32		triangle[TRIANGLE_SIZE]; /* sorted ranks by length, see above */
	uint32		room;			/* longest result that there is room for in placed[] */
	PlacedRank *placed;			/* the last result, if longer than TRIANGLE_LENGTH: sorted */
	uint32		nplaced;		/* 0: it was not that long */
	PlacedRank *added;			/* ranks that the next result adds, in the same block of memory */

	/* the numbers of the row that was made last */
	int64		support;
	double		frequency;
} FrequentMaker;

static inline uint32 *
TriangleRow(FrequentMaker *frequent, uint32 length)
{
	return frequent->triangle + (size_t) length * (length - 1) / 2;
}

/* Make room for a long result. */
static void
GrowPlaced(FrequentMaker *frequent, uint32 length)
{
	size_t		room = Max(length, 2 * (size_t) frequent->room);

	frequent->placed = RowMakerResize(&frequent->itemsets.rows, frequent->placed,
									  2 * frequent->room * sizeof(PlacedRank),
									  2 * room * sizeof(PlacedRank), frequent->itemsets.rows.results_found);
	frequent->added = frequent->placed + room;
	frequent->room = room;
}

/* Make the triangle's row of length + 1 ranks from the row of "length" ranks and one more. */
static inline void
InsertRank(FrequentMaker *frequent, uint32 length, uint32 rank)
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
MergeRanks(FrequentMaker *frequent, uint32 keep, const uint32_t *items, uint32 n)
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
		added[i] = PlaceRank(frequent->itemsets.ranks[items[i]], keep + i);
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
BuildArray(FrequentMaker *frequent, uint32 length)
{
	ItemsetMaker *itemsets = &frequent->itemsets;
	char	   *at = ArrayStart(itemsets);

	if (length <= TRIANGLE_LENGTH)
	{
		const uint32 *ranks = TriangleRow(frequent, length);

		for (uint32 i = 0; i < length; i++)
			at = AppendImage(itemsets, at, ranks[i]);
	}
	else
	{
		for (uint32 i = 0; i < length; i++)
		{
			if (i % INTERRUPT_ITEMS == 0)
				CHECK_FOR_INTERRUPTS();
			at = AppendImage(itemsets, at, RankOf(frequent->placed[i]));
		}
	}
	return ArrayEnd(itemsets, at, length);
}

/*
 * A record is: the number of items shared with the result before, the number of items added,
 * these items, and the support.
 */
#define RECORD_WORDS(record)	(3 + (size_t) (record)[1])

static uint32
LengthOfRecord(const RowMaker *maker, const uint32 **record)
{
	uint32		length = ((const FrequentMaker *) maker)->nrequired + (*record)[0] + (*record)[1];

	*record += RECORD_WORDS(*record);
	return length;
}

/* Make the itemset of a record the last one.  Returns its length. */
static uint32
TakeItemset(FrequentMaker *frequent, const uint32 *record)
{
	uint32		length = frequent->nrequired + record[0];
	uint32		added = record[1];

	record += 2;
	for (; added > 0 && length < TRIANGLE_LENGTH; added--)
		InsertRank(frequent, length++, frequent->itemsets.ranks[*record++]);
	if (length + added > TRIANGLE_LENGTH)
	{
		if (length + added > frequent->room)
			GrowPlaced(frequent, length + added);
		MergeRanks(frequent, length, record, added);
	}
	return length + added;
}

static void
NextRow(RowMaker *maker, Datum *values)
{
	FrequentMaker *frequent = (FrequentMaker *) maker;
	const uint32 *record = frequent->itemsets.next;
	const uint32 *next = record + RECORD_WORDS(record);

	frequent->itemsets.next = next;
	frequent->support = next[-1];
	frequent->frequency = frequent->support / frequent->transactions;
	if (maker->wanted[0])
		values[0] = BuildArray(frequent, TakeItemset(frequent, record));
	if (maker->wanted[1])
		values[1] = Int64GetDatumFast(frequent->support);
	if (maker->wanted[2])
		values[2] = Float8GetDatumFast(frequent->frequency);
}

/* Begin with the required items, which are sorted already and are in every result. */
static void
PlaceRequired(FrequentMaker *frequent)
{
	const uint32 *required = frequent->itemsets.required;
	uint32		n = frequent->nrequired;

	if (n > TRIANGLE_LENGTH)
		GrowPlaced(frequent, n);
	for (uint32 i = 0; i < n; i++)
	{
		if (n <= TRIANGLE_LENGTH)
			TriangleRow(frequent, n)[i] = required[i];
		else
			frequent->placed[i] = PlaceRank(required[i], 0);
	}
	frequent->nplaced = n;
}

RowSink *
FrequentRowsCreate(FunctionCallInfo fcinfo, MemoryLedger *ledger, const GpufimItems *items,
				   int64 transactions, bool best)
{
	static const ResultWords words = {
		"itemset", "itemsets", "items",
		"Raise \"minsup\", lower \"max_length\" or ask for \"closed\" or "
		"\"maximal\" itemsets to get fewer; itemset_counts() tells how many there are."
	};
	static const ResultWords words_of_best = {
		"itemset", "itemsets", "items", "Lower \"k\", or set \"ties\" to false to get no more than \"k\"."
	};
	FrequentMaker *frequent = ItemsetMakerCreate(sizeof(FrequentMaker), fcinfo, ledger, items,
												 best ? &words_of_best : &words);

	frequent->itemsets.rows.next = NextRow;
	frequent->itemsets.rows.length = LengthOfRecord;
	frequent->transactions = (double) transactions;
	frequent->nrequired = items->nrequired;
	if (frequent->itemsets.rows.wanted[0])
		PlaceRequired(frequent);
	return RowSinkCreate(fcinfo, &frequent->itemsets.rows);
}

/*
 * What calls that only count do with each length at which there are itemsets.
 */

static bool
CheckCount(const FimTally *tally, uint32 length)
{
	const FimCount *count = &tally->counts[length];

	if (count->high > 0 || count->low > PG_INT64_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("number of itemsets with %u items is out of range for type bigint",
						length),
				 errhint("Raise \"minsup\" or lower \"max_length\".")));
	return count->low > 0;
}

void
EmitCounts(FunctionCallInfo fcinfo, const FimTally *tally)
{
	CurrentRun->results = 0;
	for (uint32 length = 0; length < tally->lengths; length++)
	{
		if (CheckCount(tally, length))
			PutLengthCount(fcinfo, length, (int64) tally->counts[length].low);
	}
}

int64
SumCounts(const FimTally *tally)
{
	int64		sum = 0;

	CurrentRun->results = 0;
	for (uint32 length = 0; length < tally->lengths; length++)
	{
		int64		count;

		if (!CheckCount(tally, length))
			continue;
		count = (int64) tally->counts[length].low;
		CountLength(length, count);
		if (pg_add_s64_overflow(sum, count, &sum))
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("number of itemsets is out of range for type bigint"),
					 errhint("Raise \"minsup\" or lower \"max_length\".")));
	}
	return sum;
}

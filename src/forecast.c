/*-------------------------------------------------------------------------
 *
 * forecast.c
 *	  How much memory a call will take, as far as its rows tell.
 *
 * A call that exceeds its limit is to say what would be enough.  While rows are
 * read, the numbers of distinct values are taken to go on growing with a power of
 * the rows (Heaps' law), whose exponent comes from what was seen until now; how
 * many rows there will be the planner has estimated.  A part of the first row tells
 * nothing of the others, so while it is read the forecast is for this row alone.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "forecast.h"
#include "images.h"
#include "miscadmin.h"
#include "work/cpu_job.h"

/* Items that are looked at between two looks at interrupts. */
#define INTERRUPT_ITEMS		65536

/* An item with its rank and its image, but for the bytes of its value. */
#define KEPT_ITEM_BYTES		72

/* An item of a long itemset that is put together, but for its value. */
#define LONG_ITEM_BYTES		96

/* Chunks being filled or read, scratch space, and what else is small. */
#define SMALL_BYTES			(UINT64CONST(512) * 1024)

/* Is the first array being read, so that nothing is known of another? */
static bool
IsFirstArray(const ReadingGrowth *forecast)
{
	return !forecast->read && forecast->rows == 1 && forecast->elements > 0;
}

/* By how much the rows that are yet to come multiply those read. */
static double
RowsGrowth(const GpufimRows *source)
{
	const ReadingGrowth *forecast = &source->growth;
	double		rows = Max(forecast->rows, 1);

	if (forecast->read)
		return 1;
	if (IsFirstArray(forecast))
		return source->items->n > 0 ? Max((double) forecast->elements / source->items->n, 1) : 1;
	/* the planner was wrong, or did not know */
	if (forecast->expected_rows <= rows)
		return 2;
	return forecast->expected_rows / rows;
}

/* By how much the number of values grows meanwhile. */
static double
ValuesGrowth(const GpufimRows *rows, double now, double earlier, int64 earlier_rows)
{
	const ReadingGrowth *forecast = &rows->growth;
	double		exponent = 1;

	if (earlier > 0 && now > 0 && forecast->rows > earlier_rows)
		exponent = log(now / earlier) / log((double) forecast->rows / earlier_rows);
	return pow(RowsGrowth(rows), Min(Max(exponent, 0), 1));
}

/* A table that doubles whenever it is full, and holds n entries in the end. */
static double
Doubled(double capacity, double n)
{
	for (capacity = Max(capacity, 256); capacity < n; capacity *= 2)
		;
	return capacity;
}

static double
ArenaBytes(const Dictionary *dictionary)
{
	const ArenaBlock *block;
	double		bytes = 0;

	for (block = dictionary->arena; block != NULL; block = block->previous)
		bytes += block->size;
	return bytes;
}

/* A dictionary of so many times the values; tables are copied as they grow. */
static double
DictionaryBytes(const Dictionary *dictionary, double growth)
{
	double		n = dictionary->n * growth;
	double		bytes = ArenaBytes(dictionary) * growth;

	if (dictionary->entries)
		bytes += Doubled(dictionary->max_entries, n) * sizeof(DictionaryEntry);
	if (dictionary->window)
		bytes += 2 * dictionary->window_size * growth * sizeof(uint32);
	else if (dictionary->integer_slots)
		bytes += 1.5 * Doubled(dictionary->nslots, n * 4 / 3) * sizeof(IntegerSlot);
	else
		bytes += 1.5 * Doubled(dictionary->nslots, n * 4 / 3) * sizeof(HashSlot);
	return bytes;
}

/* Each stream of pairs that came apart has a chunk in memory. */
static double
PendingBytes(const GpufimRows *rows, double transactions)
{
	double		streams = rows->npending;

	if (streams > 0)
		streams = Max(streams, ceil(transactions / PENDING_TRANSACTIONS));
	return streams * 4 * BLCKSZ;
}

/* The least number of records that an item must be in, of so many. */
static double
LeastCount(const GpufimRows *rows, double transactions)
{
	double		minsup = rows->layout.minsup;

	return minsup < 1 ? minsup * transactions : minsup;
}

/*
 * What mining takes for the class of the item that is in most records, if items are
 * independent of each other and go on as they began.
 */
static double
ClassBytes(const GpufimRows *rows, double transactions, double entries)
{
	const Dictionary *items = rows->items;
	double		least = LeastCount(rows, transactions) / RowsGrowth(rows);
	uint32		most = 0;
	double		together = 0;

	if (rows->layout.class_bytes == NULL || items->entries == NULL)
		return 0;
	for (uint32 id = 0; id < items->n; id++)
	{
		if (id % INTERRUPT_ITEMS == 0)
			CHECK_FOR_INTERRUPTS();
		most = Max(most, items->entries[id].count);
	}
	if (most < least || most == 0)
		return 0;
	least *= transactions / RowsGrowth(rows) / most;
	for (uint32 id = 0; id < items->n; id++)
	{
		if (id % INTERRUPT_ITEMS == 0)
			CHECK_FOR_INTERRUPTS();
		together += items->entries[id].count >= least;
	}
	return rows->layout.class_bytes(most * RowsGrowth(rows), together, entries);
}

static double
WorkBytes(const GpufimRows *rows, double transactions, double entries, double nitems)
{
	double		data = rows->layout.data_bytes(&rows->layout, Min(transactions, entries), entries, nitems);

	return data + CpuForecast((uint64) data);
}

/* Those of the items, and of the longest itemset that there can be. */
static double
KeptItemsBytes(const GpufimRows *rows, double nitems)
{
	double		value = rows->items->n > 0 ? ArenaBytes(rows->items) / rows->items->n : 0;
	double		longest = Max(rows->longest, rows->growth.elements);

	longest = Min(longest, nitems);
	/* a copy of the value, and its image, which may be text */
	return nitems * (KEPT_ITEM_BYTES + 3 * value) +
		longest * LONG_ITEM_BYTES + ImagesArrayBytes(longest * value);
}

/* Items that will be frequent if they go on as they began, and their occurrences. */
static void
FrequentSoFar(const GpufimRows *rows, double transactions, double *nitems, double *entries)
{
	const Dictionary *items = rows->items;
	double		least = LeastCount(rows, transactions) / RowsGrowth(rows);

	*nitems = *entries = 0;
	for (uint32 id = 0; id < items->n && items->entries != NULL; id++)
	{
		if (items->entries[id].count < least)
			continue;
		*nitems += 1;
		*entries += items->entries[id].count;
	}
	*entries *= RowsGrowth(rows);
}

uint64
ForecastMemory(const GpufimRows *rows, bool *first_row)
{
	const ReadingGrowth *forecast = &rows->growth;
	const GrowthMark *mark = &forecast->earlier[0];
	double		items_growth;
	double		tids_growth;
	double		transactions;
	double		items;
	double		tids = 0;
	double		nitems;
	double		entries;
	double		kept;
	double		most;

	if (forecast->known > 0 || rows->items == NULL)
		return forecast->known;
	/* not if it is the only row, as the planner says of an aggregate */
	if (IsFirstArray(forecast) && forecast->expected_rows != 1)
		*first_row = true;
	/* the later mark may be from a moment ago */
	if (forecast->earlier[1].rows > 0 && forecast->rows < mark->rows + mark->rows / 2)
		mark++;
	items_growth = ValuesGrowth(rows, rows->items->n, mark->items, mark->rows);
	transactions = rows->transactions * RowsGrowth(rows);
	if (forecast->transactions)
	{
		tids_growth = ValuesGrowth(rows, forecast->transactions->n, mark->transactions, mark->rows);
		if (rows->layout.grouped)
			transactions = forecast->transactions->n * tids_growth;
		tids = DictionaryBytes(forecast->transactions, tids_growth);

		tids += PendingBytes(rows, forecast->transactions->n * tids_growth);
	}
	items = DictionaryBytes(rows->items, items_growth);
	FrequentSoFar(rows, transactions, &nitems, &entries);
	if (rows->layout.minsup == 1)
		nitems *= items_growth;
	kept = KeptItemsBytes(rows, nitems);
	most = Max(items + tids, items + rows->items->n * items_growth * sizeof(uint32) + kept);
	most = Max(most, kept + rows->items->n * items_growth * sizeof(uint32) +
			   WorkBytes(rows, transactions, entries, nitems) +
			   ClassBytes(rows, transactions, entries));
	most += most / 8 + SMALL_BYTES;
	return most < (double) PG_INT64_MAX ? (uint64) most : PG_INT64_MAX;
}

void
ForecastItems(GpufimRows *rows, uint64 transactions, uint64 entries, uint32 nitems)
{
	double		class_bytes = ClassBytes(rows, transactions, entries);
	double		most;

	if (RowsRepeat(rows))
	{
		transactions = Min(transactions, rows->nmerged);
		entries = Min(entries, rows->nmerged_entries);
	}
	most = rows->items->n * sizeof(uint32) + KeptItemsBytes(rows, nitems) +
		WorkBytes(rows, transactions, entries, nitems) + class_bytes;
	rows->growth.class_bytes = (uint64) class_bytes;
	rows->growth.known = (uint64) (most + most / 8) + SMALL_BYTES;
}

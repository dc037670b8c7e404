/*-------------------------------------------------------------------------
 *
 * forecast.c
 *	  How much memory a call will take, as far as its rows tell.
 *
 * A call that exceeds its limit should say what would be enough.  While rows are
 * read, it is assumed that the numbers of distinct values go on growing with a power
 * of the number of rows (Heaps' law).  The exponent comes from what has been read
 * until now, and the number of rows to come from the planner's estimate.  A part of
 * the first row says nothing about the others, so while that row is read the forecast
 * is for it alone.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "forecast.h"
#include "images.h"
#include "miscadmin.h"
#include "work/cpu_job.h"

/* Number of items that are looked at between two checks for interrupts. */
#define INTERRUPT_ITEMS		65536

/* What an item takes with its rank and its image, without the bytes of its value. */
#define KEPT_ITEM_BYTES		72

/* What an item takes in a long itemset that is being put together, without its value. */
#define LONG_ITEM_BYTES		96

/* What chunks that are being filled or read, scratch space and other small things take. */
#define SMALL_BYTES			(UINT64CONST(512) * 1024)

/* Is the first array being read, so that nothing is known of another? */
static bool
IsFirstArray(const ReadingGrowth *forecast)
{
	return !forecast->read && forecast->rows == 1 && forecast->elements > 0;
}

/*
 * The factor by which what has been read will have grown when all rows have been read, or
 * the whole first array while that is being read.
 */
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

/*
 * The factor by which a number of distinct values grows meanwhile.  It is "now", and was
 * "earlier" after earlier_rows rows.
 */
static double
ValuesGrowth(const GpufimRows *rows, double now, double earlier, int64 earlier_rows)
{
	const ReadingGrowth *forecast = &rows->growth;
	double		exponent = 1;

	if (earlier > 0 && now > 0 && forecast->rows > earlier_rows)
		exponent = log(now / earlier) / log((double) forecast->rows / earlier_rows);
	return pow(RowsGrowth(rows), Min(Max(exponent, 0), 1));
}

/* The capacity of a table that doubles whenever it is full, when it holds n entries. */
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

/*
 * The bytes of a dictionary when the number of its values has grown by a factor.  Its tables
 * are copied as they grow, so the old and the new one count.
 */
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

/* The bytes of the streams of pairs that came apart: each has a chunk in memory. */
static double
PendingBytes(const GpufimRows *rows, double transactions)
{
	double		streams = rows->npending;

	if (streams > 0)
		streams = Max(streams, ceil(transactions / PENDING_TRANSACTIONS));
	return streams * 4 * BLCKSZ;
}

/* The least number of transactions that hold a frequent item, given the number of all. */
static double
LeastCount(const GpufimRows *rows, double transactions)
{
	double		minsup = rows->layout.minsup;

	return minsup < 1 ? minsup * transactions : minsup;
}

/*
 * How many bytes mining takes for the prefix class of the item that is in most records, if
 * items are independent of each other and go on occurring as often as until now.
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

/* The bytes of the items that are kept, and of the longest itemset that there can be. */
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

/* How many items will be frequent if they go on occurring as often as until now, and their entries. */
static void
FrequentSoFar(const GpufimRows *rows, double transactions, double *nitems, double *entries)
{
	const Dictionary *items = rows->items;
	double		least = LeastCount(rows, transactions) / RowsGrowth(rows);

	*nitems = *entries = 0;
	for (uint32 id = 0; id < items->n && items->entries != NULL; id++)
	{
		if (id % INTERRUPT_ITEMS == 0)
			CHECK_FOR_INTERRUPTS();
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
	/* not if the planner expects a single row, as it does of an aggregate */
	if (IsFirstArray(forecast) && forecast->expected_rows != 1)
		*first_row = true;
	/* if the later mark was set a moment ago, too little has been read since */
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

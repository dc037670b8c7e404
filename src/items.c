/*-------------------------------------------------------------------------
 *
 * items.c
 *	  The items of the rows that were read: their sort order, and the frequent ones, which are kept
 *	  and numbered in that order.
 *
 * If "including" names items, only records that hold all of these matter, and only records
 * that have as many items as the result's itemsets.  If "including_any" does, only records that
 * hold one of these matter.  Items named by "excluding" are left out as infrequent ones are.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <float.h>

#include "catalog/pg_type.h"
#include "engine/parts.h"
#include "fmgr.h"
#include "items.h"
#include "miscadmin.h"
#include "read/read.h"
#include "read/rows.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/sortsupport.h"

/*
 * The sort order of a dictionary's values.
 */

typedef struct ValueOrder
{
	SortSupportData support;
	bool		by_text;
} ValueOrder;

static int
CompareValues(const void *a, const void *b, void *arg)
{
	ValueOrder *order = arg;
	Datum		left = ((const SortedValue *) a)->value;
	Datum		right = ((const SortedValue *) b)->value;

	CHECK_FOR_INTERRUPTS();
	if (order->by_text)
		return strcmp(DatumGetCString(left), DatumGetCString(right));
	return ApplySortComparator(left, false, right, false, &order->support);
}

/* A value's text, which belongs to the ledger. */
static char *
LedgerText(MemoryLedger *ledger, Oid output, Datum value, const char *what)
{
	MemoryContext caller = MemoryContextSwitchTo(ledger->scratch);
	char	   *text = OidOutputFunctionCall(output, value);
	Size		size = strlen(text) + 1;
	char	   *copy = memcpy(LedgerAlloc(ledger, size, what), text, size);

	MemoryContextSwitchTo(caller);
	MemoryContextReset(ledger->scratch);
	return copy;
}

void
SortValues(MemoryLedger *ledger, const Dictionary *dictionary, SortedValue *sorted, uint32 n)
{
	ValueOrder	order = {0};
	Oid			output;
	bool		varlena;

	if (OidIsValid(dictionary->type->lt_opr))
	{
		order.support.ssup_cxt = CurrentMemoryContext;
		order.support.ssup_collation = dictionary->collation;
		PrepareSortSupportFromOrderingOp(dictionary->type->lt_opr, &order.support);
	}
	else
	{
		order.by_text = true;
		getTypeOutputInfo(dictionary->type->type_id, &output, &varlena);
		for (uint32 i = 0; i < n; i++)
		{
			CHECK_FOR_INTERRUPTS();
			sorted[i].value = CStringGetDatum(LedgerText(ledger, output, sorted[i].value, dictionary->what));
		}
	}
	qsort_arg(sorted, n, sizeof(SortedValue), CompareValues, &order);
	if (order.by_text)
	{
		for (uint32 i = 0; i < n; i++)
		{
			char	   *text = DatumGetCString(sorted[i].value);

			LedgerFree(ledger, text, strlen(text) + 1);
			sorted[i].value = dictionary->entries[sorted[i].id].value;
		}
	}
}

#define ST_SORT SortManyNumbers
#define ST_ELEMENT_TYPE uint32
#define ST_COMPARE(a, b) (*(a) < *(b) ? -1 : *(a) > *(b))
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* Most lists of items are so short that nothing is faster than to insert one number after the other. */
#define FEW_NUMBERS		24

void
SortNumbers(uint32 *numbers, uint32 n)
{
	if (n > FEW_NUMBERS)
	{
		SortManyNumbers(numbers, n);
		return;
	}
	for (uint32 i = 1; i < n; i++)
	{
		uint32		number = numbers[i];
		uint32		place = i;

		for (; place > 0 && numbers[place - 1] > number; place--)
			numbers[place] = numbers[place - 1];
		numbers[place] = number;
	}
}

#define INTERRUPT_ITEMS			65536

static void
MapExcluded(const NamedItems *excluding, GpufimItems *items)
{
	for (int i = 0; i < excluding->n; i++)
	{
		if (excluding->ids[i] != DICTIONARY_NONE)
			items->map[excluding->ids[i]] = MAP_EXCLUDED;
	}
}

/* Can an item be in a result? */
static inline bool
MayOccur(const GpufimRows *rows, const GpufimItems *items, uint32 id, uint32 minsup)
{
	return id != DICTIONARY_NONE && items->map[id] != MAP_EXCLUDED && rows->items->entries[id].count >= minsup;
}

/*
 * Maps the items of "including" and counts them, each once.  Returns false if one
 * cannot be in any result.
 */
static bool
MapRequired(const GpufimRows *rows, const NamedItems *including, uint32 minsup, GpufimItems *items)
{
	for (int i = 0; i < including->n; i++)
	{
		uint32		id = including->ids[i];

		if (!MayOccur(rows, items, id, minsup))
			return false;
		if (items->map[id] != MAP_REQUIRED)
			items->nrequired++;
		items->map[id] = MAP_REQUIRED;
	}
	return true;
}

/*
 * Maps the items of "including_any".  If a required item is one of them, all itemsets have one.  If only one of
 * them can be in a result, it is required.  Returns false if none can.
 */
static bool
MapAny(const GpufimRows *rows, const NamedItems *any, uint32 minsup, GpufimItems *items)
{
	uint32		last = DICTIONARY_NONE;

	if (any->ids == NULL)
		return true;
	for (int i = 0; i < any->n; i++)
		if (any->ids[i] != DICTIONARY_NONE && items->map[any->ids[i]] == MAP_REQUIRED)
			return true;
	for (int i = 0; i < any->n; i++)
	{
		uint32		id = any->ids[i];

		if (i % INTERRUPT_ITEMS == 0)
			CHECK_FOR_INTERRUPTS();
		if (!MayOccur(rows, items, id, minsup) || items->map[id] == MAP_ANY)
			continue;
		items->map[id] = MAP_ANY;
		items->nany++;
		last = id;
	}
	if (items->nany == 1)
	{
		items->map[last] = MAP_REQUIRED;
		items->nrequired++;
		items->nany = 0;
	}
	return last != DICTIONARY_NONE;
}

/* Maps the items that are named.  Returns false if there can be no itemset. */
static bool
MapNamed(GpufimRows *rows, const ItemFilter *filter, GpufimItems *items)
{
	NamedItems	excluding = FindNamedItems(rows, filter->excluding, "excluding");
	NamedItems	including = FindNamedItems(rows, filter->including,
											 filter->including_argument ? filter->including_argument : "including");
	NamedItems	any = FindNamedItems(rows, filter->including_any, "including_any");
	bool		possible;

	NoteContradictions(rows, &including, &excluding, filter->max_length);
	MapExcluded(&excluding, items);
	possible = MapRequired(rows, &including, filter->minsup, items) && MapAny(rows, &any, filter->minsup, items);
	FreeNamedItems(rows, &any);
	FreeNamedItems(rows, &including);
	FreeNamedItems(rows, &excluding);
	return possible;
}

/*
 * Is a record long enough, and does it hold all required items, and one of those of which each itemset needs one, none
 * of them with probability 0?
 */
static bool
Matters(const GpufimRows *rows, const GpufimItems *items, const uint32 *row, uint32 nrow)
{
	uint32		entry_words = EntryWords(&rows->layout);
	uint32		found = 0;
	bool		any = items->nany == 0;

	if (nrow < items->least_length)
		return false;
	for (uint32 i = 0; i < nrow && (found < items->nrequired || !any); i++)
	{
		uint32		mapped = items->map[row[i * entry_words]];

		if (mapped >= MAP_REQUIRED && EntryCounts(&rows->layout, row, i))
		{
			found += mapped == MAP_REQUIRED;
			any |= mapped == MAP_ANY;
		}
		if (i % INTERRUPT_ITEMS == INTERRUPT_ITEMS - 1)
			CHECK_FOR_INTERRUPTS();
	}
	return found == items->nrequired && any;
}

/* Counts the items again, only in the records that matter. */
static void
CountWhereTheyMatter(GpufimRows *rows, GpufimItems *items)
{
	DictionaryEntry *entries = rows->items->entries;
	uint32		entry_words = EntryWords(&rows->layout);
	RecordReader reader;
	const uint32 *row;
	uint32		nrow;

	for (uint32 i = 0; i < rows->items->n; i++)
	{
		entries[i].count = 0;
		if (i % INTERRUPT_ITEMS == 0)
			CHECK_FOR_INTERRUPTS();
	}
	RecordReaderBegin(&reader, rows, &rows->records, false);
	while (RecordReaderNext(&reader, &row, &nrow))
	{
		if (!Matters(rows, items, row, nrow))
			continue;
		items->rows += reader.times;
		for (uint32 i = 0; i < nrow; i++)
		{
			entries[row[i * entry_words]].count += EntryCounts(&rows->layout, row, i) ? reader.times : 0;
			if (i % INTERRUPT_ITEMS == INTERRUPT_ITEMS - 1)
				CHECK_FOR_INTERRUPTS();
		}
	}
	RecordReaderEnd(&reader);
}

/* The probability of a record's row, or the product of those of the required items in it. */
static double
RecordWeight(const GpufimRows *rows, const GpufimItems *items, const uint32 *row, uint32 nrow)
{
	double		weight = 1;

	if (rows->layout.value_words == 0)
		return RecordValue(row);
	for (uint32 i = 0; i < nrow && items->nrequired > 0; i++)
	{
		if (items->map[row[i * VALUED_WORDS]] == MAP_REQUIRED)
			weight *= EntryValue(row, i);
	}
	return weight;
}

/* Adds up the expected support of each item together with the required ones, by the item's number. */
static void
SumProbabilities(GpufimRows *rows, const GpufimItems *items, double *sums)
{
	uint32		entry_words = EntryWords(&rows->layout);
	RecordReader reader;
	const uint32 *row;
	uint32		nrow;

	RecordReaderBegin(&reader, rows, &rows->records, false);
	while (RecordReaderNext(&reader, &row, &nrow))
	{
		double		weight;

		if (!Matters(rows, items, row, nrow))
			continue;
		weight = RecordWeight(rows, items, row, nrow);
		for (uint32 i = 0; i < nrow; i++)
		{
			sums[row[i * entry_words]] += entry_words > 1 ? weight * EntryValue(row, i) : weight;
			if (i % INTERRUPT_ITEMS == INTERRUPT_ITEMS - 1)
				CHECK_FOR_INTERRUPTS();
		}
	}
	RecordReaderEnd(&reader);
}

/*
 * Drops the items that cannot be in an itemset with this least expected support, by setting
 * their counts to 0.  Sums may have been rounded down by an ulp for each record.
 */
static void
DropUnexpected(GpufimRows *rows, const GpufimItems *items, double least)
{
	Dictionary *dictionary = rows->items;
	Size		size = ((Size) dictionary->n + 1) * sizeof(double);
	double	   *sums = LedgerAllocZero(rows->ledger, size, rows->items->what);
	double		rounding = 1 + (items->rows + 4) * DBL_EPSILON;

	SumProbabilities(rows, items, sums);
	for (uint32 id = 0; id < dictionary->n; id++)
	{
		if (id % INTERRUPT_ITEMS == 0)
			CHECK_FOR_INTERRUPTS();
		if (items->map[id] != MAP_REQUIRED && sums[id] * rounding < least)
			dictionary->entries[id].count = 0;
	}
	LedgerFree(rows->ledger, sums, size);
}

/*
 * Returns the items that are kept and those that are required, sorted.  There are *n of
 * them, in a block of the ledger's of *size bytes.
 */
static SortedValue *
CollectItems(GpufimRows *rows, const GpufimItems *items, const ItemFilter *filter, uint32 *n, Size *size)
{
	uint32		minsup = filter->minsup;
	const Dictionary *dictionary = rows->items;
	SortedValue *sorted;
	uint32		kept = 0;

	for (uint32 id = 0; id < dictionary->n; id++)
	{
		if (id % INTERRUPT_ITEMS == 0)
			CHECK_FOR_INTERRUPTS();
		kept += dictionary->entries[id].count >= minsup;
	}
	*size = ((Size) kept + 1) * sizeof(SortedValue);
	sorted = LedgerAlloc(rows->ledger, *size, rows->items->what);
	*n = 0;
	for (uint32 id = 0; id < dictionary->n; id++)
	{
		const DictionaryEntry *entry = &dictionary->entries[id];

		if (id % INTERRUPT_ITEMS == 0)
			CHECK_FOR_INTERRUPTS();
		if (entry->count < minsup || items->map[id] == MAP_EXCLUDED ||
			(filter->dropped != NULL && filter->dropped[id] && items->map[id] != MAP_REQUIRED))
			continue;
		sorted[*n].value = entry->value;
		sorted[*n].id = id;
		sorted[*n].count = entry->count;
		(*n)++;
	}
	SortValues(rows->ledger, dictionary, sorted, *n);
	return sorted;
}

/* Copies a value out of the dictionary, which is freed before the items are. */
static Datum
CopyValue(GpufimRows *rows, const GpufimItems *items, Datum value)
{
	Datum		copy = datumCopy(value, items->typbyval, items->typlen);

	if (!items->typbyval)
		LedgerMakeRoom(rows->ledger, GetMemoryChunkSpace(DatumGetPointer(copy)), rows->items->what);
	return copy;
}

/* How many of the sorted items are among those of which each itemset needs one? */
static uint32
CountAny(const GpufimItems *items, const SortedValue *sorted, uint32 n)
{
	uint32		nany = 0;

	for (uint32 i = 0; i < n && items->nany > 0; i++)
		nany += items->map[sorted[i].id] == MAP_ANY;
	return nany;
}

/*
 * Adds an item to the fingerprint: its value, how often it occurs and whether it is required.  Values that are equal may have been read as different
 * ones, so their hash is that by which they are found.  Types that have none are compared as they are shown.
 */
static void
AddFingerprint(Dictionary *dictionary, const SortedValue *from, GpufimItems *items)
{
	uint32		mapped = items->map[from->id];
	uint64		print = DictionaryHash(dictionary, from->value);

	if (!OidIsValid(dictionary->type->hash_proc))
	{
		char	   *text = ValueText(dictionary->type->type_id, from->value);

		print = FimFingerprintOf(text, strlen(text));
		pfree(text);
	}
	print = FimFingerprint2(print, from->count);
	print = FimFingerprint2(print, mapped == MAP_REQUIRED ? 1 : mapped == MAP_ANY ? 2 : 0);
	items->fingerprint = FimFingerprint2(items->fingerprint, print);
}

/*
 * Fills in items[] and required[] from the sorted items, and their map.  Values are only
 * needed to list itemsets.
 */
static void
NumberItems(GpufimRows *rows, const SortedValue *sorted, uint32 n, const ItemFilter *filter, GpufimItems *items)
{
	uint32		nrequired = 0;
	uint32		common = 0;
	uint32		any;

	LedgerMakeRoom(rows->ledger, ((Size) n + 2) * sizeof(GpufimItem), rows->items->what);
	items->items = MemoryContextAllocHuge(CurrentMemoryContext,
										  ((Size) n - items->nrequired + 1) * sizeof(GpufimItem));
	items->required = MemoryContextAllocHuge(CurrentMemoryContext,
										   ((Size) items->nrequired + 1) * sizeof(GpufimItem));
	items->nitems = n - items->nrequired;
	items->nany = CountAny(items, sorted, n);
	any = items->nitems - items->nany;
	for (uint32 i = 0; i < n; i++)
	{
		const SortedValue *from = &sorted[i];
		GpufimItem *item;

		if (i % INTERRUPT_ITEMS == 0)
			CHECK_FOR_INTERRUPTS();
		if (filter->with_fingerprint)
			AddFingerprint(rows->items, from, items);
		if (items->map[from->id] == MAP_REQUIRED)
		{
			items->map[from->id] = MAP_REQUIRED + nrequired;
			item = &items->required[nrequired++];
		}
		else
		{
			uint32	   *number = items->map[from->id] == MAP_ANY ? &any : &common;

			items->map[from->id] = *number;
			item = &items->items[(*number)++];
			items->entries += from->count;
		}
		item->value = filter->with_values ? CopyValue(rows, items, from->value) : (Datum) 0;
		item->support = from->count;
		item->rank = i;
	}
	Assert(nrequired == items->nrequired);
}

/*
 * Below this length of itemsets without required items, short records are not left out: that
 * takes one more pass over the records, and a record of one item takes the search no time.
 */
#define LEAST_LENGTH	3

/*
 * Counts the items in the records that matter.  Among these, items of "including_any" may be infrequent that are
 * frequent among all.  Then records that hold no others of them do not matter either, but how often the others occur
 * stays the same.  Returns false if there can be no itemset.
 */
static bool
CountFrequent(GpufimRows *rows, GpufimItems *items, uint32 minsup)
{
	uint32		nany = items->nany;

	CountWhereTheyMatter(rows, items);
	for (uint32 id = 0; id < rows->items->n && nany > 0; id++)
	{
		if (id % INTERRUPT_ITEMS == 0)
			CHECK_FOR_INTERRUPTS();
		if (items->map[id] != MAP_ANY || rows->items->entries[id].count >= minsup)
			continue;
		items->map[id] = MAP_DROPPED;
		items->nany--;
	}
	if (items->nany < nany)
	{
		if (items->nany == 0)
			return false;
		items->rows = 0;
		CountWhereTheyMatter(rows, items);
	}
	return items->rows >= minsup;
}

/*
 * Finds the items to keep.  Returns false if there can be no itemset, because none can
 * hold all required items and one of "including_any", or no record is long enough.
 */
static bool
FindItems(GpufimRows *rows, const ItemFilter *filter, GpufimItems *items)
{
	uint32		minsup = filter->minsup;
	bool		needs_any;
	SortedValue *sorted;
	Size		size;
	uint32		n;

	if (!MapNamed(rows, filter, items))
		return false;
	if (items->nrequired > 0 || items->nany > 0 || filter->min_length >= LEAST_LENGTH)
		items->least_length = filter->min_length;
	if (rows->longest < items->least_length)
		return false;
	if (items->least_length == 0 && items->nany == 0)
		items->rows = rows->transactions;
	else if (!CountFrequent(rows, items, minsup))
		return false;
	if (filter->least_expected > 0)
		DropUnexpected(rows, items, filter->least_expected);
	sorted = CollectItems(rows, items, filter, &n, &size);
	needs_any = items->nany > 0;
	NumberItems(rows, sorted, n, filter, items);
	LedgerFree(rows->ledger, sorted, size);
	return items->nany > 0 || !needs_any;
}

/* Maps all n items, and the one behind them, to MAP_DROPPED. */
static void
MapAllDropped(GpufimItems *items, uint32 n)
{
	for (uint32 id = 0; id <= n; id++)
	{
		if (id % INTERRUPT_ITEMS == 0)
			CHECK_FOR_INTERRUPTS();
		items->map[id] = MAP_DROPPED;
	}
}

/* Returns the number behind that of the last of n items that is not dropped. */
static uint32
FirstDropped(const GpufimItems *items, uint32 n)
{
	while (n > 0 && items->map[n - 1] == MAP_DROPPED)
	{
		if (n-- % INTERRUPT_ITEMS == 0)
			CHECK_FOR_INTERRUPTS();
	}
	return n;
}

/* After this, the rows' items are known only by the numbers that the map gives them. */
GpufimItems *
PruneItems(GpufimRows *rows, const ItemFilter *filter)
{
	Dictionary *dictionary = rows->items;
	GpufimItems *items = palloc0(sizeof(GpufimItems));

	items->type = dictionary->type->type_id;
	items->typlen = dictionary->typlen;
	items->typbyval = dictionary->typbyval;

	items->map = LedgerAlloc(rows->ledger, ((Size) dictionary->n + 1) * sizeof(uint32),
							rows->items->what);
	MapAllDropped(items, dictionary->n);
	items->impossible = !FindItems(rows, filter, items);
	items->first_dropped = FirstDropped(items, dictionary->n);

	MemoryContextReset(rows->ledger->scratch);
	DictionaryFree(dictionary);
	rows->items = NULL;
	return items;
}

Size
FlatItemsSize(const GpufimItems *items)
{
	return offsetof(FlatItems, map) + ((Size) items->first_dropped + 1) * sizeof(uint32);
}

void
FlattenItems(const GpufimItems *items, FlatItems *flat)
{
	flat->nitems = items->nitems;
	flat->nany = items->nany;
	flat->nrequired = items->nrequired;
	flat->least_length = items->least_length;
	flat->first_dropped = items->first_dropped;
	memcpy(flat->map, items->map, ((Size) items->first_dropped + 1) * sizeof(uint32));
}

GpufimItems
ItemsOfFlat(FlatItems *flat)
{
	return (GpufimItems)
	{
		.nitems = flat->nitems,.nany = flat->nany,.nrequired = flat->nrequired,.least_length = flat->least_length,
			.first_dropped = flat->first_dropped,.map = flat->map
	};
}

/*
 * Pairs of bits that an H200 counts in a ms where that goes quickest (bench/results/gpu.md,
 * "Products").  It counts each pair of items in all transactions, so that its time grows with the
 * square of the number of items, however few of them a transaction has.
 */
#define GPU_PAIRS_OF_BITS	7.3e12

double
GpuPairsMs(const GpufimItems *items)
{
	double		n = items->nitems;

	return n * n / 2 * items->rows / GPU_PAIRS_OF_BITS;
}

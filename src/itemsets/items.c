/*-------------------------------------------------------------------------
 *
 * items.c
 *	  Keeps the frequent items of the rows that were read, numbers them in sort
 *	  order, and writes the engine's database.
 *
 * Items named by "including" are taken out of the transactions: only
 * transactions that hold all of them matter, and in these they are everywhere.
 * Items named by "excluding" are left out as infrequent ones are.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/shortest_dec.h"
#include "read/ingest.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "utils/sortsupport.h"

#define INTERRUPT_ITEMS			65536

typedef struct SortItem
{
	Datum		value;			/* or its text, if the type has no order */
	uint32		id;
	uint32		support;
} SortItem;

typedef struct ItemOrder
{
	SortSupportData support;
	bool		by_text;
} ItemOrder;

uint32
ResolveMinsup(double minsup, int64 transactions)
{
	char		text[DOUBLE_SHORTEST_DECIMAL_LEN];
	Datum		fraction;
	Datum		product;
	int64		count;

	if (minsup >= 1)
		return minsup >= (double) FIM_MAX_TRANSACTIONS ? FIM_MAX_TRANSACTIONS : (uint32) minsup;

	/* the decimal fraction that was written, not the binary one next to it */
	double_to_shortest_decimal_buf(minsup, text);
	fraction = DirectFunctionCall3(numeric_in, CStringGetDatum(text),
								   ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
	product = DirectFunctionCall2(numeric_mul, fraction,
								  NumericGetDatum(int64_to_numeric(transactions)));
	count = DatumGetInt64(DirectFunctionCall1(numeric_int8,
											  DirectFunctionCall1(numeric_ceil, product)));
	return (uint32) Min(Max(count, 1), (int64) FIM_MAX_TRANSACTIONS);
}

/*
 * The ids of the items that a text[] argument names, DICTIONARY_NONE for those
 * that no transaction has.
 */
static uint32 *
NamedItems(GpufimRows *rows, ArrayType *names, const char *argument, int *n)
{
	Dictionary *items = rows->items;
	Oid			input;
	Oid			ioparam;
	FmgrInfo	function;
	Datum	   *values;
	bool	   *nulls;
	uint32	   *ids;
	int			i;

	deconstruct_array(names, TEXTOID, -1, false, TYPALIGN_INT, &values, &nulls, n);
	getTypeInputInfo(items->type->type_id, &input, &ioparam);
	fmgr_info(input, &function);
	ids = palloc(Max(*n, 1) * sizeof(uint32));
	for (i = 0; i < *n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("argument \"%s\" must not contain nulls", argument)));
		ids[i] = DictionaryLookup(items,
								  InputFunctionCall(&function,
													TextDatumGetCString(values[i]),
													ioparam, -1),
								  false);
	}
	return ids;
}

static void
MapExcluded(GpufimRows *rows, ArrayType *excluding)
{
	uint32	   *ids;
	int			n;
	int			i;

	if (excluding == NULL)
		return;
	ids = NamedItems(rows, excluding, "excluding", &n);
	for (i = 0; i < n; i++)
	{
		if (ids[i] != DICTIONARY_NONE)
			rows->map[ids[i]] = MAP_EXCLUDED;
	}
}

/*
 * Maps the items of "including" and counts them, each once.  False if one cannot
 * be in any result.
 */
static bool
MapPrefix(GpufimRows *rows, ArrayType *including, uint32 minsup, GpufimItems *items)
{
	uint32	   *ids;
	int			n;
	int			i;

	if (including == NULL)
		return true;
	ids = NamedItems(rows, including, "including", &n);
	for (i = 0; i < n; i++)
	{
		uint32		id = ids[i];

		if (id == DICTIONARY_NONE || rows->map[id] == MAP_EXCLUDED ||
			rows->items->entries[id].count < minsup)
			return false;
		if (rows->map[id] != MAP_PREFIX)
			items->nprefix++;
		rows->map[id] = MAP_PREFIX;
	}
	return true;
}

/* Does a transaction hold the whole prefix? */
static bool
HoldsPrefix(const uint32 *map, uint32 nprefix, const uint32 *row, uint32 nrow)
{
	uint32		found = 0;
	uint32		i;

	for (i = 0; i < nrow && found < nprefix; i++)
	{
		found += map[row[i]] == MAP_PREFIX;
		if (i % INTERRUPT_ITEMS == INTERRUPT_ITEMS - 1)
			CHECK_FOR_INTERRUPTS();
	}
	return found == nprefix;
}

/* Counts the items again, in the transactions that hold the prefix only. */
static void
CountWithinPrefix(GpufimRows *rows, GpufimItems *items)
{
	DictionaryEntry *entries = rows->items->entries;
	RecordReader reader;
	const uint32 *row;
	uint32		nrow;
	uint32		i;

	for (i = 0; i < rows->items->n; i++)
	{
		entries[i].count = 0;
		if (i % INTERRUPT_ITEMS == 0)
			CHECK_FOR_INTERRUPTS();
	}
	RecordReaderBegin(&reader, rows, &rows->records, false);
	while (RecordReaderNext(&reader, &row, &nrow))
	{
		if (!HoldsPrefix(rows->map, items->nprefix, row, nrow))
			continue;
		items->rows++;
		for (i = 0; i < nrow; i++)
		{
			entries[row[i]].count++;
			if (i % INTERRUPT_ITEMS == INTERRUPT_ITEMS - 1)
				CHECK_FOR_INTERRUPTS();
		}
	}
	RecordReaderEnd(&reader);
}

static int
CompareItems(const void *a, const void *b, void *arg)
{
	ItemOrder  *order = arg;
	Datum		left = ((const SortItem *) a)->value;
	Datum		right = ((const SortItem *) b)->value;

	CHECK_FOR_INTERRUPTS();
	if (order->by_text)
		return strcmp(DatumGetCString(left), DatumGetCString(right));
	return ApplySortComparator(left, false, right, false, &order->support);
}

/* The type's order or, for types without, that of the bytes of their text. */
static void
SortItems(const Dictionary *dictionary, SortItem *sorted, uint32 n)
{
	ItemOrder	order = {0};
	Oid			output;
	bool		varlena;
	uint32		i;

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
		for (i = 0; i < n; i++)
		{
			CHECK_FOR_INTERRUPTS();
			sorted[i].value = CStringGetDatum(OidOutputFunctionCall(output, sorted[i].value));
		}
	}
	qsort_arg(sorted, n, sizeof(SortItem), CompareItems, &order);
	if (order.by_text)
	{
		for (i = 0; i < n; i++)
			sorted[i].value = dictionary->entries[sorted[i].id].value;
	}
}

/* The items that are kept and those of the prefix, sorted. */
static SortItem *
CollectItems(const GpufimRows *rows, uint32 minsup, uint32 *n)
{
	const Dictionary *dictionary = rows->items;
	SortItem   *sorted;
	uint32		id;
	uint32		kept = 0;

	for (id = 0; id < dictionary->n; id++)
		kept += dictionary->entries[id].count >= minsup;
	sorted = MemoryContextAllocHuge(CurrentMemoryContext,
									Max(kept, 1) * sizeof(SortItem));
	*n = 0;
	for (id = 0; id < dictionary->n; id++)
	{
		const DictionaryEntry *entry = &dictionary->entries[id];

		if (id % INTERRUPT_ITEMS == 0)
			CHECK_FOR_INTERRUPTS();
		if (entry->count < minsup || rows->map[id] == MAP_EXCLUDED)
			continue;
		sorted[*n].value = entry->value;
		sorted[*n].id = id;
		sorted[*n].support = entry->count;
		(*n)++;
	}
	SortItems(dictionary, sorted, *n);
	return sorted;
}

/*
 * Fills items in from the sorted ones, copying values, since the dictionary goes
 * before they do, and numbers them.
 */
static void
NumberItems(GpufimRows *rows, const SortItem *sorted, uint32 n, GpufimItems *items)
{
	uint32		nprefix = 0;
	uint32		i;

	items->items = MemoryContextAllocHuge(CurrentMemoryContext,
										  (n - items->nprefix + 1) * sizeof(GpufimItem));
	items->prefix = palloc((items->nprefix + 1) * sizeof(GpufimItem));
	for (i = 0; i < n; i++)
	{
		const SortItem *from = &sorted[i];
		GpufimItem *item;

		if (i % INTERRUPT_ITEMS == 0)
			CHECK_FOR_INTERRUPTS();
		if (rows->map[from->id] == MAP_PREFIX)
			item = &items->prefix[nprefix++];
		else
		{
			rows->map[from->id] = items->nitems;
			item = &items->items[items->nitems++];
			items->entries += from->support;
		}
		item->value = datumCopy(from->value, items->typbyval, items->typlen);
		item->support = from->support;
		item->rank = i;
	}
	Assert(nprefix == items->nprefix);
}

/*
 * Finds the items to keep.  False if there can be no itemset, because none can
 * hold the whole prefix.
 */
static bool
FindItems(GpufimRows *rows, const GpufimRequest *request, uint32 minsup,
		  GpufimItems *items)
{
	SortItem   *sorted;
	uint32		n;

	MapExcluded(rows, request->excluding);
	if (!MapPrefix(rows, request->including, minsup, items))
		return false;
	if (items->nprefix == 0)
		items->rows = rows->transactions;
	else
	{
		CountWithinPrefix(rows, items);
		if (items->rows < minsup)
			return false;
	}
	sorted = CollectItems(rows, minsup, &n);
	NumberItems(rows, sorted, n, items);
	pfree(sorted);
	return true;
}

/* After this, the rows' items are known as the numbers given to them only. */
GpufimItems *
PruneItems(GpufimRows *rows, const GpufimRequest *request, uint32 minsup)
{
	Dictionary *dictionary = rows->items;
	GpufimItems *items = palloc0(sizeof(GpufimItems));
	uint32		id;

	items->type = dictionary->type->type_id;
	items->typlen = dictionary->typlen;
	items->typbyval = dictionary->typbyval;
	items->typalign = dictionary->type->typalign;

	RowsRegroup(rows, minsup);
	rows->map = LedgerAlloc(&rows->ledger, ((Size) dictionary->n + 1) * sizeof(uint32),
							"distinct items");
	for (id = 0; id <= dictionary->n; id++)
		rows->map[id] = MAP_DROPPED;
	items->impossible = !FindItems(rows, request, minsup, items);
	rows->first_dropped = dictionary->n;
	while (rows->first_dropped > 0 && rows->map[rows->first_dropped - 1] == MAP_DROPPED)
		rows->first_dropped--;

	MemoryContextReset(rows->scratch);
	DictionaryFree(dictionary);
	rows->items = NULL;
	return items;
}

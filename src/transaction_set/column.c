/*-------------------------------------------------------------------------
 *
 * column.c
 *	  Sets in a column of a source: their transactions are read as those of the rows.
 *
 * The numbers that a set has for its items lead to those of the dictionary of all rows, by a map that is made once for each set.
 * So no item of a transaction has to be looked up.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/detoast.h"
#include "gpufim.h"
#include "read/read.h"
#include "transaction_set/transaction_set.h"
#include "utils/memutils.h"

/* What a map and what it is made of take for each item, and each item's byte that says whether it has been found. */
#define MAP_BYTES	(sizeof(uint32) + sizeof(Datum) + 1)

static void
Count(ColumnSet *set, uint64 bytes)
{
	LedgerMakeRoom(set->ledger, bytes, "a transaction set");
	set->counted += bytes;
}

/* The value as it is in memory, in the ledger's context if it has to be copied. */
static const TransactionSet *
Detoasted(ColumnSet *set, Datum value)
{
	struct varlena *given = (struct varlena *) DatumGetPointer(value);
	MemoryContext caller;
	struct varlena *detoasted;

	if (!VARATT_IS_EXTENDED(given))
		return (const TransactionSet *) given;
	Count(set, toast_raw_datum_size(value));
	caller = MemoryContextSwitchTo(set->ledger->context);
	detoasted = detoast_attr(given);
	MemoryContextSwitchTo(caller);
	set->copy = detoasted;
	return (const TransactionSet *) detoasted;
}

void
ColumnSetOpen(ColumnSet *set, SourceColumn *column, Datum value, Dictionary *items)
{
	bool		first = !column->has_items;

	memset(set, 0, sizeof(ColumnSet));
	set->ledger = items->ledger;
	OpenSet(Detoasted(set, value), false, &set->parts);
	SourceSetItems(column, set->parts.types.item.type, set->parts.types.collation);
	if (first)
		DictionarySetType(items, column->type, column->collation);
	Count(set, set->parts.nitems * (uint64) MAP_BYTES);
	set->map = MapOfItems(items, &set->parts);
}

void
ColumnSetClose(ColumnSet *set)
{
	pfree(set->map);
	if (set->copy != NULL)
		pfree(set->copy);
	LedgerGiveBack(set->ledger, set->counted);
}

/*-------------------------------------------------------------------------
 *
 * items.h
 *	  The items of the rows that were read: their sort order, those that an argument names, and
 *	  the frequent ones.
 *
 * To episodes, event types are items.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_ITEMS_H
#define GPUFIM_ITEMS_H

#include "postgres.h"

#include "read/rows.h"
#include "utils/array.h"

/*
 * items.c: The sort order of a dictionary's values.
 */

typedef struct SortedValue
{
	Datum		value;
	uint32		id;
	uint32		count;
} SortedValue;

/*
 * Sort n of the dictionary's values by the type's order.  Values of a type that has none are
 * sorted by the bytes of their text, which takes memory from the ledger meanwhile.
 */
extern void SortValues(MemoryLedger *ledger, const Dictionary *dictionary, SortedValue *sorted,
					   uint32 n);

/* Sort the numbers of items. */
extern void SortNumbers(uint32 *numbers, uint32 n);

/*
 * named_items.c: The items of a source that an argument names.
 */

/* Items by their numbers in the dictionary; DICTIONARY_NONE for those that do not occur in the source. */
typedef struct NamedItems
{
	uint32	   *ids;			/* [n]; NULL if the argument is NULL */
	int			n;
} NamedItems;

/*
 * Looks up the items that a text[] argument names, or none if the argument is NULL.  A notice
 * names those that do not occur in the source.  FreeNamedItems() frees the numbers.
 */
extern NamedItems FindNamedItems(GpufimRows *rows, ArrayType *names, const char *argument);
extern void FreeNamedItems(GpufimRows *rows, NamedItems *named);

/*
 * If "including" names an item that "excluding" names, too, or more items than a result of
 * max_length can have, nothing can be found.  That is no error, but hardly what the user meant,
 * so a notice says so.  The dictionary's stamps are overwritten.
 */
extern void NoteContradictions(GpufimRows *rows, const NamedItems *including,
							   const NamedItems *excluding, uint32 max_length);

/*
 * items.c: The frequent items.
 */

/* Which items to keep. */
typedef struct ItemFilter
{
	uint32		minsup;			/* least number of transactions that hold an item */
	double		least_expected; /* least expected support of an item together with the
								 * required ones; 0 if records have no probabilities */
	uint32		min_length;		/* least items of an itemset, or 0; fewer items in a record make no itemset */
	ArrayType  *including;		/* text[] or NULL: items that transactions must hold */
	const char *including_argument; /* its SQL name; NULL: "including" */
	ArrayType  *including_any;	/* text[] or NULL: items of which transactions must hold one */
	ArrayType  *excluding;		/* text[] or NULL: items to drop */
	const bool *dropped;		/* by number in the dictionary: items to drop; NULL: none */
	uint32		max_length;		/* of itemsets, for a notice; FIM_NO_LIMIT: none */
	bool		with_values;	/* the items' values will be asked for */
	bool		with_fingerprint;	/* and theirs, see engine/parts.h */
} ItemFilter;

/*
 * The frequent items of a call, in the item type's sort order.  Items named by
 * "including" are required: they are not in items[] but in required[], also sorted.
 * Those named by "including_any" are the last ones of items[], sorted among themselves.
 */
typedef struct GpufimItem
{
	Datum		value;			/* 0 unless with_values was set */
	uint32		support;		/* within the transactions that matter */
	uint32		rank;			/* position in sort order among required items and others */
} GpufimItem;

typedef struct GpufimItems
{
	Oid			type;
	int16		typlen;
	bool		typbyval;
	uint32		nitems;
	GpufimItem *items;
	uint32		nany;			/* the last ones of items[], of which each itemset needs one; 0: it needs none */
	uint32		nrequired;
	GpufimItem *required;
	bool		impossible;		/* an item that all itemsets need is absent, infrequent or excluded, or
								 * no record is long enough */
	uint32		least_length;	/* of the records that matter, all of which hold the required items and one
								 * of the nany */
	uint64		rows;			/* transactions that matter */
	uint64		entries;		/* of items[] in these transactions */
	uint64		fingerprint;	/* of all items in their order, and of what each is: 0 if it was not asked for */

	/*
	 * By an item's number in the dictionary: its index in items[], MAP_REQUIRED plus its
	 * index in required[], MAP_EXCLUDED or MAP_DROPPED.  From first_dropped on, all are
	 * MAP_DROPPED.  Frequent items appear early in a source, so that only the beginning
	 * of a large map is used.
	 */
	uint32	   *map;
	uint32		first_dropped;
} GpufimItems;

#define MAP_REQUIRED	(DICTIONARY_MAX + 1)
#define MAP_DROPPED		UINT32_MAX
#define MAP_EXCLUDED	(UINT32_MAX - 1)
#define MAP_ANY			(UINT32_MAX - 2) /* one of the nany items, until they have numbers */

/* The value of map[] for an item of an entry. */
static inline uint32
MappedItem(const GpufimItems *items, uint32 id)
{
	return items->map[Min(id, items->first_dropped)];
}

/*
 * What other processes must know of the items to give those of records their numbers: a flat copy.  ItemsOfFlat() sets no
 * more than what MappedItem() and those who ask which records matter need.
 */
typedef struct FlatItems
{
	uint32		nitems;
	uint32		nany;
	uint32		nrequired;
	uint32		least_length;
	uint32		first_dropped;
	uint32		map[FLEXIBLE_ARRAY_MEMBER];
} FlatItems;

/* Is this number of a record's item that of one of the nany? */
static inline bool
IsAnyItem(const GpufimItems *items, uint32 number)
{
	return number - (items->nitems - items->nany) < items->nany;
}

extern Size FlatItemsSize(const GpufimItems *items);
extern void FlattenItems(const GpufimItems *items, FlatItems *flat);
extern GpufimItems ItemsOfFlat(FlatItems *flat);

/* Find the frequent items, number them in sort order, and free the dictionary. */
extern GpufimItems *PruneItems(GpufimRows *rows, const ItemFilter *filter);

/* The least time, in ms, that a GPU takes to count all pairs of the items in the transactions that matter. */
extern double GpuPairsMs(const GpufimItems *items);

#endif							/* GPUFIM_ITEMS_H */

/*-------------------------------------------------------------------------
 *
 * items.h
 *	  The frequent items of the rows that were read.
 *
 * Included by the files of src/itemsets.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_ITEMS_H
#define GPUFIM_ITEMS_H

#include "itemsets/request.h"
#include "read/rows.h"

/*
 * The frequent items of a call, in the item type's sort order; an item's number
 * in the engine's database is its index here (items.c).  Items named by
 * "including" are required: they are not among the items but in required[], sorted, too.
 */
typedef struct GpufimItem
{
	Datum		value;			/* 0 where itemsets are only counted */
	uint32		support;		/* within the transactions that hold the required items */
	uint32		rank;			/* position in sort order among required items and others */
} GpufimItem;

typedef struct GpufimItems
{
	Oid			type;
	int16		typlen;
	bool		typbyval;
	char		typalign;
	uint32		nitems;
	GpufimItem *items;
	uint32		nrequired;
	GpufimItem *required;
	bool		impossible;		/* including names an item that is absent, infrequent or excluded */
	uint64		rows;			/* transactions that hold the required items */
	uint64		entries;		/* their frequent items */

	/*
	 * By number in the dictionary: an item's index in items[], or one of those
	 * below.  Frequent items appear early, so that of a large map only the beginning
	 * is used: from first_dropped on, all are MAP_DROPPED.
	 */
	uint32	   *map;
	uint32		first_dropped;
} GpufimItems;

#define MAP_DROPPED		UINT32_MAX
#define MAP_REQUIRED		(UINT32_MAX - 1)
#define MAP_EXCLUDED	(UINT32_MAX - 2)

/*
 * Find the frequent items, number them in sort order, and free the dictionary.
 * minsup is the least number of transactions.
 */
extern GpufimItems *PruneItems(GpufimRows *rows, const GpufimRequest *request, uint32 minsup);

#endif							/* GPUFIM_ITEMS_H */

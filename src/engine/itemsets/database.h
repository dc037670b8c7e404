/*-------------------------------------------------------------------------
 *
 * database.h
 *	  The flat database that the engines mine, and how it is built.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_DATABASE_H
#define FIM_DATABASE_H

#include "engine/family.h"

/* A row of the database: which items it has and how many transactions it is. */
typedef struct FimRow
{
	uint64_t	at;				/* index of the first item */
	uint32_t	length;
	uint32_t	weight;
} FimRow;

/*
 * The encoded transactions.  Callers number items from 0 to nitems - 1: gpufim in
 * the sort order of the item type, so that a result is sorted by sorting integers.
 * The engine renumbers them by descending support, the most frequent item first.
 */
typedef struct FimDatabase
{
	FimData		head;			/* FimDatabaseIndex() increases its size */
	uint64_t	transactions;	/* all that have been added, those without items included: the
								 * support of the required items */
	uint64_t	entries;		/* items in all rows, after merging */
	uint32_t	nrows;			/* non-empty rows, after merging */
	uint32_t	nitems;
	uint32_t	max_row;		/* items in the longest row */
	uint32_t	weighted;		/* not 0 if some row stands for several transactions */

	/* byte offsets from the start of this struct */
	uint64_t	support_at;		/* uint32[nitems], by engine item */
	uint64_t	name_at;		/* uint32[nitems], engine item -> caller's item */
	uint64_t	row_at;			/* FimRow[nrows] */
	uint64_t	items_at;		/* uint32[entries], engine items, ascending in a row */
	uint64_t	occ_at;			/* uint64[nitems + 1], where each item's occurrences begin */
	uint64_t	occurrences_at; /* uint32[entries], the rows of each item, ascending */
} FimDatabase;

/*
 * How to build a database.  One process does this, in memory of its own or in a shared
 * segment:
 *
 *		FimDatabaseBegin()
 *		FimDatabaseAddTimes() for each transaction, or for several equal ones
 *		FimDatabaseFinish()
 *		FimDatabaseIndex(), if the CPU engine is to mine
 *
 * Sizes are in bytes.  Functions that are given a host poll it, and return false if it
 * said stop.
 */

/*
 * The memory that a database takes if at most "rows" transactions are added and all of them
 * together have at most "entries" items: FimDatabaseBound() is for all from
 * FimDatabaseBegin() to FimDatabaseFinish(), FimDatabaseIndexedBound() for
 * FimDatabaseIndex(), too.  Both return SIZE_MAX if the size does not fit a size_t.
 */
extern size_t FimDatabaseBound(uint64_t rows, uint64_t entries, uint32_t nitems);
extern size_t FimDatabaseIndexedBound(uint64_t rows, uint64_t entries, uint32_t nitems);

/*
 * Begins a database in memory of "size" bytes, which is one of the two bounds for the same
 * rows, entries and nitems.  support[i] is the number of transactions that will contain
 * item i.
 */
extern void FimDatabaseBegin(FimDatabase *db, size_t size, uint64_t rows,
							 uint64_t entries, uint32_t nitems,
							 const uint32_t *support);

/*
 * Adds "times" equal transactions.  items[] has each of their items once, in any order.
 * Transactions without items are only counted.
 */
extern void FimDatabaseAddTimes(FimDatabase *db, const uint32_t *items, uint32_t nitems,
								uint32_t times);

/*
 * A database may be begun for fewer rows and entries than there will be, if merging is
 * expected to make room for the others.  FimDatabaseHasRoom() says whether there is room
 * for another transaction, of nitems items.
 */
extern bool FimDatabaseHasRoom(const FimDatabase *db, uint32_t nitems);

/*
 * Copies a database that is being built to memory of "size" bytes, a bound for "rows" and
 * "entries".  These count the rows and entries that are there and those that are to come.
 */
extern bool FimDatabaseMove(const FimDatabase *from, FimDatabase *to, size_t size,
							uint64_t rows, uint64_t entries, FimHost *host);

/*
 * Moves the arrays together once there are no more rows.  Called only by
 * FimDatabaseFinish(), which merges rows first (database_merge.h).
 */
extern bool FimDatabaseCloseGaps(FimDatabase *db, FimHost *host);

/*
 * FimDatabaseIndex() fills in the occurrences, which only the CPU engine reads.  The memory
 * must have FimDatabaseIndexedSize() bytes.  If the database was begun with less, the caller
 * first copies its first head.size bytes to memory of that size.
 */
extern size_t FimDatabaseIndexedSize(const FimDatabase *db);
extern bool FimDatabaseIndex(FimDatabase *db, FimHost *host);

#endif							/* FIM_DATABASE_H */

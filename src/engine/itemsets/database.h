/*-------------------------------------------------------------------------
 *
 * database.h
 *	  The flat database that the engines mine, and how it is built.
 *
 * Included by itemsets.h, and through it by all who mine itemsets or have them mined.
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
	FimData		head;			/* with the size, to which FimDatabaseIndex() adds */
	uint64_t	transactions;	/* that have been added, those without items included; this
								 * is the support of the required items */
	uint64_t	entries;		/* items in all rows, after merging */
	uint32_t	nrows;			/* non-empty rows, after merging */
	uint32_t	nitems;
	uint32_t	max_row;		/* items in the longest row */
	uint32_t	weighted;		/* some row stands for several transactions */

	/* byte offsets from the start of this struct */
	uint64_t	support_at;		/* uint32[nitems], by engine item */
	uint64_t	name_at;		/* uint32[nitems], engine item -> caller's item */
	uint64_t	row_at;			/* FimRow[nrows] */
	uint64_t	items_at;		/* uint32[entries], engine items, ascending in a row */
	uint64_t	occ_at;			/* uint64[nitems + 1], into occurrences */
	uint64_t	occurrences_at; /* uint32[entries], rows of an item, ascending */
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
 * How much memory a database takes, from Begin to Finish, or from Begin to Index, if at
 * most so many transactions ("rows") are added and all of them together have at most so
 * many items ("entries").  Returns the greatest size_t if the size does not fit one.
 */
extern size_t FimDatabaseBound(uint64_t rows, uint64_t entries, uint32_t nitems);
extern size_t FimDatabaseIndexedBound(uint64_t rows, uint64_t entries, uint32_t nitems);

/*
 * Begins a database in memory of one of these sizes, for the same numbers.  support[i] is the number of
 * transactions that will contain item i.
 */
extern void FimDatabaseBegin(FimDatabase *db, size_t size, uint64_t rows,
							 uint64_t entries, uint32_t nitems,
							 const uint32_t *support);

/*
 * Adds so many equal transactions.  Each item comes once, in any order.  Transactions
 * without items are only counted.
 */
extern void FimDatabaseAddTimes(FimDatabase *db, const uint32_t *items, uint32_t nitems,
								uint32_t times);

/*
 * A database may be begun for fewer rows and entries than there will be, if merging is
 * expected to make room for the others.  FimDatabaseHasRoom() says whether a transaction
 * of so many items can be added.
 */
extern bool FimDatabaseHasRoom(const FimDatabase *db, uint32_t nitems);

/*
 * Copies a database that is being built to memory of another size, which has been found
 * for the rows and entries that are there and those that are to come.
 */
extern bool FimDatabaseMove(const FimDatabase *from, FimDatabase *to, size_t size,
							uint64_t rows, uint64_t entries, FimHost *host);

/*
 * Moves everything to where it belongs once there are no more rows.  For
 * FimDatabaseFinish() alone, which merges rows before (database_merge.h).
 */
extern bool FimDatabaseCloseGaps(FimDatabase *db, FimHost *host);

/*
 * Fills in what only the CPU engine reads: in which rows each item is.  The memory must
 * have the indexed size.  If the database was begun with less, its first head.size bytes
 * are copied to where there is so much, before this is called.
 */
extern size_t FimDatabaseIndexedSize(const FimDatabase *db);
extern bool FimDatabaseIndex(FimDatabase *db, FimHost *host);

#endif							/* FIM_DATABASE_H */

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
	FimData		head;			/* its size, to which FimDatabaseIndex() adds */
	uint64_t	transactions;	/* rows added, empty ones included: the support of the
								 * required items */
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
 * Building a database.  One process does this, in memory of FimDatabaseBound(), or
 * for the CPU engine of FimDatabaseIndexedBound() bytes: FimDatabaseBegin(),
 * FimDatabaseAdd() for each transaction, or FimDatabaseAddTimes() for several equal
 * ones at once, then FimDatabaseFinish(), which merges equal transactions if there
 * are many.  FimDatabaseMerge() does that with those added so far, so that no more
 * of the memory is touched than they need.
 *
 * rows and entries are at least the calls of Add that there will be and the items
 * of all of them; support[i] is the number of transactions that will contain item
 * i.  Bound is what Begin to Finish need in place, IndexedBound what Begin to Index
 * do (size_t max if it does not fit one).  Rows hold each item at most once, in any
 * order; empty rows only add to transactions.  Merge and Finish return false when the host
 * has no memory for its scratch space (about 12 bytes a row), or when poll said
 * stop, Index only the latter.
 *
 * A database can be begun for fewer rows and entries than there will be in all, if
 * merging is expected to make room for the others.  HasRoom says whether a row of so
 * many items can be added.  Move copies all to memory of Bound or IndexedBound for
 * other numbers of rows and entries: those that there are and those to come.  It
 * returns false when poll said stop.
 *
 * Index fills what only the CPU engine reads, when Finish has been called: the
 * occurrences of items.  It needs IndexedSize bytes in place; a database that was
 * given only Bound is copied, head.size bytes, to where there is that much.
 */
extern size_t FimDatabaseBound(uint64_t rows, uint64_t entries, uint32_t nitems);
extern size_t FimDatabaseIndexedBound(uint64_t rows, uint64_t entries, uint32_t nitems);
extern void FimDatabaseBegin(FimDatabase *db, size_t size, uint64_t rows,
							 uint64_t entries, uint32_t nitems,
							 const uint32_t *support);
extern void FimDatabaseAdd(FimDatabase *db, const uint32_t *items, uint32_t nitems);
extern void FimDatabaseAddTimes(FimDatabase *db, const uint32_t *items, uint32_t nitems,
								uint32_t times);
extern bool FimDatabaseHasRoom(const FimDatabase *db, uint32_t nitems);
extern bool FimDatabaseMerge(FimDatabase *db, FimHost *host);
extern bool FimDatabaseMove(const FimDatabase *from, FimDatabase *to, size_t size,
							uint64_t rows, uint64_t entries, FimHost *host);
extern bool FimDatabaseFinish(FimDatabase *db, FimHost *host);
extern size_t FimDatabaseIndexedSize(const FimDatabase *db);
extern bool FimDatabaseIndex(FimDatabase *db, FimHost *host);

#endif							/* FIM_DATABASE_H */

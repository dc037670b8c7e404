/*-------------------------------------------------------------------------
 *
 * itemsets.h
 *	  The family of frequent itemsets: its data, its spec and its results.
 *
 * A task of this family lists the frequent itemsets of a database, all of them or
 * the closed or maximal ones, or counts them by length without listing them.
 * A unit of its work is a prefix class: the itemsets whose rarest item is the
 * same.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_ITEMSETS_H
#define FIM_ITEMSETS_H

#include "engine/engine.h"
#include "engine/family.h"

/*
 * database.c: The flat database that the engines mine, and how it is built.
 */

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
 * How to build a database, in a process's own memory or in a shared segment:
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
 * Several processes may add transactions to a database that one of them has begun, each to a part of
 * its own, which has room for this number of rows and entries in memory of FimDatabaseBound() bytes.  When a part is
 * full, one process at a time takes room for its rows behind those of the database, and copies them there while
 * others do the same, which empties the part.
 */
extern void FimDatabaseBeginPart(FimDatabase *part, size_t size, uint64_t rows, uint64_t entries,
								 const FimDatabase *db);
extern FimPlace FimDatabaseTakeRoom(FimDatabase *db, const FimDatabase *part);
extern void FimDatabaseCopyPart(FimDatabase *db, FimPlace place, FimDatabase *part);

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
 * FimDatabaseIndex() fills in the occurrences, which only the CPU engine reads.  The memory
 * must have FimDatabaseIndexedSize() bytes.  If the database was begun with less, the caller
 * first copies its first head.size bytes to memory of that size.
 */
extern size_t FimDatabaseIndexedSize(const FimDatabase *db);
extern bool FimDatabaseIndex(FimDatabase *db, FimHost *host);

/*
 * Some rows of a database, to see how many of them are equal to another one.
 */

/* A sample of rows, which are told apart by their hashes. */
typedef struct FimRowSample
{
	uint64_t   *slot;			/* [nslots] a hash table of the hashes met, in the host's memory */
	uint64_t	nslots;			/* a power of 2 */
	uint64_t	distinct;		/* hashes met */
	uint64_t	equal;			/* rows whose hash had been met before */
	uint64_t	entries;		/* of all rows */
	uint64_t	equal_entries;	/* of the rows whose hash had been met before */
} FimRowSample;

/* Begins a sample of about nrows rows.  Returns false if the host has no memory. */
extern bool FimRowSampleBegin(FimRowSample *sample, uint64_t nrows, FimHost *host);
extern void FimRowSampleEnd(FimRowSample *sample, FimHost *host);

/*
 * Adds a row of nentries entries.  Once three quarters of the slots are taken, which is far
 * more than the sample was begun for, further rows are ignored.
 */
static inline void
FimRowSampleAdd(FimRowSample *sample, uint64_t hash, uint32_t nentries)
{
	uint64_t	s = hash >> 1 & (sample->nslots - 1);
	bool		equal;

	if (sample->distinct >= sample->nslots / 4 * 3)
		return;
	hash |= 1;
	while (sample->slot[s] != 0 && sample->slot[s] != hash)
		s = (s + 1) & (sample->nslots - 1);
	equal = sample->slot[s] == hash;
	sample->slot[s] = hash;
	sample->distinct += !equal;
	sample->equal += equal;
	sample->entries += nentries;
	sample->equal_entries += equal ? nentries : 0;
}

/* Whether at least one in "one_in" of the sample's rows is equal to an earlier one. */
static inline bool
FimRowSampleHasEqual(const FimRowSample *sample, uint32_t one_in)
{
	return sample->equal > 0 && sample->equal * one_in >= sample->distinct + sample->equal;
}

/*
 * A few rows show how many equal ones there are among more.  FimRowSampleForesees() tells
 * whether at least one in "one_in" entries would be in a row that is equal to an earlier
 * one, if the sample had "larger" rows.  FimRowSampleEnough() returns the number of rows
 * that a sample of nrows rows needs for that.
 */
extern uint64_t FimRowSampleEnough(uint64_t nrows);
extern bool FimRowSampleForesees(const FimRowSample *sample, uint64_t larger, uint32_t one_in);

/*
 * Merging equal rows of a database while it is built and in the end.
 */

/*
 * Merges equal rows among those added so far, if many are equal.  Meanwhile it takes 12 to
 * 24 bytes a row from the host.  Returns false if the host has no memory or says stop.
 */
extern bool FimDatabaseMerge(FimDatabase *db, FimHost *host);

/* Merges once more, and closes the gaps that merging left.  Nothing can be added afterwards. */
extern bool FimDatabaseFinish(FimDatabase *db, FimHost *host);

extern const FimFamily FimItemsetsFamily;

/* Strategies of the CPU engine, in the order of the family's list. */
typedef enum FimItemsetsStrategy
{
	FIM_AUTO,					/* choose by measured rules, inside the recursion */
	FIM_BITMAP,					/* vertical bitmaps as soon as possible */
	FIM_PROJECTED,				/* projected transactions as long as possible */
	FIM_ROWS					/* sets of rows, see row_sets.c; where these are too many, the same as auto */
} FimItemsetsStrategy;

/* Strategies of the GPU engine, in the order of the family's list. */
typedef enum FimItemsetsGpuStrategy
{
	FIM_GPU_AUTO,
	FIM_GPU_TENSOR,				/* class products on the 1-bit tensor cores */
	FIM_GPU_DCI_TRANSACTION,	/* gpuDCI, transaction-wise */
	FIM_GPU_DCI_CANDIDATE,		/* gpuDCI, candidate-wise */
	FIM_GPU_TFL,				/* GMiner, traversal from the first level */
	FIM_GPU_HIL					/* GMiner, hopping from the intermediate level */
} FimItemsetsGpuStrategy;

/* The names of the GPU engine's strategies, for gpufim.so and for the GPU library. */
#define FIM_ITEMSETS_GPU_STRATEGY_NAMES \
	{"auto", "tensor", "dci_transaction", "dci_candidate", "tfl", "hil", NULL}

/*
 * What to mine.  The required items are those that the argument "including" names.  The
 * database has only the transactions that hold all of the required items, and these
 * items themselves have been left out of it.  Lengths are those of whole itemsets as the
 * user sees them: required items count, although the engine neither stores nor emits
 * them.
 */
typedef struct FimItemsetsSpec
{
	FimSpec		head;
	FimKind		kind;
	uint32_t	minsup;			/* absolute, >= 1 */
	uint32_t	nrequired;		/* the number of required items */
	uint32_t	min_length;		/* >= 1 */
	uint32_t	max_length;		/* FIM_NO_LIMIT for none */
} FimItemsetsSpec;

/*
 * miner.c: Batches of results, and numbers of itemsets by length.
 */

/*
 * A batch of results is a sequence of records of uint32 words:
 *
 *		keep, added, item[added], support
 *
 * An itemset is the first "keep" items of the batch's previous itemset followed
 * by "added" items; the first record of a batch keeps 0, so that each batch can
 * be read alone.  Items are the caller's, in no particular order.
 */

/*
 * A number of itemsets, of 128 bits: a sum or product that does not fit becomes the largest
 * number.  The summary of a task that only counts is an array of these, one for each length
 * of itemsets, see FimTallyLengths().
 */
typedef struct FimCount
{
	uint64_t	low;
	uint64_t	high;
} FimCount;

typedef struct FimTally
{
	uint32_t	lengths;
	FimCount   *counts;			/* [lengths] the number of itemsets of each length, from 0 on */
} FimTally;

/* Add a tally to another one that has the same lengths. */
extern void FimTallyAdd(FimTally *into, const FimTally *from);

/* The number of entries of the spec's tally, whose lengths begin with 0. */
static inline uint32_t
FimTallyLengths(const FimItemsetsSpec *spec, const FimDatabase *db)
{
	return spec->nrequired + db->max_row + 1;
}

/*
 * The task of mining a database.  "counts" is its summary, of FimTallyLengths() entries, and
 * NULL if itemsets are listed.
 */
static inline FimTask
FimItemsetsTask(const FimItemsetsSpec *spec, const FimDatabase *db, FimShared *shared,
				FimCount *counts)
{
	return FimTaskOf(&FimItemsetsFamily, &spec->head, &db->head, shared, counts);
}

#endif							/* FIM_ITEMSETS_H */

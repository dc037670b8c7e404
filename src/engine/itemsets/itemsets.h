/*-------------------------------------------------------------------------
 *
 * itemsets.h
 *	  The family of frequent itemsets: its job, its data, its results.
 *
 * A task of this family lists the frequent itemsets of a database, all of them or
 * the closed or maximal ones, or counts them by length without listing them.
 * A unit of its work is a prefix class: the itemsets whose rarest item is the
 * same.
 *
 * Included by the engines, on processors and on GPUs, and by all who make such
 * tasks: src/itemsets, the command-line program and tests.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_ITEMSETS_H
#define FIM_ITEMSETS_H

#include "engine/family.h"
#include "engine/kind.h"

extern const FimFamily FimItemsetsFamily;

/* Strategies of the CPU engine, in the order of the family's list. */
typedef enum FimStrategy
{
	FIM_AUTO,					/* choose by measured rules, inside the recursion */
	FIM_BITMAP,					/* vertical bitmaps as soon as possible */
	FIM_PROJECTED,				/* projected transactions as long as possible */
	FIM_ROWS					/* sets of rows, see row_sets.c; where they are too many, as auto */
} FimStrategy;

/* Strategies of the GPU engine, in the order of the family's list. */
typedef enum FimGpuStrategy
{
	FIM_GPU_AUTO,
	FIM_GPU_TENSOR,				/* class products on the 1-bit tensor cores */
	FIM_GPU_DCI_TRANSACTION,	/* gpuDCI, transaction-wise */
	FIM_GPU_DCI_CANDIDATE,		/* gpuDCI, candidate-wise */
	FIM_GPU_TFL,				/* GMiner, traversal from the first level */
	FIM_GPU_HIL					/* GMiner, hopping from the intermediate level */
} FimGpuStrategy;

/* Their names, for gpufim.so and for the GPU library. */
#define FIM_GPU_STRATEGY_NAMES \
	{"auto", "tensor", "dci_transaction", "dci_candidate", "tfl", "hil", NULL}

/*
 * What to mine.  The required items are those that "including" names.  Only the
 * transactions that hold all of them are in the database, and there without them.
 * Lengths are those of whole itemsets as the user sees them: required items count in
 * them, although the engine neither stores nor emits them.
 */
typedef struct FimItemsetsJob
{
	FimJob		head;
	FimKind		kind;
	uint32_t	minsup;			/* absolute, >= 1 */
	uint32_t	nrequired;
	uint32_t	min_length;		/* >= 1 */
	uint32_t	max_length;		/* FIM_NO_LIMIT for none */
} FimItemsetsJob;

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
extern bool FimDatabaseMerge(FimDatabase *db, FimHost *host);
extern bool FimDatabaseFinish(FimDatabase *db, FimHost *host);
extern size_t FimDatabaseIndexedSize(const FimDatabase *db);
extern bool FimDatabaseIndex(FimDatabase *db, FimHost *host);

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
 * How many itemsets there are, by length, without listing them: 128 bits each,
 * saturating.  The summary of a task that only counts is an array of these, one
 * for each length from 0 to FimTallyLengths() - 1.
 */
typedef struct FimCount
{
	uint64_t	low;
	uint64_t	high;
} FimCount;

typedef struct FimTally
{
	uint32_t	lengths;		/* entries, counts[length] for 0 .. lengths-1 */
	FimCount   *counts;
} FimTally;

extern uint32_t FimTallyLengths(const FimItemsetsJob *job, const FimDatabase *db);
extern void FimTallyAdd(FimTally *into, const FimTally *from);
extern void FimBinomials(FimCount *choose, uint32_t n); /* C(n, 0..n) */

/* The task of mining a database; counts are NULL if itemsets are listed. */
static inline FimTask
FimItemsetsTask(const FimItemsetsJob *job, const FimDatabase *db, FimShared *shared,
				FimCount *counts)
{
	FimTask		task;

	task.family = &FimItemsetsFamily;
	task.job = &job->head;
	task.data = &db->head;
	task.shared = shared;
	task.summary = counts;
	return task;
}

#endif							/* FIM_ITEMSETS_H */

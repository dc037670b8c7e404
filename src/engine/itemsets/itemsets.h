/*-------------------------------------------------------------------------
 *
 * itemsets.h
 *	  The family of frequent itemsets: its job and its results.
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

#include "engine/family.h"
#include "engine/itemsets/database.h"
#include "engine/itemsets/tally.h"
#include "engine/kind.h"

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
typedef struct FimItemsetsJob
{
	FimJob		head;
	FimKind		kind;
	uint32_t	minsup;			/* absolute, >= 1 */
	uint32_t	nrequired;		/* the number of required items */
	uint32_t	min_length;		/* >= 1 */
	uint32_t	max_length;		/* FIM_NO_LIMIT for none */
} FimItemsetsJob;

/*
 * A batch of results is a sequence of records of uint32 words:
 *
 *		keep, added, item[added], support
 *
 * An itemset is the first "keep" items of the batch's previous itemset followed
 * by "added" items; the first record of a batch keeps 0, so that each batch can
 * be read alone.  Items are the caller's, in no particular order.
 */

/* The number of entries of the job's tally, whose lengths begin with 0. */
static inline uint32_t
FimTallyLengths(const FimItemsetsJob *job, const FimDatabase *db)
{
	return job->nrequired + db->max_row + 1;
}

/*
 * The task of mining a database.  "counts" is its summary, of FimTallyLengths() entries, and
 * NULL if itemsets are listed.
 */
static inline FimTask
FimItemsetsTask(const FimItemsetsJob *job, const FimDatabase *db, FimShared *shared,
				FimCount *counts)
{
	return FimTaskOf(&FimItemsetsFamily, &job->head, &db->head, shared, counts);
}

#endif							/* FIM_ITEMSETS_H */

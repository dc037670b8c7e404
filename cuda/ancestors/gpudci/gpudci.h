/*-------------------------------------------------------------------------
 *
 * gpudci.h
 *	  Strategies "dci_transaction" and "dci_candidate": gpuDCI, in its two ways.
 *
 * doc/ancestors/gpudci.md says which part of the paper is which function.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPU_ANCESTORS_GPUDCI_H
#define GPU_ANCESTORS_GPUDCI_H

#include "itemsets/itemsets.h"
#include "itemsets/levels.h"

/*
 * The state of a job of gpuDCI, which its files share.
 */

#ifdef __cplusplus
extern "C"
{
#endif

/* Candidates that share a prefix of k items. */
typedef struct Operation
{
	uint32_t	first;			/* its first candidate */
	uint32_t	n;				/* how many it has */
	uint32_t	common;			/* how many first items its prefix shares with the operation before */
} Operation;

/* A device's share of a batch, as kernels see it. */
typedef struct Operations
{
	const Operation *operations;
	const uint32_t *loads;		/* [nloads + 1] the operation that each load begins with: what a block of
								 * threads does at a time */
	const uint32_t *items;		/* [operations][k] the rows of bits of the prefix's items */
	const uint32_t *last;		/* [candidates] the rows of bits of the last items */
	uint32_t   *counts;			/* [candidates] added to */
	uint32_t	k;				/* items of a prefix */
} Operations;

/* A cache of the intersections of a prefix's first 2, 3, ... items. */
typedef struct PrefixCache
{
	uint4	   *chunks;
	uint64_t	stride;			/* chunks from one intersection to the next */
	uint32_t	n;				/* the number of intersections that there is room for */
} PrefixCache;

/* A device's share of a batch. */
typedef struct DciShare
{
	uint32_t	first_group;
	uint32_t	ngroups;
	uint32_t	first;			/* its first candidate */
	uint32_t	n;				/* how many it has */
	uint32_t	nloads;
	uint32_t	next;			/* the next load, or operation, to be launched */
	Operations	on_device;
} DciShare;

typedef struct DciMemory
{
	char	   *batch[2];
	char	   *cache;
	uint4	   *spare;			/* as large as the bitmaps, for their compacted copy; or NULL */
} DciMemory;

typedef struct Dci
{
	ItemsetsJob *job;
	bool		transaction_wise; /* the strategy is dci_transaction */
	bool		ready;			/* memory has been taken */
	Bitmaps		bitmaps;
	FimRow	   *rows;			/* pruned transactions, or NULL */
	uint32_t   *items;			/* the items of pruned transactions, or NULL */
	uint32_t   *map;			/* see Bitmaps */
	uint64_t	batch_bytes;
	uint64_t	cache_bytes;
	bool		has_spare;
	DciMemory	memory[FIM_GPU_MAX_DEVICES];

	/* of the level and the batches at hand */
	uint32_t	k;				/* items of a prefix */
	char	   *encoded;		/* a share, in the form in which it is copied to a device */
	DciShare	shares[2][FIM_GPU_MAX_DEVICES];
	DciShare   *current;		/* the shares of the batch that is counted */
	bool		by_transactions; /* this level is counted transaction-wise */
	uint32_t	thread_blocks;	/* that count candidate-wise, at most */
} Dci;

/*
 * Counting the candidates of gpuDCI on a device.
 *
 * Candidates come as operations in lexicographic order, and the intersections of prefixes are
 * cached.  Transaction-wise, all threads work on the same candidate, each on some of the
 * transactions, and there is one cache.  Candidate-wise, each thread block has candidates of
 * its own, contiguous ones, and a cache.
 *
 * The functions launch a kernel in the stream.  The caller has made the device the current one,
 * and checks afterwards whether the launch failed.
 */

/* Counts the candidates of operations first .. end - 1.  The cache holds the intersections of one prefix. */
extern void DciLaunchByTransactions(const BitView *view, const Operations *batch, const PrefixCache *cache,
									uint32_t first, uint32_t end, cudaStream_t stream);

/*
 * Counts the candidates of loads first .. end - 1 by thread blocks of 32, 64, 128 or 256
 * threads.  Each block has a cache of its own; the caches follow one another from
 * caches->chunks on.
 */
extern void DciLaunchByCandidates(const BitView *view, const Operations *batch, const PrefixCache *caches,
								  uint32_t first, uint32_t end, uint32_t blocks, uint32_t threads,
								  cudaStream_t stream);

/*
 * Dropping transactions from the bitmaps of gpuDCI.
 */

/*
 * Drops, from bitmaps that stay on the devices, the bits of transactions that have
 * fewer live items than the next level's itemsets are long, if that pays.  The rows of
 * dead items stay, but nothing reads them.
 */
extern void DciDropOnDevice(Dci *dci, const ItemsetLevel *level);

/*
 * Strategies "dci_transaction" and "dci_candidate": gpuDCI, in its two ways.
 */

/*
 * What gpuDCI does with transactions on the host: counting pairs, and leaving out what is no longer needed.
 */

/*
 * Sets occurs[] to the number of the level's itemsets in which each item occurs.  An item of an
 * itemset of the next level occurs in at least as many of this level's itemsets as these have
 * items.
 */
extern void DciCountOccurrences(Dci *dci, const ItemsetLevel *level, uint32_t *occurs);

/*
 * Mines the job on its team and gives out what it finds.  If something stops it, it leaves by
 * JobLeave().
 */
extern void DciMine(ItemsetsJob *job);

#ifdef __cplusplus
}
#endif

#endif							/* GPU_ANCESTORS_GPUDCI_H */

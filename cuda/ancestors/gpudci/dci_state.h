/*-------------------------------------------------------------------------
 *
 * dci_state.h
 *	  The state of a job of gpuDCI, which its files share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_DCI_STATE_H
#define FIM_DCI_STATE_H

#include "itemsets/itemsets.h"
#include "itemsets/levels.h"

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
	const uint32_t *tasks;		/* [ntasks + 1] the operation that each task begins with */
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
	uint32_t	ntasks;
	uint32_t	next;			/* the next task, or operation, to be launched */
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
	ItemsetJob *job;
	bool		transaction_wise;	/* the strategy is dci_transaction */
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
	bool		by_transactions;	/* this level is counted transaction-wise */
	uint32_t	thread_blocks;	/* that count candidate-wise, at most */
} Dci;

#ifdef __cplusplus
}
#endif

#endif							/* FIM_DCI_STATE_H */

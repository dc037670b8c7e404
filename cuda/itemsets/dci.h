/*-------------------------------------------------------------------------
 *
 * dci.h
 *	  What the files of gpuDCI share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_DCI_H
#define FIM_DCI_H

#include "itemsets/bitmaps.h"
#include "itemsets/levels.h"

#ifdef __cplusplus
extern "C"
{
#endif

typedef struct Operation
{
	uint32_t	first;			/* candidate */
	uint32_t	n;
	uint32_t	common;			/* items that the prefix has in common with the one before */
} Operation;

/* A batch, or a device's part of it, as kernels see it. */
typedef struct Operations
{
	const Operation *operations;
	const uint32_t *tasks;		/* operations where tasks begin, and their end */
	const uint32_t *items;		/* [operations][k] rows of bits */
	const uint32_t *last;		/* [candidates] rows of bits */
	uint32_t   *counts;
	uint32_t	k;
} Operations;

/* A cache of prefixes of 2 items and more. */
typedef struct Cache
{
	uint4	   *chunks;
	uint64_t	stride;			/* from one length to the next */
	uint32_t	n;				/* lengths that there is room for */
} Cache;

/* A device's part of a batch. */
typedef struct Share
{
	uint32_t	first_group;
	uint32_t	ngroups;
	uint32_t	first;			/* candidate */
	uint32_t	n;
	uint32_t	ntasks;
	uint32_t	next;			/* task or operation to be launched */
	Operations	on_device;
} Share;

typedef struct DciMemory
{
	char	   *batch[2];
	char	   *cache;
	uint4	   *spare;			/* as large as the bitmaps, or NULL */
} DciMemory;

typedef struct Dci
{
	ItemsetJob *job;
	bool		transaction_wise;	/* asked for */
	bool		ready;
	Bitmaps		bitmaps;
	FimRow	   *rows;			/* of pruned transactions, or NULL */
	uint32_t   *items;
	uint32_t   *map;
	uint64_t	batch_bytes;
	uint64_t	cache_bytes;
	bool		has_spare;
	DciMemory	memory[FIM_GPU_MAX_DEVICES];

	/* of the batch that is formed */
	uint32_t	k;				/* items of a prefix */
	char	   *encoded;
	Share		shares[2][FIM_GPU_MAX_DEVICES];
	Share	   *current;
	bool		by_transactions;	/* in this level */
	uint32_t	teams;
} Dci;

/* ---- dci_pairs.c ---- */

/* A LevelCounter's count_pairs: by going through the transactions, if that pays. */
extern bool DciCountPairs(void *of, Levels *levels);

/*
 * In how many of the level's itemsets the items occur.  One that is in an itemset
 * of the next level is in as many as this one's are long.
 */
extern void DciCountOccurrences(Dci *dci, const Level *level, uint32_t *occurs);

/* After a level was counted: keep what the next one needs of the transactions. */
extern void DciPruneOnHost(Dci *dci, const Level *level);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_DCI_H */

/*-------------------------------------------------------------------------
 *
 * transactions.h
 *	  Uncertain transactions on the devices.
 *
 * Each device of the team has all transactions, or where they do not fit, one block of
 * them at a time, which is laid out as layout.h says.  A block is sent in pieces.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TRANSACTIONS_H
#define FIM_TRANSACTIONS_H

#include "probable/layout.h"
#include "probable/probable_job.h"

#ifdef __cplusplus
extern "C"
{
#endif

typedef struct Transactions
{
	uint64_t	nslabs;			/* slabs of all transactions */
	uint32_t	block_slabs;	/* most slabs of a block */
	uint32_t	nblocks;
	uint32_t	loaded;			/* the block that the devices have, or GPU_NONE */
	uint32_t	piece_slabs;	/* most slabs of a piece */
	uint64_t	piece_entries;	/* most entries of a piece */
	uint64_t	ell_room;		/* cells that Layout.ell has room for */
	uint64_t	value_room;		/* most values of a block, under attribute uncertainty */
	uint32_t   *starts;			/* host memory: Layout.starts of the piece that is sent */
	UncertainBlock block[FIM_GPU_MAX_DEVICES];
	Layout		layout[FIM_GPU_MAX_DEVICES];
} Transactions;

/* The memory that each device needs for blocks of block_slabs slabs at most, and for laying them out. */
extern uint64_t TransactionsMemory(const ProbableJob *job, uint32_t block_slabs);

/*
 * Takes memory on all devices for blocks, which are as large as they can be if "keep"
 * bytes of each device are to stay free.
 */
extern cudaError_t TransactionsOpen(ProbableJob *job, Transactions *t, uint64_t keep);

/*
 * Sends a block to all devices and lays it out there, unless they have it already.  The work is put
 * into the streams GPU_COUNT; what these are given later finds the block in its place.
 */
extern cudaError_t TransactionsLoad(ProbableJob *job, Transactions *t, uint32_t block);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_TRANSACTIONS_H */

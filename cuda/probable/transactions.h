/*-------------------------------------------------------------------------
 *
 * transactions.h
 *	  Uncertain transactions on the devices.
 *
 * Each device of the team has all of them, or where they do not fit, a block of them
 * at a time, see layout.h.
 *
 * Included by the files of cuda/probable that count on devices.
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
	uint64_t	nslabs;			/* of all transactions */
	uint32_t	block_slabs;	/* of a block, at most */
	uint32_t	nblocks;
	uint32_t	loaded;			/* the block that the devices have, or GPU_NONE */
	uint32_t	piece_slabs;	/* of a piece, at most */
	uint64_t	piece_entries;	/* the same */
	uint64_t	ell_room;		/* cells */
	uint64_t	value_room;		/* values of a block, at most */
	uint32_t   *starts;			/* of the piece that is sent */
	UncertainBlock block[FIM_GPU_MAX_DEVICES];
	Layout		layout[FIM_GPU_MAX_DEVICES];
} Transactions;

/* The device memory that blocks of so many slabs take, the layout's included. */
extern uint64_t TransactionsMemory(const ProbableJob *job, uint32_t block_slabs);

/*
 * Takes memory on all devices for blocks that are as large as they can be if "keep"
 * bytes of each device are left for other things.
 */
extern cudaError_t TransactionsOpen(ProbableJob *job, Transactions *t, uint64_t keep);

/* Brings a block to all devices, if it is not there.  Streams GPU_COUNT have it then. */
extern cudaError_t TransactionsLoad(ProbableJob *job, Transactions *t, uint32_t block);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_TRANSACTIONS_H */

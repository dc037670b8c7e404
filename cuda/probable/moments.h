/*-------------------------------------------------------------------------
 *
 * moments.h
 *	  Count, mean, variance and third moment of many candidates at once, on the devices.
 *
 * A candidate consists of a node, which is an itemset, and of one more column, the last.
 * The candidates of a node follow one another.  A candidate's transactions are those whose
 * bit is set in the lines of all of its columns.  Its probability in a transaction is the
 * transaction's under tuple uncertainty.  Under attribute uncertainty it is the product of
 * the columns' values: the node's are multiplied in their order, then the last one.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_MOMENTS_H
#define FIM_GPU_MOMENTS_H

#include "probable/transactions.h"

#ifdef __cplusplus
extern "C"
{
#endif

#define MOMENT_TILE		32		/* most candidates of one node that a block of threads does together */
#define MOMENT_WARPS	8		/* warps of a block of threads, each of which does a slab at a time */
#define MOMENT_SUMS		3		/* mean, variance, third moment */

/* Candidates of one node that a block of threads does together. */
typedef struct MomentTask
{
	uint32_t	node;			/* number of the node in the batch */
	uint32_t	first;			/* number of the first candidate in the batch */
	uint32_t	n;				/* candidates, at most MOMENT_TILE */
} MomentTask;

/* What is to be summed, and where the sums go.  All memory is the host's. */
typedef struct MomentBatch
{
	uint32_t	length;			/* columns of each node */
	uint32_t	nnodes;
	uint32_t   *columns;		/* [nnodes][length] */
	uint32_t	ntasks;
	MomentTask *tasks;			/* in ascending order of candidates; each candidate is in one task */
	uint32_t	ncandidates;
	uint32_t   *last;			/* [ncandidates] the last column */
	uint32_t   *counts;			/* [ncandidates] result: transactions */
	double	   *sums;			/* [ncandidates][MOMENT_SUMS] result */
} MomentBatch;

/*
 * The most candidates that a batch may have on a device with "bytes" of free memory, 0 if that is too
 * little.  Their nodes have "length" columns or fewer.
 */
extern uint32_t MomentsRoom(const ProbableJob *job, uint64_t bytes, uint32_t length);

/* Computes the counts and sums of a batch, on all devices of the team. */
extern cudaError_t MomentsSum(ProbableJob *job, Transactions *t, MomentBatch *batch);

/* The moments of a candidate of a batch that has been summed, with a bound of their error. */
extern FimMoments MomentsOf(const ProbableJob *job, const Transactions *t, const MomentBatch *batch,
							uint32_t candidate);

/* ---- among the module's own files ---- */

/*
 * A device's share of a batch.  All addresses are of device memory.  Tasks keep the numbers that
 * candidates and nodes have in the batch; arrays of candidates begin with number "first".
 */
typedef struct MomentShare
{
	uint32_t	first_task;
	uint32_t	end_task;
	uint32_t	next_task;		/* the first task that has not been launched */
	uint32_t	first;			/* number of the first candidate in the batch */
	uint32_t	n;				/* candidates */
	uint32_t	parts;			/* into which the slabs of each task are divided */
	uint32_t   *columns;
	MomentTask *tasks;
	uint32_t   *last;			/* [n] */
	uint32_t   *part_counts;	/* [n][parts] */
	double	   *part_sums;		/* [n][parts][MOMENT_SUMS] */
	uint32_t   *counts;			/* [n] */
	double	   *sums;			/* [n][MOMENT_SUMS] */
} MomentShare;

/*
 * LaunchMoments() sums n tasks of a share, from its task "from" on, over a block of transactions, each
 * part by itself.  AddMoments() then adds the parts' sums to the share's counts and sums.
 */
extern cudaError_t LaunchMoments(GpuDevice *device, const UncertainBlock *block,
								 const MomentShare *share, uint32_t length, uint32_t from, uint32_t n);
extern cudaError_t AddMoments(GpuDevice *device, const MomentShare *share);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_MOMENTS_H */

/*-------------------------------------------------------------------------
 *
 * moments.h
 *	  Count, mean, variance and third moment of many candidates at once, on the devices.
 *
 * A candidate is a node, an itemset of some length, and one more column.  The
 * candidates of a node follow one another.  Their transactions are those in which all
 * lines have a bit, and their probabilities there those of the transactions, or the
 * products of the node's in its columns' order and the further column's.
 *
 * Included by the files of cuda/probable that judge candidates.
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

#define MOMENT_TILE		32		/* candidates of one node that a block does together */
#define MOMENT_WARPS	8		/* of a block, each of which does a slab at a time */
#define MOMENT_SUMS		3		/* mean, variance, third moment */

/* A node's candidates, as far as a block does them together. */
typedef struct MomentTask
{
	uint32_t	node;			/* in units of the nodes' length */
	uint32_t	first;			/* candidate */
	uint32_t	n;				/* at most MOMENT_TILE */
} MomentTask;

/* What is to be summed, and where the sums go.  All memory is the host's. */
typedef struct MomentBatch
{
	uint32_t	length;			/* columns of each node */
	uint32_t	nnodes;
	uint32_t   *columns;		/* [nnodes][length] */
	uint32_t	ntasks;
	MomentTask *tasks;			/* their candidates are ascending, and none is left out */
	uint32_t	ncandidates;
	uint32_t   *last;			/* [ncandidates] the further column */
	uint32_t   *counts;			/* [ncandidates] result: transactions */
	double	   *sums;			/* [ncandidates][MOMENT_SUMS] result */
} MomentBatch;

/* The most candidates of a batch on a device with so much memory to spare, 0 if there is too little. */
extern uint32_t MomentsRoom(const ProbableJob *job, uint64_t bytes, uint32_t length);

/* Sums a batch, by all devices of the team. */
extern cudaError_t MomentsSum(ProbableJob *job, Transactions *t, MomentBatch *batch);

/* The sums of one of its candidates as the bounds take them. */
extern FimMoments MomentsOf(const ProbableJob *job, const Transactions *t, const MomentBatch *batch,
							uint32_t candidate);

/* ---- among the module's own files ---- */

/* A device's share of a batch.  All addresses are of device memory. */
typedef struct MomentShare
{
	uint32_t	first_task;
	uint32_t	end_task;
	uint32_t	next_task;		/* the first that has not been launched */
	uint32_t	first;			/* candidate */
	uint32_t	n;				/* candidates */
	uint32_t	parts;			/* into which a task's slabs are divided */
	uint32_t   *columns;
	MomentTask *tasks;
	uint32_t   *last;			/* [n] */
	uint32_t   *part_counts;	/* [n][parts] */
	double	   *part_sums;		/* [n][parts][MOMENT_SUMS] */
	uint32_t   *counts;			/* [n] */
	double	   *sums;			/* [n][MOMENT_SUMS] */
} MomentShare;

/* Launches some tasks of a share, and then adds up what its parts counted. */
extern cudaError_t LaunchMoments(GpuDevice *device, const UncertainBlock *block,
								 const MomentShare *share, uint32_t length, uint32_t from, uint32_t n);
extern cudaError_t AddMoments(GpuDevice *device, const MomentShare *share);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_MOMENTS_H */

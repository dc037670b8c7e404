/*-------------------------------------------------------------------------
 *
 * tails.h
 *	  P(support >= minsup) of many itemsets at once, on the devices, with a proven error.
 *
 * The distribution of an itemset's support is the convolution of its transactions'
 * Bernoulli variables.  A tree of direct convolutions computes it: all terms are
 * positive, so that each coefficient has a small relative error.  A node of the tree has
 * the distribution of some of the transactions.  At both ends of it, coefficients below
 * TAIL_DROPPED are dropped.  The rest, the node's window, is O(sqrt(m)) wide for m
 * transactions.
 *
 * The list of an itemset's probabilities is divided into segments.  A block of threads
 * computes the distributions of several segments in shared memory, from leaves of 31
 * transactions, one for each thread, which are computed in registers.  The nodes above the
 * segments are merged a level at a time, for all itemsets together, by as many blocks as
 * it takes; tensor cores do this where they multiply doubles.  The root is not computed,
 * only its tail.
 *
 * The distribution's true mass and mean are known, so the effect of rounding on them can
 * be measured, and the tail is corrected by it.  doc/probable_gpu.md proves how far the
 * corrected tail may still be off.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_TAILS_H
#define FIM_GPU_TAILS_H

#include "probable/lists.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Sums of the computed distribution of an itemset; NaN if the devices had no memory for it. */
typedef struct TailSums
{
	double		tail;			/* the sum of its values from minsup on */
	double		point;			/* its value at minsup */
	double		mass;			/* the sum of all its values, less 1 */
	double		mean;			/* the sum of (s - true mean) times its value at s */
} TailSums;

typedef struct TailBatch
{
	uint32_t	length;			/* columns of the longest itemset, at least 1 */
	uint32_t	n;
	const uint32_t *columns;	/* [n][length], as in lists.h */
	const uint32_t *counts;		/* [n] transactions that have all columns, above 0; ascending */
	TailSums   *sums;			/* [n] result */
} TailBatch;

/* The device memory for an itemset that is in all transactions, which takes most. */
extern uint64_t TailsLeast(const ProbableJob *job);

/* Computes the sums of a batch, on all devices of the team.  All arrays of a batch are the host's. */
extern cudaError_t TailsCompute(ProbableJob *job, Transactions *t, const TailBatch *batch);

/* An interval that holds P(support >= minsup) of an itemset of "length" columns. */
extern FimInterval TailInterval(const ProbableJob *job, uint32_t length, const FimMoments *moments,
								const TailSums *sums);

/* ---- among the module's own files ---- */

#define TAIL_LEAF		31		/* transactions of a leaf */
#define TAIL_THREADS	64		/* threads of a block that computes segments; each has a leaf */
#define TAIL_SEGMENT	(TAIL_LEAF * 8)	/* transactions of a segment */
#define TAIL_DROPPED	0x1p-75 /* coefficients below this are dropped at both ends of a node */

#define TAIL_PIECE		8		/* coefficients that a thread computes together */

/*
 * Above segments, the terms of a coefficient are added up in three steps, on which the error bound
 * depends: TAIL_TERMS terms one after the other to a sum, TAIL_SUMS of these sums to the sum of a
 * chunk, and the sums of chunks to the result.
 */
#define TAIL_TERMS		16
#define TAIL_SUMS		16
#define TAIL_CHUNK		(TAIL_TERMS * TAIL_SUMS)
#define TAIL_LEVELS		24		/* above segments: enough for all transactions there can be */

/* The nodes of a level.  Each has a slot; its window is pieces first .. end - 1 of the slot. */
typedef struct TailNodes
{
	double	   *slots;			/* [nodes][slot_pieces][TAIL_PIECE] */
	uint32_t	slot_pieces;
	uint32_t   *offset;			/* [nodes] the support whose probability the slot's first coefficient is */
	uint32_t   *first;			/* [nodes] */
	uint32_t   *end;			/* [nodes] */
} TailNodes;

/* A device's share of a batch.  Addresses are of device memory. */
typedef struct TailShare
{
	uint32_t	first;			/* itemset of the batch */
	uint32_t	n;				/* itemsets */
	uint32_t	nsegments;
	ProbabilityLists lists;		/* in units of segments, the last one filled up with zeros */
	uint32_t   *start;			/* [n + 1] where each itemset's nodes begin among those of a level ... */
	uint32_t   *above;			/* ... and of another level; see the functions below */
	double2    *means;			/* [nsegments] sum of each segment's probabilities, as two doubles */
	TailNodes	nodes[2];
	TailSums   *sums;			/* [n] */
} TailShare;

/* Computes the distributions and means of n segments, from number "from" on, to share->nodes[0]. */
extern cudaError_t LaunchSegments(GpuDevice *device, const TailShare *share, uint32_t from, uint32_t n);

/*
 * Merges the nodes of a level two by two: makes n nodes of the level above, from number "from" on.
 * An itemset that has no more than two nodes keeps them.  share->start is of the level, share->above
 * of the level above.  above->first must be UINT32_MAX and above->end 0 for all nodes.
 */
extern cudaError_t LaunchMerges(GpuDevice *device, const TailShare *share, const TailNodes *nodes,
								const TailNodes *above, uint32_t from, uint32_t n);

/*
 * Computes the sums of all itemsets of a share, which have one or two nodes each.  share->start is of
 * the segments, share->above of the level of "nodes".  The slots of "scratch" are overwritten.
 */
extern cudaError_t LaunchRoots(GpuDevice *device, const TailShare *share, const TailNodes *nodes,
							   const TailNodes *scratch, uint32_t minsup);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_TAILS_H */

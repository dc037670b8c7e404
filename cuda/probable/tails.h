/*-------------------------------------------------------------------------
 *
 * tails.h
 *	  P(support >= minsup) of many itemsets at once, on the devices, with a proven error.
 *
 * The distribution of an itemset's support is the convolution of its transactions'
 * Bernoulli variables.  A tree of direct convolutions computes it: all terms are
 * positive, so that each coefficient has a small relative error.  Coefficients at the ends of a
 * node's window that are below TAIL_DROPPED are dropped, so that the window of m
 * transactions is O(sqrt(m)) wide.
 *
 * A list of an itemset's probabilities is divided into segments.  A block of threads
 * computes the distributions of several in shared memory, from leaves of 31
 * transactions that each thread has in registers.  The nodes above the segments are merged
 * a level at a time, those of all itemsets together, by as many blocks as it takes: by tensor
 * cores where these multiply doubles.  The root is not computed, only its tail.
 *
 * What rounding does to the distribution's mass and mean is known exactly, since the
 * true ones are known, and is taken off; doc/probable_gpu.md has the proof of what may then
 * still be wrong.
 *
 * Included by the files of cuda/probable that want tails.
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

/* What was computed of an itemset. */
typedef struct TailSums
{
	double		tail;			/* the computed distribution's sum from minsup on */
	double		point;			/* its value at minsup */
	double		mass;			/* its mass, less 1 */
	double		mean;			/* the sum of (s - mean) times its value at s */
} TailSums;

typedef struct TailBatch
{
	uint32_t	length;			/* columns of the longest itemset, at least 1 */
	uint32_t	n;
	const uint32_t *columns;	/* [n][length], as in lists.h */
	const uint32_t *counts;		/* [n] transactions that have all columns, above 0 */
	TailSums   *sums;			/* [n] result */
} TailBatch;

/* The device memory that the largest itemset takes. */
extern uint64_t TailsLeast(const ProbableJob *job);

/* Computes a batch, by all devices of the team. */
extern cudaError_t TailsCompute(ProbableJob *job, Transactions *t, const TailBatch *batch);

/* The interval that holds P(support >= minsup). */
extern FimInterval TailInterval(const ProbableJob *job, uint32_t length, const FimMoments *moments,
								const TailSums *sums);

/* ---- among the module's own files ---- */

#define TAIL_LEAF		31		/* transactions */
#define TAIL_THREADS	64		/* of a block that computes segments, each of which has a leaf */
#define TAIL_SEGMENT	(TAIL_LEAF * 8)
#define TAIL_DROPPED	0x1p-75 /* coefficients below are dropped at a window's ends */

#define TAIL_PIECE		8		/* coefficients that a thread computes together */

/* Above segments, terms are added up in this way: */
#define TAIL_TERMS		16		/* one after the other, ... */
#define TAIL_SUMS		16		/* so many sums of them, ... */
#define TAIL_CHUNK		(TAIL_TERMS * TAIL_SUMS)	/* and the sums of as many terms to the result */
#define TAIL_LEVELS		24		/* above segments: enough for all transactions there can be */

/* A node's window: pieces first .. end-1 of those in its slot. */
typedef struct TailNodes
{
	double	   *slots;			/* each of slot_pieces pieces */
	uint32_t	slot_pieces;
	uint32_t   *offset;			/* the support that a slot's first coefficient stands for */
	uint32_t   *first;
	uint32_t   *end;
} TailNodes;

/* A device's share of a batch.  Addresses are of device memory. */
typedef struct TailShare
{
	uint32_t	first;			/* itemset */
	uint32_t	n;
	uint32_t	nsegments;
	uint32_t	largest;		/* segments of one itemset */
	ProbabilityLists lists;		/* in segments, filled up with zeros */
	uint32_t   *start;			/* [n + 1] the nodes of each itemset begin here: of segments ... */
	uint32_t   *above;			/* ... and of the level above */
	double2    *means;			/* [nsegments] sums of their values, as unevaluated sums */
	TailNodes	nodes[2];
	TailSums   *sums;			/* [n] */
} TailShare;

/* Computes the distributions of n segments from a segment on. */
extern cudaError_t LaunchSegments(GpuDevice *device, const TailShare *share, uint32_t from, uint32_t n);

/*
 * Merges the nodes of a level two by two, but does not touch the last two of an
 * itemset: those nodes of the level above that are from .. from + n - 1.
 */
extern cudaError_t LaunchMerges(GpuDevice *device, const TailShare *share, const TailNodes *nodes,
								const TailNodes *above, uint32_t from, uint32_t n);

/* What there is to know of itemsets whose nodes are no more than two each. */
extern cudaError_t LaunchRoots(GpuDevice *device, const TailShare *share, const TailNodes *nodes,
							   const TailNodes *scratch, uint32_t minsup);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_TAILS_H */

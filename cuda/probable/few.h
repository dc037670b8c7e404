/*-------------------------------------------------------------------------
 *
 * few.h
 *	  P(support >= minsup) of itemsets of few transactions each, on the devices.
 *
 * Of such itemsets the nearest double is wanted, or a decision that depends on more
 * than a double's digits.  So the classical dynamic programme (Bernecker et al., KDD
 * 2009, section 4) runs on sums of two doubles.  All terms are positive: the result
 * is right to about 2^-92 of itself, and nearly always says which double is the
 * nearest.
 *
 * Included by judge.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_FEW_H
#define FIM_GPU_FEW_H

#include "probable/lists.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* The computed tail, an unevaluated sum; NaN if the device had no memory for it. */
typedef struct FewTail
{
	double		high;
	double		low;
} FewTail;

typedef struct FewBatch
{
	uint32_t	length;			/* columns of the longest itemset, at least 1 */
	uint32_t	n;
	const uint32_t *columns;	/* [n][length], as in lists.h; in FIM_FEW_TRANSACTIONS or fewer */
	FewTail    *tails;			/* [n] result */
} FewBatch;

/* Computes a batch, by all devices of the team. */
extern cudaError_t FewCompute(ProbableJob *job, Transactions *t, const FewBatch *batch);

/* The interval that holds the tail. */
extern FimInterval FewInterval(uint32_t length, FewTail tail);

/* Whether it is clear which double is nearest to the tail; that becomes *nearest. */
extern bool FewNearest(uint32_t length, FewTail tail, double *nearest);

/* ---- among the module's own files ---- */

/* A device's share of a batch.  Addresses are of device memory. */
typedef struct FewShare
{
	uint32_t	first;			/* itemset */
	uint32_t	n;
	ProbabilityLists lists;		/* in units of FIM_FEW_TRANSACTIONS */
	FewTail    *tails;			/* [n] */
} FewShare;

/* Computes the tails of itemsets from, from + 1, ... */
extern cudaError_t LaunchFew(GpuDevice *device, const FewShare *share, uint32_t minsup, uint32_t from,
							 uint32_t n);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_FEW_H */

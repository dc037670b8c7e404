/*-------------------------------------------------------------------------
 *
 * few.h
 *	  P(support >= minsup) of itemsets of few transactions each, on the devices.
 *
 * For such itemsets the double nearest to the probability is wanted, or a decision that
 * takes more digits than a double has.  So the classical dynamic programme (Bernecker et
 * al., KDD 2009, section 4) is computed with sums of two doubles.  Since all terms are
 * positive, the relative error of the result is about 2^-92, and the result nearly always
 * tells which double is the nearest.
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

/* The computed tail, an unevaluated sum; both parts are NaN if the devices had no memory for it. */
typedef struct FewTail
{
	double		high;
	double		low;
} FewTail;

typedef struct FewBatch
{
	uint32_t	length;			/* columns of the longest itemset, at least 1 */
	uint32_t	n;
	const uint32_t *columns;	/* [n][length], as in lists.h; each itemset is in at most
								 * FIM_FEW_TRANSACTIONS transactions */
	FewTail    *tails;			/* [n] result */
} FewBatch;

/* Computes the tails of a batch, on all devices of the team. */
extern cudaError_t FewCompute(ProbableJob *job, Transactions *t, const FewBatch *batch);

/* An interval that holds the true tail of an itemset of "length" columns. */
extern FimInterval FewInterval(uint32_t length, FewTail tail);

/* Whether it is certain which double is nearest to the true tail; if so, *nearest becomes that double. */
extern bool FewNearest(uint32_t length, FewTail tail, double *nearest);

/* ---- among the module's own files ---- */

/* A device's share of a batch.  Addresses are of device memory. */
typedef struct FewShare
{
	uint32_t	first;			/* itemset of the batch */
	uint32_t	n;				/* itemsets */
	ProbabilityLists lists;		/* one unit of FIM_FEW_TRANSACTIONS values for each itemset */
	FewTail    *tails;			/* [n] */
} FewShare;

/* Computes the tails of n itemsets of a share, from number "from" on. */
extern cudaError_t LaunchFew(GpuDevice *device, const FewShare *share, uint32_t minsup, uint32_t from,
							 uint32_t n);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_FEW_H */

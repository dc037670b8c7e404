/*-------------------------------------------------------------------------
 *
 * product.h
 *	  Products of bit matrices on the device: how many bits each pair of rows of a
 *	  matrix has in common, where these are at least minsup.
 *
 * A matrix R is multiplied with itself: the count of rows i and j is
 * popc(row i & row j), which is an element of R * R^T.  Only the part above the
 * diagonal is counted, and of that only what reaches minsup leaves the
 * multiprocessors.  A group of matrices is multiplied by one launch for each kernel
 * that they take.  For example, supports of itemsets are such counts: the matrix of a
 * prefix class has a row for each extension, and a column for each transaction.
 *
 * Everything is asynchronous on the stream that the caller gives.  Pointers that are
 * called "device" are to memory of the device and belong to the caller.  Functions
 * return the CUDA error of the call that failed, or cudaSuccess, and leave nothing
 * behind if they fail.  Only one host thread at a time may use a plan.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PRODUCT_H
#define FIM_PRODUCT_H

#include "bits/product_plan.h"

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * The bytes of scratch memory that a run needs.  Scratch memory is memory of the device,
 * aligned to 256 bytes, and belongs to the run alone until the stream has passed the run.
 */
extern size_t FimPlanScratch(const FimPlan *plan);

/* How many pairs of bits a run of the plan counts. */
extern double FimPlanTests(const FimPlan *plan);

/*
 * Multiplies the plan's matrices, which lie in a buffer "lines" of nlines lines.  A run does
 * not change the plan.
 */
extern cudaError_t FimPlanRun(const FimPlan *plan, const void *lines, uint64_t nlines,
							  uint32_t minsup, const FimCounts *counts,
							  void *scratch, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_PRODUCT_H */

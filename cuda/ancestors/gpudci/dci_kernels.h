/*-------------------------------------------------------------------------
 *
 * dci_kernels.h
 *	  Counting the candidates of gpuDCI on a device.
 *
 * Candidates come as operations in lexicographic order, and the intersections of prefixes are
 * cached.  Transaction-wise, all threads work on the same candidate, each on some of the
 * transactions, and there is one cache.  Candidate-wise, each thread block has candidates of
 * its own, contiguous ones, and a cache.
 *
 * The functions launch a kernel in the stream.  The caller has made the device the current one,
 * and checks afterwards whether the launch failed.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_DCI_KERNELS_H
#define FIM_DCI_KERNELS_H

#include "ancestors/gpudci/dci_state.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Counts the candidates of operations first .. end - 1.  The cache holds the intersections of one prefix. */
extern void DciLaunchByTransactions(const BitView *view, const Operations *batch, const PrefixCache *cache,
									uint32_t first, uint32_t end, cudaStream_t stream);

/*
 * Counts the candidates of tasks first .. end - 1 by thread blocks of 32, 64, 128 or 256
 * threads.  Each block has a cache of its own; the caches follow one another from
 * caches->chunks on.
 */
extern void DciLaunchByCandidates(const BitView *view, const Operations *batch, const PrefixCache *caches,
								  uint32_t first, uint32_t end, uint32_t blocks, uint32_t threads,
								  cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_DCI_KERNELS_H */

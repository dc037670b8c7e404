/*-------------------------------------------------------------------------
 *
 * gminer_kernels.h
 *	  What GMiner does on a device.
 *
 * The functions launch a kernel in the stream.  The caller has made the device the current one,
 * and checks afterwards whether the launch failed.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GMINER_KERNELS_H
#define FIM_GMINER_KERNELS_H

#include "ancestors/gminer/gminer_state.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Stores the view of a block in device memory, where launches for many blocks read it. */
extern void GminerSetView(const BitView *view, BitView *to, cudaStream_t stream);

/*
 * Adds the partial supports that the blocks give to candidates first .. end - 1.  views[] is
 * device memory.
 */
extern void GminerCountPartially(const BitView *views, uint32_t nviews, const Addresses *addresses,
								 uint32_t first, uint32_t end, cudaStream_t stream);

/* The most fragments of a launch, since the second dimension of a grid is limited. */
#define GMINER_MOST_FRAGMENTS	65535

/* Makes the other rows of a block's fragments from the rows of single items. */
extern void GminerFillFragments(const BitView *view, uint32_t fragment_rows, uint32_t nfragments,
								cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GMINER_KERNELS_H */

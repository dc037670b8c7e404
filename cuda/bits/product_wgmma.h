/*-------------------------------------------------------------------------
 *
 * product_wgmma.h
 *	  Products of bit matrices by 1-bit wgmma.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PRODUCT_WGMMA_H
#define FIM_PRODUCT_WGMMA_H

#include "bits/product_kernel.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* The kernels of the way, by ascending limit; the last one is for all other matrices. */
extern const FimProductKernel FimWgmmaKernels[];

/* Whether the current device runs code that was compiled for the way. */
extern cudaError_t FimWgmmaCompiled(int *compiled);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_PRODUCT_WGMMA_H */

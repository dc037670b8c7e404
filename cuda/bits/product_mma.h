/*-------------------------------------------------------------------------
 *
 * product_mma.h
 *	  Products of bit matrices by 1-bit mma.sync.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PRODUCT_MMA_H
#define FIM_PRODUCT_MMA_H

#include "bits/product_kernel.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* The kernels of the way, by ascending limit; the last one is for all other matrices. */
extern const FimProductKernel FimMmaKernels[];

/* Whether the current device runs code that was compiled for the way. */
extern cudaError_t FimMmaCompiled(int *compiled);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_PRODUCT_MMA_H */

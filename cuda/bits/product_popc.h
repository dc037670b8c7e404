/*-------------------------------------------------------------------------
 *
 * product_popc.h
 *	  Products of bit matrices by AND and POPC.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PRODUCT_POPC_H
#define FIM_PRODUCT_POPC_H

#include "bits/product_kernel.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* The kernels of the way, by ascending limit; the last one is for all other matrices. */
extern const FimProductKernel FimPopcKernels[];

#ifdef __cplusplus
}
#endif

#endif							/* FIM_PRODUCT_POPC_H */

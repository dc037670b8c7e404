/*-------------------------------------------------------------------------
 *
 * product_ways.h
 *	  The ways to multiply bit matrices, and which kernels each has.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PRODUCT_WAYS_H
#define FIM_PRODUCT_WAYS_H

#include "bits/product_kernel.h"

#ifdef __cplusplus
extern "C"
{
#endif

#define FIM_MAX_KERNELS	8		/* the most that a way has, those for small matrices included */

/* The ways to multiply.  All but the first exist only on some devices. */
typedef enum FimWay
{
	FIM_POPC,					/* AND and POPC on the CUDA cores: everywhere */
	FIM_MMA,					/* 1-bit mma.sync: from sm_80 to sm_90 */
	FIM_WGMMA					/* 1-bit wgmma: on sm_90a alone */
} FimWay;

/* A plan of products, see product_plan_state.h. */
typedef struct FimPlan FimPlan;

/* The best way that the current device has and that this library is compiled for. */
extern cudaError_t FimBestWay(FimWay *way);

/* The way's kernel for matrices of "rows" rows. */
extern const FimProductKernel *FimKernelFor(FimWay way, uint32_t rows);

/* Whether the pairs of matrices of "rows" rows can be told to a tally, see FimCounts. */
extern bool FimCanTally(FimWay way, uint32_t rows);

/*
 * Sets "kernels" to the way's kernels by ascending limit, including those that it borrows from
 * another way, and returns their number.
 */
extern int	FimKernelsOf(FimWay way, const FimProductKernel **kernels);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_PRODUCT_WAYS_H */

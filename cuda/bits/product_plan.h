/*-------------------------------------------------------------------------
 *
 * product_plan.h
 *	  Making and freeing plans of products of bit matrices.
 *
 * Included by product.h for whoever multiplies, and by product_plan_device.cu.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PRODUCT_PLAN_H
#define FIM_PRODUCT_PLAN_H

#include "bits/product_ways.h"

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * Makes a plan on the host, of matrices in host memory.  It looks for the way of cutting work that
 * ends first, which costs the host about 0.1 us for each matrix and tile.  Where that is too much,
 * FimPlanMany() makes a plan on the device (product_plan_device.h).  Of the counts only the band
 * and "both" are looked at.
 */
extern cudaError_t FimPlanMake(FimWay way, const FimMatrix *matrices, uint32_t nmatrices,
							   const FimCounts *counts, FimPlan **plan);
extern void FimPlanFree(FimPlan *plan);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_PRODUCT_PLAN_H */

/*-------------------------------------------------------------------------
 *
 * product_plan.h
 *	  Making and freeing plans of products of bit matrices.
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
 * Makes a plan on the host, for matrices in host memory.  It looks for the way to cut the work
 * that will be done first, which takes the host about 0.1 us for each matrix and tile.  Where
 * that is too long, FimPlanMany() makes a plan on the device (product_plan_device.h).  Of
 * "counts", only the band ("begin" and "end") and "both" are used.
 */
extern cudaError_t FimPlanMake(FimWay way, const FimMatrix *matrices, uint32_t nmatrices,
							   const FimCounts *counts, FimPlan **plan);
extern void FimPlanFree(FimPlan *plan);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_PRODUCT_PLAN_H */

/*-------------------------------------------------------------------------
 *
 * plan.h
 *	  Strategy "auto" on devices: which part of a product is left to bit matrices.
 *
 * It is the part of the values with most keys, of both sides, that saves most by what paths and
 * bits are expected to cost; the rest belongs to rows.
 *
 * Included by sets.c, plan.c and plan_kernels.cu.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SETS_PLAN_ON_DEVICE_H
#define FIM_SETS_PLAN_ON_DEVICE_H

#include "sets/sets_job.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Chooses the dense part, and says in the summary what was expected. */
extern cudaError_t PlanDensePart(SetsJob *job, DensePart *dense);

/* What it takes of a device's memory. */
#define PLAN_MEMORY		(FIM_SETS_LEVELS * sizeof(uint64_t))

/*
 * Adds to paths[level] the paths between the first 1/2^level of the values of both sides, of every step-th left
 * value.
 */
extern cudaError_t CountLevelPaths(GpuDevice *device, const Relations *relations, uint32_t step,
								   unsigned long long *paths);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_SETS_PLAN_ON_DEVICE_H */

/*-------------------------------------------------------------------------
 *
 * plan.h
 *	  Strategy "auto" on devices: which part of a product is left to bit matrices, or whether all
 *	  of it is to strategy "prefix".
 *
 * It is the part of the values with most keys, of both sides, that saves most by what paths and
 * bits are expected to cost; the rest belongs to rows.  Similar sets may be expected to take less by
 * their rarest keys.
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

/*
 * Chooses the dense part if that is clear from what the host knows: all of it, if bits are expected to
 * take less than rows would take at the least, or nothing, if no part would save anything even
 * if it had all paths.
 */
extern cudaError_t PlanAtOnce(SetsJob *job, DensePart *dense, bool *planned);

/*
 * The same by the paths of a sample, which needs the relations by key.  Chooses the dense part, or
 * strategy "prefix" for everything, and says in the summary what was expected.
 */
extern cudaError_t PlanTask(SetsJob *job, DensePart *dense, bool *by_prefix);

/*
 * Adds to paths[level] the paths between the first 1/2^level of the values of both sides, of one in "step" left
 * pairs.
 */
extern cudaError_t CountLevelPaths(GpuDevice *device, const Relations *relations, uint64_t step,
								   unsigned long long *paths);

/* length[i] becomes how many right values have key[i]; device addresses. */
extern cudaError_t FindKeyLengths(GpuDevice *device, const Relations *relations, const uint32_t *key, uint32_t n,
								  uint64_t *length);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_SETS_PLAN_ON_DEVICE_H */

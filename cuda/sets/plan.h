/*-------------------------------------------------------------------------
 *
 * plan.h
 *	  Strategy "auto" on devices: which part of a product is left to bit matrices, or whether
 *	  strategy "prefix" does all of it.
 *
 * The parts to choose from are made of the values of both sides that have most keys.  The one that
 * is expected to save most, by the costs of paths and of bits, becomes the dense part; the other
 * cells belong to rows.  For similar sets, strategy "prefix" is taken if it is expected to take less.
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
 * Chooses the dense part if the host knows enough to do so; *planned says whether it does.  That is
 * all cells, if bits are expected to take less than rows would take at the least, or none, if
 * no part would save anything even if all paths were in it.
 */
extern cudaError_t PlanAtOnce(SetsJob *job, DensePart *dense, bool *planned);

/*
 * Chooses the dense part by the paths of a sample, or strategy "prefix" for all cells.  Writes the
 * expected times to the summary.  The right relation must have been sorted by key.
 */
extern cudaError_t PlanBySample(SetsJob *job, DensePart *dense, bool *by_prefix);

/*
 * Adds to paths[level], which is device memory, the number of paths between the first 1/2^level of the values
 * of both sides, for one left pair in "step".
 */
extern cudaError_t CountLevelPaths(GpuDevice *device, const Relations *relations, uint64_t step,
								   unsigned long long *paths);

/* Sets length[i] to the number of right values that have key[i], for n keys; the arrays are device memory. */
extern cudaError_t FindKeyLengths(GpuDevice *device, const Relations *relations, const uint32_t *key, uint32_t n,
								  uint64_t *length);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_SETS_PLAN_ON_DEVICE_H */

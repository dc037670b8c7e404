/*-------------------------------------------------------------------------
 *
 * product_plan_device.h
 *	  Plans that the device makes, of many matrices.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PRODUCT_PLAN_DEVICE_H
#define FIM_PRODUCT_PLAN_DEVICE_H

#include "bits/product_ways.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Bytes of device memory, aligned to 256, that FimPlanMany() needs while it runs. */
#define FIM_SURVEY_BYTES	1024

/* Like FimPlanMake(), for matrices on the device and without bands.  It waits for the stream. */
extern cudaError_t FimPlanMany(FimWay way, const FimMatrices *matrices, void *survey,
							   cudaStream_t stream, FimPlan **plan);

/*
 * For running a plan of FimPlanMany(): writes its matrices and ranges.  "counters" is device
 * memory that has been zeroed, 2 * FIM_MAX_KERNELS numbers.
 */
extern cudaError_t FimFillPlan(const FimPlan *plan, FimMatrix *matrices, FimRange *ranges,
							   uint32_t *counters, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_PRODUCT_PLAN_DEVICE_H */

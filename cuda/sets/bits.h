/*-------------------------------------------------------------------------
 *
 * bits.h
 *	  Strategy "bits": products of bit matrices.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SETS_BITS_ON_DEVICE_H
#define FIM_SETS_BITS_ON_DEVICE_H

#include "bits/product_ways.h"
#include "sets/sets_job.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Finds all cells of the dense part. */
extern cudaError_t BitsMine(SetsJob *job, const DensePart *dense);

/* The least memory that it needs on each device, beside relations and strips. */
extern uint64_t BitsLeast(const FimSetsData *data);

/* Sets *way to the best way to multiply that all devices have. */
extern cudaError_t BitsWay(const SetsJob *job, FimWay *way);

/* The time in milliseconds that the cells of the part are expected to take. */
extern double BitsMs(const SetsJob *job, FimWay way, const DensePart *dense);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_SETS_BITS_ON_DEVICE_H */

/*-------------------------------------------------------------------------
 *
 * bits.h
 *	  Strategy "bits": products of bit matrices.
 *
 * Included by sets.c and plan.c.
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

/* The cells of the dense part. */
extern cudaError_t BitsMine(SetsJob *job, const DensePart *dense);

/* What it takes of a device's memory, at the least. */
extern uint64_t BitsLeast(const FimSetsData *data);

/* The best way to multiply that all devices have. */
extern cudaError_t BitsWay(const SetsJob *job, FimWay *way);

/* Whether the cells of a task that has bits for all of it need not be in memory. */
extern bool BitsMayTally(const SetsJob *job);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_SETS_BITS_ON_DEVICE_H */

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

/* Whether the cells of a product need not be in memory, if nothing but their number is wanted. */
extern bool BitsMayTally(const SetsJob *job);

/* ---- bits_cost.c ---- */

/*
 * Whether looking for a common bit of each pair (AnyInCommon()) is expected to take less than counting all
 * common bits: only where numbers of witnesses do not matter.
 */
extern bool BitsLookForAny(const SetsJob *job, FimWay way, const DensePart *dense);

/* What the cells of the part are expected to take, in ms. */
extern double BitsMs(const SetsJob *job, FimWay way, const DensePart *dense);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_SETS_BITS_ON_DEVICE_H */

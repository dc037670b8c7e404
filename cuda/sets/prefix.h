/*-------------------------------------------------------------------------
 *
 * prefix.h
 *	  Strategy "prefix" on devices: similar sets by their rarest keys.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SETS_PREFIX_ON_DEVICE_H
#define FIM_SETS_PREFIX_ON_DEVICE_H

#include "sets/sets_job.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Finds all cells of a task that is to find similar sets. */
extern cudaError_t PrefixMine(SetsJob *job);

/* The least memory that it needs on each device, beside relations and strips. */
extern uint64_t PrefixLeast(const FimSetsJob *asked, const FimSetsData *data);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_SETS_PREFIX_ON_DEVICE_H */

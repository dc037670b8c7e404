/*-------------------------------------------------------------------------
 *
 * batmap.h
 *	  Strategy "batmap" on devices: sets as tables that intersect position by position.
 *
 * doc/batmap.md says which part of the paper is which function.
 *
 * Included by sets.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SETS_BATMAP_ON_DEVICE_H
#define FIM_SETS_BATMAP_ON_DEVICE_H

#include "sets/sets_job.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* All cells of the product. */
extern cudaError_t BatmapMine(SetsJob *job);

/* What it takes of a device's memory, at the least. */
extern uint64_t BatmapLeast(const FimSetsData *data);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_SETS_BATMAP_ON_DEVICE_H */

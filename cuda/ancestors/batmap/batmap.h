/*-------------------------------------------------------------------------
 *
 * batmap.h
 *	  Strategy "batmap" on devices: sets as tables that intersect position by position.
 *
 * doc/ancestors/batmap.md says which part of the paper is which function.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SETS_BATMAP_ON_DEVICE_H
#define FIM_SETS_BATMAP_ON_DEVICE_H

#include "sets/sets.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Finds all cells of the product. */
extern cudaError_t BatmapMine(SetsJob *job);

/* The least memory that it needs on each device, beside relations and strips. */
extern uint64_t BatmapLeast(const FimSetsData *data);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_SETS_BATMAP_ON_DEVICE_H */

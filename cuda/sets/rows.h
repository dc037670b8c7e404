/*-------------------------------------------------------------------------
 *
 * rows.h
 *	  Strategy "rows": the right values of all keys of a left value are thrown into an
 *	  accumulator.
 *
 * Included by sets.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SETS_ROWS_ON_DEVICE_H
#define FIM_SETS_ROWS_ON_DEVICE_H

#include "sets/sets_job.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* All cells that do not belong to the dense part. */
extern cudaError_t RowsMine(SetsJob *job, const DensePart *dense);

/* What it takes of a device's memory, at the least. */
extern uint64_t RowsLeast(const FimSetsData *data);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_SETS_ROWS_ON_DEVICE_H */

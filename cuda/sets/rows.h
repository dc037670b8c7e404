/*-------------------------------------------------------------------------
 *
 * rows.h
 *	  Strategy "rows": for each left value, the right values of all its keys are counted in
 *	  accumulators.
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

/* Finds all cells that do not belong to the dense part. */
extern cudaError_t RowsMine(SetsJob *job, const DensePart *dense);

/* The least memory that it needs on each device, beside relations and strips. */
extern uint64_t RowsLeast(const FimSetsData *data);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_SETS_ROWS_ON_DEVICE_H */

/*-------------------------------------------------------------------------
 *
 * columns.h
 *	  Which items are mined: the columns of the devices' bitmaps.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_COLUMNS_H
#define FIM_GPU_COLUMNS_H

#include "probable/probable_job.h"

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * Fills in the job's columns: the items that are in at least job->least_count transactions,
 * the rarest first, and the required ones.  If "keep" is true, all devices keep the items of
 * all entries, in job->device_items, until ItemsFree().
 */
extern cudaError_t ColumnsChoose(ProbableJob *job, bool keep);

/* Frees the items that devices keep. */
extern cudaError_t ItemsFree(ProbableJob *job);

/* ---- among the module's own files ---- */

/*
 * Counts n items: adds the number of times that item i occurs to counts[i].  The device must be the
 * current one, and the arrays are in its memory.
 */
extern cudaError_t LaunchCountItems(GpuDevice *device, const uint32_t *items, uint32_t n, uint32_t *counts,
									uint32_t nitems);

/* Copies n items from an array of 16 bits each to one of 32 bits; the same conditions hold. */
extern cudaError_t LaunchWidenItems(GpuDevice *device, const uint16_t *narrow, uint32_t n, uint32_t *items);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_COLUMNS_H */

/*-------------------------------------------------------------------------
 *
 * columns.h
 *	  Which items are mined: the columns of the devices' bitmaps.
 *
 * Included by probable.c and transactions.c.
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
 * Fills in the job's columns: items that are in enough transactions, the rarest first.
 * The devices keep the items of all entries from then on, if that is wanted.
 */
extern cudaError_t ColumnsChoose(ProbableJob *job, bool keep);

/* Frees the items that devices keep. */
extern cudaError_t ItemsFree(ProbableJob *job);

/* ---- among the module's own files ---- */

/* Adds the number of times that each item is among n to its count, on a device that is the current one. */
extern cudaError_t LaunchCountItems(GpuDevice *device, const uint32_t *items, uint32_t n, uint32_t *counts,
									uint32_t nitems);

/* Writes n items as numbers of 32 bits, on a device that is the current one. */
extern cudaError_t LaunchWidenItems(GpuDevice *device, const uint16_t *narrow, uint32_t n, uint32_t *items);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_COLUMNS_H */

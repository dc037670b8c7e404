/*-------------------------------------------------------------------------
 *
 * columns.h
 *	  Which items are mined: the columns of the devices' bitmaps.
 *
 * Included by probable.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_COLUMNS_H
#define FIM_GPU_COLUMNS_H

#include "probable/probable_job.h"

/* Fills in the job's columns: items that are in enough transactions, the rarest first. */
extern cudaError_t ColumnsChoose(ProbableJob *job);

#endif							/* FIM_GPU_COLUMNS_H */

/*-------------------------------------------------------------------------
 *
 * dense.h
 *	  Finding cells in a matrix of numbers of witnesses, as strips, see strips.h.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_DENSE_H
#define FIM_DENSE_H

#include "sets/strips.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* count[i * stride + j] is the number of witnesses of left rank row + i and right rank column + j. */
typedef struct DenseCounts
{
	const uint32_t *count;		/* device */
	uint64_t	stride;
	uint32_t	row;
	uint32_t	rows;
	uint32_t	column;
	uint32_t	columns;
} DenseCounts;

/* The two steps of a Finder.  The matrix must not change between DenseCount() and DenseFill(). */
extern cudaError_t DenseCount(SetsJob *job, SetsDevice *on, const DenseCounts *dense, const StripCounts *counts,
							  Strips *strips);
extern cudaError_t DenseFill(SetsJob *job, SetsDevice *on, const DenseCounts *dense, const Strips *strips,
							 uint32_t from, uint32_t to, const CellTarget *target);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_DENSE_H */

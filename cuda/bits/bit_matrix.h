/*-------------------------------------------------------------------------
 *
 * bit_matrix.h
 *	  Bit matrices on the device, and their layout.
 *
 * A matrix lies in slabs.  A slab has 1024 of the matrix's columns: one line of 128 bytes for
 * each row, the rows one after the other without gaps.  The slabs of a matrix follow one
 * another, and all matrices of a group lie in one buffer of lines.  So word w (of 32 bits, of
 * which the lowest is the first column) of row r is in line
 *
 *		matrix->line + w / 32 * matrix->rows + r, at word w % 32,
 *
 * and slabs, the tiles of a product and the parts of a sum that different blocks compute are
 * all contiguous in memory.  Bits of a row beyond its last column must be zero.  The number of
 * rows need not be padded.
 *
 * A matrix may have any number of rows, but the buffer has at most FIM_MAX_LINES
 * lines, and a count must fit in 32 bits.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_BIT_MATRIX_H
#define FIM_BIT_MATRIX_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FIM_SLAB_BITS	1024
#define FIM_LINE_BYTES	128
#define FIM_MAX_LINES	INT32_MAX

/* Marks a function that both the host and the device call. */
#ifdef __CUDACC__
#define FIM_HOST_DEVICE __host__ __device__
#else
#define FIM_HOST_DEVICE
#endif

#ifdef __cplusplus
extern "C"
{
#endif

/* The number of slabs that "bits" columns take. */
static inline FIM_HOST_DEVICE uint32_t
FimSlabs(uint64_t bits)
{
	return (uint32_t) ((bits + FIM_SLAB_BITS - 1) / FIM_SLAB_BITS);
}

typedef struct FimMatrix
{
	uint64_t	line;			/* the number of its first line in the buffer */
	uint64_t	count;			/* the number of its first count, see FimCounts */
	uint32_t	rows;
	uint32_t	slabs;
	uint32_t	first;			/* the caller's number for the first row */
	uint32_t	skip;			/* the first "skip" rows are not paired with one another */
} FimMatrix;

/* An array of matrices on the device, each "stride" bytes after the one before it. */
typedef struct FimMatrices
{
	const FimMatrix *matrices;	/* device */
	size_t		stride;
	uint32_t	n;
	uint64_t	line;			/* subtracted from the "line" of each matrix */
	uint64_t	count;			/* subtracted from the "count" of each matrix */
} FimMatrices;

#ifdef __cplusplus
}
#endif

#ifdef __CUDACC__

#define FIM_LINE_WORDS	(FIM_LINE_BYTES / 4)

/* The address of word w of a matrix's first row; that of row r is r lines further. */
static __device__ __forceinline__ const uint32_t *
FimWord(const uint32_t *lines, const FimMatrix &of, uint32_t w)
{
	return lines + (of.line + (uint64_t) (w / FIM_LINE_WORDS) * of.rows) * FIM_LINE_WORDS +
		w % FIM_LINE_WORDS;
}

#endif							/* __CUDACC__ */

#endif							/* FIM_BIT_MATRIX_H */

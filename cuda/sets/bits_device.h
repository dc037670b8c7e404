/*-------------------------------------------------------------------------
 *
 * bits_device.h
 *	  Strategy "bits" on a device: sets as rows of bits, and whether two rows have any bit in common.
 *
 * A stack is a bit matrix (bits/bit_matrix.h) whose rows are left and right values; its columns are
 * keys.
 *
 * All functions put their work into the device's counting stream.  The device must be the
 * current one.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_BITS_DEVICE_H
#define FIM_BITS_DEVICE_H

#include "bits/bit_matrix.h"
#include "sets/relations.h"

#ifdef __cplusplus
extern "C"
{
#endif

typedef struct BitStack
{
	uint32_t   *lines;			/* [slabs][rows] lines; device memory */
	uint32_t	rows;
	uint32_t	slabs;
} BitStack;

/*
 * Sets the bits of a side's values from .. to - 1 in the rows row, row + 1, ... , whose bits must be 0
 * before.
 */
extern cudaError_t PackRows(GpuDevice *device, const DeviceSide *side, uint32_t from, uint32_t to,
							const BitStack *stack, uint32_t row);

/* Pairs of rows of a stack: nleft rows from "left" on with nright rows from "right" on. */
typedef struct AnyTile
{
	BitStack	stack;
	uint32_t	left;
	uint32_t	nleft;
	uint32_t	right;
	uint32_t	nright;
	uint64_t	stride;			/* from one left row's counts to those of the next */
} AnyTile;

/*
 * Sets count[i * stride + j] to 1 if rows left + i and right + j have a bit in common, and to 0 if not.  A
 * block of threads is done when all of its pairs have one (Huang and Chen, DIM3, arXiv 2206.04995, call
 * that early stopping).
 */
extern cudaError_t AnyInCommon(GpuDevice *device, const AnyTile *tile, uint32_t *count);

/*
 * Sets count[i * stride + i] to the size of set first + i of the side, or to 0 if that is below "least", for
 * i below n.
 */
extern cudaError_t CountSelves(GpuDevice *device, const DeviceSide *side, uint32_t first, uint32_t n, uint32_t least,
							   uint32_t *count, uint64_t stride);

/* Adds to *results, which is device memory, how many of n sets from "first" on have at least "least" keys. */
extern cudaError_t TallySelves(GpuDevice *device, const DeviceSide *side, uint32_t first, uint32_t n, uint32_t least,
							   unsigned long long *results);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_BITS_DEVICE_H */

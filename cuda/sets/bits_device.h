/*-------------------------------------------------------------------------
 *
 * bits_device.h
 *	  Strategy "bits" on a device: sets as rows of bits, and whether two rows have any bit in common.
 *
 * A stack is a bit matrix (bits/bit_matrix.h) whose rows are left and right values; its columns are
 * keys.
 *
 * All functions put their work into the device's counting stream; the device is the current
 * one.
 *
 * Included by bits.c and bits_kernels.cu.
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
	uint32_t   *lines;			/* device, slabs * rows lines */
	uint32_t	rows;
	uint32_t	slabs;
} BitStack;

/* Sets the bits of the values from .. to - 1 of a side in the rows from "row" on, which are zero. */
extern cudaError_t PackRows(GpuDevice *device, const DeviceSide *side, uint32_t from, uint32_t to,
							const BitStack *stack, uint32_t row);

/* Rows of a stack with other rows of it. */
typedef struct AnyTile
{
	BitStack	stack;
	uint32_t	left;			/* the first one of these rows ... */
	uint32_t	nleft;			/* ... and how many there are */
	uint32_t	right;
	uint32_t	nright;
	uint64_t	stride;			/* of counts */
} AnyTile;

/*
 * count[i * stride + j] becomes 1 if rows left + i and right + j have a bit in common, and 0 if not.  A
 * block leaves its cells when all of them are set (Huang and Chen, DIM3, arXiv 2206.04995, call that
 * early stopping).
 */
extern cudaError_t AnyInCommon(GpuDevice *device, const AnyTile *tile, uint32_t *count);

/* count[i * stride + i] becomes the size of left set first + i, for n of them, where that is at least "least". */
extern cudaError_t CountSelves(GpuDevice *device, const DeviceSide *side, uint32_t first, uint32_t n, uint32_t least,
							   uint32_t *count, uint64_t stride);

/* Adds to *results (device) how many of n sets from the first on have at least so many elements. */
extern cudaError_t TallySelves(GpuDevice *device, const DeviceSide *side, uint32_t first, uint32_t n, uint32_t least,
							   unsigned long long *results);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_BITS_DEVICE_H */

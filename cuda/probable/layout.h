/*-------------------------------------------------------------------------
 *
 * layout.h
 *	  How uncertain transactions lie on a device.
 *
 * A block of transactions lies in slabs of 1024.  Of each column, a slab has
 * a line, 128 bytes in which a bit says whether the transaction has the item with a
 * probability above 0:
 *
 *		lines[(slab * ncolumns + column) * 32 + word]
 *
 * That is the layout of a matrix of bits/product.h.  Beside the lines are the
 * probabilities: of the transactions, or of the bits that are set in a line, one after
 * the other from values[value_at[slab * ncolumns + column]] on.
 *
 * The device of all functions is the current one.
 *
 * Included by transactions.h and the files that lay transactions out.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_LAYOUT_H
#define FIM_LAYOUT_H

#include "bits/product.h"
#include "device.h"

#ifdef __cplusplus
extern "C"
{
#endif

#define LINE_WORDS		(FIM_SLAB_BITS / 32)

/* A block of transactions on a device.  All addresses are of device memory. */
typedef struct UncertainBlock
{
	uint32_t	ncolumns;
	uint32_t	nslabs;
	uint32_t   *lines;			/* [nslabs][ncolumns][LINE_WORDS] */
	double	   *row_p;			/* [nslabs * FIM_SLAB_BITS], or NULL under attribute uncertainty */
	uint64_t   *value_at;		/* [nslabs * ncolumns + 1], or NULL under tuple uncertainty */
	double	   *values;
} UncertainBlock;

/* What a device has beside its block, to lay it out. */
typedef struct Layout
{
	uint32_t   *column_of;		/* [data->nitems] */
	uint32_t   *items;			/* of a piece: rows that are sent together */
	double	   *p;				/* [entries of a piece], under attribute uncertainty */
	uint32_t   *starts;			/* [rows of a piece + 1] into the piece's items */
	uint32_t   *ell;			/* [ell_room] */
	uint32_t   *counts;			/* [lines of a piece + 1] the bits of each */
	void	   *scratch;		/* for CUB */
	size_t		scratch_bytes;
} Layout;

/*
 * ELL format: cell j * nrows + r is the column of the j-th item of row r, or GPU_NONE.
 * The piece's rows begin at first_row of the block, both counts being multiples of 32
 * but for the last.
 */
extern cudaError_t LayOutEll(GpuDevice *device, const Layout *layout, uint32_t from, uint32_t nrows,
							 uint32_t width);
extern cudaError_t LayOutLines(GpuDevice *device, const UncertainBlock *block, const Layout *layout,
							   uint64_t first_row, uint32_t nrows, uint32_t width);

/* Counts the bits of lines into the layout's counts; behind them comes a 0. */
extern cudaError_t CountBits(GpuDevice *device, const UncertainBlock *block, const Layout *layout,
							 uint64_t first_line, uint64_t nlines);

/* Where the values of so many slabs' lines begin, which follow those of the slabs before. */
extern cudaError_t PlaceValues(GpuDevice *device, const UncertainBlock *block, const Layout *layout,
							   uint32_t first_slab, uint32_t nslabs);
extern cudaError_t LayOutValues(GpuDevice *device, const UncertainBlock *block, const Layout *layout,
								uint64_t first_row, uint32_t from, uint32_t nrows, uint32_t width);

/* Scratch that PlaceValues() needs for so many lines. */
extern cudaError_t PlacingScratch(uint64_t nlines, size_t *bytes);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_LAYOUT_H */

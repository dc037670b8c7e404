/*-------------------------------------------------------------------------
 *
 * layout.h
 *	  How uncertain transactions lie on a device.
 *
 * A block of transactions is divided into slabs of 1024.  A slab has a line for each
 * column: 128 bytes, with a bit for each transaction that says whether it has the item
 * with a probability above 0:
 *
 *		lines[(slab * ncolumns + column) * 32 + word]
 *
 * That is the layout of a matrix of bits/product.h.  Under tuple uncertainty there is
 * one probability for each transaction, in row_p.  Under attribute uncertainty there is
 * one for each bit that is set; those of a line follow one another from
 * values[value_at[slab * ncolumns + column]] on.
 *
 * The device that a function is given must be the current one.
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

/* Device memory that is used to lay out a block.  A piece is some rows that are sent together. */
typedef struct Layout
{
	uint32_t   *column_of;		/* [data->nitems] the job's, see ProbableJob */
	uint32_t   *items;			/* [entries of a piece] */
	double	   *p;				/* [entries of a piece], under attribute uncertainty */
	uint32_t   *starts;			/* [rows of a piece + 1] into the piece's items */
	uint32_t   *ell;			/* [ell_room] rows in ELL format, see LayOutEll() */
	uint32_t   *counts;			/* [lines of a piece + 1] bits that are set in each line */
	void	   *scratch;		/* for CUB */
	size_t		scratch_bytes;
} Layout;

/*
 * LayOutEll() writes nrows rows of a piece, from its row "from" on, in ELL format: cell
 * j * nrows + r is the column of the j-th item of row r, or GPU_NONE, for j below width.
 * LayOutLines() then sets the bits of these rows, which are rows first_row,
 * first_row + 1, ... of the block; the block's bits must be 0 before.
 * first_row and nrows are multiples of 32, except nrows in a block's last rows.
 */
extern cudaError_t LayOutEll(GpuDevice *device, const Layout *layout, uint32_t from, uint32_t nrows,
							 uint32_t width);
extern cudaError_t LayOutLines(GpuDevice *device, const UncertainBlock *block, const Layout *layout,
							   uint64_t first_row, uint32_t nrows, uint32_t width);

/* Writes the number of bits set in each of nlines lines to the layout's counts, and a 0 behind them. */
extern cudaError_t CountBits(GpuDevice *device, const UncertainBlock *block, const Layout *layout,
							 uint64_t first_line, uint64_t nlines);

/*
 * Under attribute uncertainty, PlaceValues() sets value_at for nslabs slabs: their values follow
 * those of the slabs before, for which value_at must be set.  LayOutValues() then writes the
 * probabilities of rows of these slabs; the rows must still be in the layout's ELL.
 */
extern cudaError_t PlaceValues(GpuDevice *device, const UncertainBlock *block, const Layout *layout,
							   uint32_t first_slab, uint32_t nslabs);
extern cudaError_t LayOutValues(GpuDevice *device, const UncertainBlock *block, const Layout *layout,
								uint64_t first_row, uint32_t from, uint32_t nrows, uint32_t width);

/* Sets *bytes to the scratch memory that PlaceValues() needs for nlines lines. */
extern cudaError_t PlacingScratch(uint64_t nlines, size_t *bytes);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_LAYOUT_H */

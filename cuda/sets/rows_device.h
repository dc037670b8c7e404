/*-------------------------------------------------------------------------
 *
 * rows_device.h
 *	  Strategy "rows" on a device: rows in an order of their kinds, and the kernels of each kind.
 *
 * A row's paths say where its accumulators are.  They lie in shared memory: those of a row with few
 * paths in a hash table, of a warp or of a block, and those of other rows in windows, which are
 * so many right values that their accumulators fit, each a bit, a byte, or two or four bytes; a block
 * does one window of one row.  A row with so many paths that a block would take too long, a heavy
 * one, is counted by many blocks in device memory, and goes on as a matrix (dense.h).
 *
 * All functions put their work into the device's counting stream; the device is the current
 * one.
 *
 * Included by rows.c and by the files with these functions.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_ROWS_DEVICE_H
#define FIM_ROWS_DEVICE_H

#include "sets/strips.h"

#ifdef __cplusplus
extern "C"
{
#endif

typedef enum RowKind
{
	ROW_EMPTY,
	ROW_OF_WARP,				/* a hash table of a warp */
	ROW_OF_BLOCK,				/* a hash table of a block */
	ROW_OF_BITS,				/* windows; only existence matters */
	ROW_OF_BYTES,
	ROW_OF_HALVES,
	ROW_OF_WORDS,
	ROW_HEAVY,
	ROW_KINDS
} RowKind;

#define WINDOW_WORDS		8192	/* of accumulators, 32 kB */

#define WARP_PATHS			256	/* most paths of a row of a warp */
#define BLOCK_PATHS			2048	/* ... and of a block */
#define HEAVY_PATHS			(UINT64_C(1) << 22)	/* more than these make a row heavy */

/*
 * What a row costs, in paths, beside its paths; and each of its windows.  A unit of about so much has
 * at most STRIPS_AT_ONCE strips then, and takes some milliseconds.
 */
#define ROW_COST			256
#define WINDOW_COST			2048
#define UNIT_COST			(UINT64_C(1) << 27)

/* The cells of rows, given to kernels by value. */
typedef struct RowCells
{
	Relations	relations;
	DensePart	dense;			/* its cells are left out */
	uint32_t	columns;		/* right ranks from here on have too few keys, unless sets are to be similar */
	uint32_t   *end;			/* [left.nvalues] cells of a row are below this */
} RowCells;

/* Rows on a device. */
typedef struct RowOrder
{
	uint8_t    *kind[2];		/* [left.nvalues] as they are found, and sorted */
	uint32_t   *row[2];			/* [left.nvalues] likewise */
	uint64_t   *cost;			/* [left.nvalues] by row; 0 for a heavy one */
	uint64_t   *sum;			/* [left.nvalues] of costs, in order, up to each row */
	uint32_t   *first;			/* [ROW_KINDS + 1] where each kind begins in the order */
	void	   *scratch;
	size_t		scratch_bytes;
} RowOrder;

/* The windows of a row of a kind, 1 if it has a hash table. */
extern uint32_t WindowsOf(RowKind kind, uint32_t right_values);

/* Sets the end, the kind and the cost of rows. */
extern cudaError_t ClassifyRows(GpuDevice *device, const RowCells *cells, const RowOrder *order);

/* Sorts rows by kind, and adds up their costs. */
extern cudaError_t RowOrderScratch(uint32_t n, size_t *bytes);
extern cudaError_t OrderRows(GpuDevice *device, const RowOrder *order, uint32_t n);

/* cut[u] becomes the first place whose sum is at least u * UNIT_COST, for u below ncuts. */
extern cudaError_t CutRows(GpuDevice *device, const RowOrder *order, uint32_t n, uint32_t *cut, uint32_t ncuts);

/* The two steps of a Finder, for rows of one kind that is not heavy. */
extern cudaError_t CountRows(GpuDevice *device, const RowCells *cells, RowKind kind, const Strips *strips,
							 const StripCounts *counts);
extern cudaError_t FillRows(GpuDevice *device, const RowCells *cells, RowKind kind, const Strips *strips,
							uint32_t from, uint32_t to, const CellTarget *target);

/*
 * Adds the paths of some keys of a row, keys first .. end - 1 of all the left values' ones, to
 * counters of the right ranks "from" to "to" - 1, as far as the row has such cells.
 */
extern cudaError_t AddHeavyPaths(GpuDevice *device, const RowCells *cells, uint32_t row, uint64_t first, uint64_t end,
								 uint32_t from, uint32_t to, uint32_t *count);

#ifdef __cplusplus
}
#endif

#ifdef __CUDACC__

/* The first cell of a row. */
static __device__ __forceinline__ uint32_t
RowBegin(const RowCells &cells, uint32_t row)
{
	const CellRule &rule = cells.relations.rule;
	uint32_t	from = rule.one ? row + (rule.result != FIM_SETS_PRODUCT) : 0;

	return row < cells.dense.left ? max(from, cells.dense.right) : from;
}

#endif							/* __CUDACC__ */

#endif							/* FIM_ROWS_DEVICE_H */

/*-------------------------------------------------------------------------
 *
 * rows_device.h
 *	  Strategy "rows" on a device: rows in the order of their kinds, and the kernels of each kind.
 *
 * The kind of a row says where its accumulators are, and depends on how many paths the row has.
 * Accumulators lie in shared memory.  A row with few paths has a hash table, which belongs to a warp
 * or to a block of threads.  Other rows are done in windows: a window is as many right values as
 * there is room for their accumulators, of a bit, one byte, two or four bytes each.  A block does one
 * window of one row.  A heavy row, one with so many paths that a block would take too long, is
 * counted by many blocks in device memory; its cells are then found in that array as in a matrix
 * (dense.h).
 *
 * All functions put their work into the device's counting stream.  The device must be the
 * current one.
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
	ROW_EMPTY,					/* no paths */
	ROW_OF_WARP,				/* a hash table of a warp */
	ROW_OF_BLOCK,				/* a hash table of a block */
	ROW_OF_BITS,				/* windows of bits; only existence matters */
	ROW_OF_BYTES,				/* windows of bytes, ... */
	ROW_OF_HALVES,				/* ... of two bytes, ... */
	ROW_OF_WORDS,				/* ... and of four bytes for each right value */
	ROW_HEAVY,
	ROW_KINDS
} RowKind;

#define WINDOW_WORDS		8192	/* words of accumulators of a window, 32 kB */

#define WARP_PATHS			256	/* most paths of a row of a warp */
#define BLOCK_PATHS			2048	/* most paths of a row of a block */
#define HEAVY_PATHS			(UINT64_C(1) << 22)	/* a row with more paths is heavy */

/*
 * Costs, in the time that a path takes: of a row beside its paths, of each of its windows, and about
 * that of a unit of rows.  With these numbers a unit has at most STRIPS_AT_ONCE strips, and takes some
 * milliseconds.
 */
#define ROW_COST			256
#define WINDOW_COST			2048
#define UNIT_COST			(UINT64_C(1) << 27)

/* Which cells rows have.  Given to kernels by value. */
typedef struct RowCells
{
	Relations	relations;
	DensePart	dense;			/* its cells are left out */
	uint32_t	columns;		/* right ranks from here on have too few keys, but for similar sets */
	uint32_t   *end;			/* [left.nvalues] the right ranks of a row's cells are below this */
} RowCells;

/* The rows in the order of their kinds; device memory.  Places are those in this order. */
typedef struct RowOrder
{
	uint8_t    *kind[2];		/* [left.nvalues] kinds of rows: [0] by row, [1] by place */
	uint32_t   *row[2];			/* [left.nvalues] the rows themselves, likewise */
	uint64_t   *cost;			/* [left.nvalues] by row; 0 for a heavy one */
	uint64_t   *sum;			/* [left.nvalues] by place: the costs of all rows up to this one */
	uint32_t   *first;			/* [ROW_KINDS + 1] the place where each kind begins */
	void	   *scratch;
	size_t		scratch_bytes;
} RowOrder;

/* The number of windows of a row of a kind; 1 if it has a hash table. */
extern uint32_t WindowsOf(RowKind kind, uint32_t right_values);

/* Sets the end, the kind and the cost of each row. */
extern cudaError_t ClassifyRows(GpuDevice *device, const RowCells *cells, const RowOrder *order);

/* OrderRows() sorts the n rows by kind, and adds up their costs, with scratch memory of RowOrderScratch(). */
extern cudaError_t RowOrderScratch(uint32_t n, size_t *bytes);
extern cudaError_t OrderRows(GpuDevice *device, const RowOrder *order, uint32_t n);

/* Sets cut[u] to the first place whose sum is at least u * UNIT_COST, for u below ncuts. */
extern cudaError_t CutRows(GpuDevice *device, const RowOrder *order, uint32_t n, uint32_t *cut, uint32_t ncuts);

/* The two steps of a Finder, for rows of one kind other than ROW_HEAVY. */
extern cudaError_t CountRows(GpuDevice *device, const RowCells *cells, RowKind kind, const Strips *strips,
							 const StripCounts *counts);
extern cudaError_t FillRows(GpuDevice *device, const RowCells *cells, RowKind kind, const Strips *strips,
							uint32_t from, uint32_t to, const CellTarget *target);

/*
 * Adds the paths of some of a row's keys, left.key[first .. end - 1], to counters of the right ranks
 * from .. to - 1: count[i] is that of rank from + i.  Ranks that are no cells of the row are left out.
 */
extern cudaError_t AddHeavyPaths(GpuDevice *device, const RowCells *cells, uint32_t row, uint64_t first, uint64_t end,
								 uint32_t from, uint32_t to, uint32_t *count);

#ifdef __cplusplus
}
#endif

#ifdef __CUDACC__

/* The right rank of the first cell of a row. */
static __device__ __forceinline__ uint32_t
RowBegin(const RowCells &cells, uint32_t row)
{
	const CellRule &rule = cells.relations.rule;
	uint32_t	from = rule.one ? row + (rule.result != FIM_SETS_PRODUCT) : 0;

	return row < cells.dense.left ? max(from, cells.dense.right) : from;
}

#endif							/* __CUDACC__ */

#endif							/* FIM_ROWS_DEVICE_H */

/*-------------------------------------------------------------------------
 *
 * strips.h
 *	  Sharing a strategy's work out to devices, and bringing its results home.
 *
 * A strategy's work consists of units, which go to the devices in turns.  A unit is divided into
 * strips: a strip is some cells of one row, that is of one left value, and at most STRIP_CELLS of
 * them are results.  First the strategy counts a unit's strips: how many cells of each strip are
 * kept because they are results.  If the task only counts, that is all.  Otherwise the numbers are
 * added up, and the strategy fills as many strips at a time as there is room for with their
 * cells.  So a result can be larger than any memory.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_STRIPS_H
#define FIM_STRIPS_H

#include "records.h"
#include "sets/sets_job.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* The strips of a unit: strip s is part of the unit's row number s / per_row. */
typedef struct Strips
{
	uint32_t	n;				/* at most STRIPS_AT_ONCE */
	uint32_t	per_row;
	const uint32_t *rows;		/* device: ranks of the unit's rows; NULL if they are first, first + 1, ... */
	uint32_t	first;
} Strips;

/* What a kernel that counts writes to; device addresses. */
typedef struct StripCounts
{
	uint32_t   *cells;			/* [strips->n] how many cells of each strip are kept */
	unsigned long long *results;	/* the sum of CellResults() of all cells is added to this */
} StripCounts;

/* Where cells go, on a device: those of strip s to the places from start[s] - base on, in any order. */
typedef struct CellTarget
{
	const uint64_t *start;
	uint64_t	base;
	uint32_t   *right;			/* ranks */
	uint32_t   *witnesses;		/* NULL if they are not wanted */
} CellTarget;

/* The functions of a strategy.  "of" is the strategy's own state. */
typedef struct Finder
{
	FimSetsStrategy strategy;
	uint64_t	units;

	/*
	 * Puts the work of counting a unit's strips into the counting stream of a device, as
	 * launches of about GPU_LAUNCH_MS, with a call of GpuThrottle() before each.  Sets
	 * *strips, which is all zeros before.
	 */
	cudaError_t (*count) (SetsJob *job, SetsDevice *on, void *of, uint64_t unit, const StripCounts *counts,
						  Strips *strips);

	/*
	 * Does the same with the work of filling strips from .. to - 1 of a unit, which is the one that was
	 * counted last on this device.  Not called if none of these strips has a cell.
	 */
	cudaError_t (*fill) (SetsJob *job, SetsDevice *on, void *of, uint64_t unit, const Strips *strips,
						 uint32_t from, uint32_t to, const CellTarget *target);
} Finder;

/* Does all units of a strategy, and writes the results to the sink, or only counts them. */
extern cudaError_t FindCells(SetsJob *job, const Finder *finder, void *of);

/*
 * StripsOpen() takes memory for strips and their cells on all devices: for cells, up to a quarter of a
 * device's free memory.  StripsLeast() is the least that each device must have for that.
 */
extern cudaError_t StripsOpen(SetsJob *job);
extern uint64_t StripsLeast(const FimSetsJob *asked);

/* ---- strips_scan.cu ---- */

/*
 * ScanStrips() sets on->start[s] to the number of cells in all strips before s, for s from 0 to n.
 * StripScanScratch() sets *bytes to the scratch memory for STRIPS_AT_ONCE strips.
 */
extern cudaError_t StripScanScratch(size_t *bytes);
extern cudaError_t ScanStrips(SetsDevice *on, uint32_t n);

#ifdef __CUDACC__

/* The row of a strip, by rank. */
static __device__ __forceinline__ uint32_t
RowOfStrip(const Strips &strips, uint32_t strip)
{
	uint32_t	number = strip / strips.per_row;

	return strips.rows != NULL ? strips.rows[number] : strips.first + number;
}

/* Writes a cell to the place of number "number" among the cells of its strip. */
static __device__ __forceinline__ void
PutCell(const CellTarget &target, uint32_t strip, uint32_t number, uint32_t right, uint32_t witnesses)
{
	uint64_t	at = target.start[strip] - target.base + number;

	target.right[at] = right;
	if (target.witnesses != NULL)
		target.witnesses[at] = witnesses;
}

#endif							/* __CUDACC__ */

#ifdef __cplusplus
}
#endif

#endif							/* FIM_STRIPS_H */

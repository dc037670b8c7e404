/*-------------------------------------------------------------------------
 *
 * strips.h
 *	  Sharing a strategy's work out to devices, and bringing its results home.
 *
 * A strategy's work consists of units, which go to the devices in turns.  A unit finds cells in
 * strips: a strip is some cells of one row, that is of one left value, and at most STRIP_CELLS of them
 * are results.  First the strategy counts a unit's strips: how many of their cells are kept because they
 * are results.  That is all that a task needs that only counts.  Otherwise the numbers are added
 * up, and the strategy fills so many strips at a time as there is room for.  So a result can be
 * larger than any memory.
 *
 * Included by the strategies and dense.h.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_STRIPS_H
#define FIM_STRIPS_H

#include "sets/sets_job.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* The strips of a unit: strip s is part of row number s / per_row of the rows. */
typedef struct Strips
{
	uint32_t	n;				/* at most STRIPS_AT_ONCE */
	uint32_t	per_row;
	const uint32_t *rows;		/* device, ranks of left values; NULL: those from "first" on */
	uint32_t	first;
} Strips;

/* What a kernel that counts writes to; device addresses. */
typedef struct StripCounts
{
	uint32_t   *cells;			/* [strips->n] how many cells of each strip are kept */
	unsigned long long *results;	/* the sum of CellResults() of all cells is added to this */
} StripCounts;

/* Where cells go: those of strip s from number start[s] - base on, in any order. */
typedef struct CellTarget
{
	const uint64_t *start;
	uint64_t	base;
	uint32_t   *right;			/* ranks */
	uint32_t   *witnesses;		/* NULL if they are not wanted */
} CellTarget;

/* A strategy at work; "of" is its own. */
typedef struct Finder
{
	FimSetsStrategy strategy;
	uint64_t	units;

	/*
	 * Puts into the counting stream of a device what counts a unit's strips, cut to launches
	 * of about GPU_LAUNCH_MS behind GpuThrottle(), and sets *strips, which is all zeros before.
	 */
	cudaError_t (*count) (SetsJob *job, SetsDevice *on, void *of, uint64_t unit, const StripCounts *counts,
						  Strips *strips);

	/*
	 * The same for what fills strips "from" to "to" - 1 of the unit that was counted on this device last.  Not
	 * called for strips without cells only.
	 */
	cudaError_t (*fill) (SetsJob *job, SetsDevice *on, void *of, uint64_t unit, const Strips *strips,
						 uint32_t from, uint32_t to, const CellTarget *target);
} Finder;

/* Does all units of a strategy, and gives out the results or counts them. */
extern cudaError_t FindCells(SetsJob *job, const Finder *finder, void *of);

/*
 * Takes the memory of strips on all devices.  StripsLeast() is what it takes at the least on each;
 * StripsOpen() takes up to a quarter of the room that there is.
 */
extern cudaError_t StripsOpen(SetsJob *job);
extern uint64_t StripsLeast(const FimSetsJob *asked);

/* ---- strips_scan.cu ---- */

/* start[s] becomes the sum of the cells before strip s, from s = 0 to n. */
extern cudaError_t StripScanScratch(size_t *bytes);
extern cudaError_t ScanStrips(SetsDevice *on, uint32_t n);

#ifdef __cplusplus
}
#endif

#ifdef __CUDACC__

/* The row of a strip. */
static __device__ __forceinline__ uint32_t
RowOfStrip(const Strips &strips, uint32_t strip)
{
	uint32_t	number = strip / strips.per_row;

	return strips.rows != NULL ? strips.rows[number] : strips.first + number;
}

/* Writes the cell of a number within its strip. */
static __device__ __forceinline__ void
PutCell(const CellTarget &target, uint32_t strip, uint32_t number, uint32_t right, uint32_t witnesses)
{
	uint64_t	at = target.start[strip] - target.base + number;

	target.right[at] = right;
	if (target.witnesses != NULL)
		target.witnesses[at] = witnesses;
}

#endif							/* __CUDACC__ */

#endif							/* FIM_STRIPS_H */

/*-------------------------------------------------------------------------
 *
 * sets.h
 *	  Products of sets on devices: the job, the relations that it brings there, what its strategies
 *	  share, and what each offers.
 *
 * There is one job at a time.  Values are given by rank: the value with most keys has rank 0.  All addresses
 * are of device memory unless it says otherwise.  Functions return a cudaError_t, as those of the device floor
 * do, and the first one that is not cudaSuccess ends the job.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPU_SETS_H
#define GPU_SETS_H

#include "bits/bits.h"
#include "device.h"
#include "team.h"

#ifdef __cplusplus
extern "C"
{
#endif

#include "engine/sets/sets.h"

/*
 * Which cells are results, as the task asks for them.
 *
 * A cell is a left and a right value, both by rank, with the number of keys that they have in
 * common.  Whether two sets are similar is decided without error, as src/engine/sets/measure.c
 * decides it: quotients by a division that is rounded to nearest, and the cosine by comparing
 * squares in whole numbers where floating point is not enough.
 *
 * Devices get no task for similar sets of two relations, or for best partners of two, or for those that must reach a
 * threshold.
 */

typedef struct CellRule
{
	FimSetsResult result;
	FimSetsMeasure measure;
	bool		one;			/* a cell whose right rank is below the left one is no result, but not for the best partners */
	bool		counted;		/* numbers of witnesses matter, not only whether there are any */
	uint32_t	least;			/* witnesses that a cell needs; 1 for similar sets */
	double		threshold;		/* of similar sets */
	uint32_t	most;			/* of the best partners: how many a row has at most, and ... */
	uint64_t	transactions;	/* ... as the spec has them */

	/*
	 * For the cosine: the middle between the threshold and the float8 before it, as cosine_middle, a
	 * number of 54 bits, times 2^-cosine_shift.
	 */
	uint64_t	cosine_middle;
	uint32_t	cosine_shift;
} CellRule;

#ifdef __CUDACC__

/* Multiplies a whole number of 256 bits by one of 64, modulo 2^256.  The lowest word comes first. */
static __device__ __forceinline__ void
WideTimes(uint64_t (&a)[4], uint64_t b)
{
	uint64_t	carry = 0;

#pragma unroll
	for (int i = 0; i < 4; i++)
	{
		uint64_t	low = a[i] * b;
		uint64_t	high = __umul64hi(a[i], b);

		a[i] = low + carry;
		carry = high + (a[i] < low);
	}
}

/* Whether overlap / sqrt(n * m) is not below the rule's cosine_middle: compares the squares of both. */
static __device__ __noinline__ bool
SquaresReach(const CellRule &rule, uint32_t overlap, uint32_t n, uint32_t m)
{
	uint64_t	square[4] = {overlap, 0, 0, 0};
	uint64_t	bound[4] = {rule.cosine_middle, 0, 0, 0};

	WideTimes(square, overlap);
	/*
	 * the shifted square fits in 256 bits, since SetCosine() has raised thresholds that are too low
	 * for that
	 */
	for (uint32_t shift = 2 * rule.cosine_shift; shift > 0;)
	{
		uint32_t	step = min(shift, 63u);

		WideTimes(square, 1ull << step);
		shift -= step;
	}
	WideTimes(bound, rule.cosine_middle);
	WideTimes(bound, n);
	WideTimes(bound, m);
	for (int i = 3; i >= 0; i--)
		if (square[i] != bound[i])
			return square[i] > bound[i];
	return true;
}

/* Cosines whose float8 has a relative distance below this from the threshold are decided in whole numbers. */
#define COSINE_ERROR	1e-12

static __device__ __forceinline__ bool
CosineReaches(const CellRule &rule, uint32_t overlap, uint32_t n, uint32_t m)
{
	double		about = overlap * rsqrt((double) n * (double) m);

	if (about > rule.threshold * (1 + COSINE_ERROR))
		return true;
	return about >= rule.threshold * (1 - COSINE_ERROR) && SquaresReach(rule, overlap, n, m);
}

/*
 * Whether a set of n elements is similar to one of m elements, in this order.  The overlap must be at
 * least 1.
 */
static __device__ __forceinline__ bool
IsSimilar(const CellRule &rule, uint32_t overlap, uint32_t n, uint32_t m)
{
	double		o = overlap;

	switch (rule.measure)
	{
		case FIM_JACCARD:
			return __ddiv_rn(o, (double) n + (double) m - o) >= rule.threshold;
		case FIM_COSINE:
			return CosineReaches(rule, overlap, n, m);
		case FIM_OVERLAP:
			return __ddiv_rn(o, (double) min(n, m)) >= rule.threshold;
		default:
			return __ddiv_rn(o, (double) n) >= rule.threshold;
	}
}

/*
 * How many results a cell stands for: 0 if it is no result, 2 if both orders of the pair are results.
 * The sizes of both sets are used for similar sets only.
 */
static __device__ __forceinline__ uint32_t
CellResults(const CellRule &rule, uint32_t row, uint32_t right, uint32_t witnesses, uint32_t size,
			uint32_t other_size)
{
	if (witnesses < rule.least || (rule.one && right < row + (rule.result != FIM_SETS_PRODUCT)) ||
		(rule.result == FIM_SETS_BEST && right == row))
		return 0;
	if (rule.result != FIM_SETS_SIMILAR)
		return rule.one && rule.result == FIM_SETS_PRODUCT && right != row ? 2 : 1;
	return IsSimilar(rule, witnesses, size, other_size) +
		(rule.measure == FIM_CONTAINMENT && IsSimilar(rule, witnesses, other_size, size));
}

#endif							/* __CUDACC__ */

/*
 * The two relations on a device.
 *
 * Values are given by rank: the value with most keys has rank 0.  All addresses are of device
 * memory.  If one relation is both sides, both sides have the same arrays.
 */

typedef struct DeviceSide
{
	uint64_t   *start;			/* [nvalues + 1] where each value's keys begin in "key" */
	uint32_t   *key;			/* [npairs] ascending for each value */
	uint32_t	nvalues;
	uint32_t	longest;		/* the most keys of a value */
	uint64_t	npairs;
} DeviceSide;

/* Given to kernels by value. */
typedef struct Relations
{
	DeviceSide	left;
	DeviceSide	right;
	uint64_t   *key_start;		/* [nkeys + 1] where each key's values begin in "rank" */
	uint32_t   *rank;			/* [right.npairs] the right values of each key, ascending for each */
	uint32_t   *value;			/* [right.nvalues] the caller's numbers; NULL unless best partners are listed */
	uint32_t	nkeys;
	CellRule	rule;
} Relations;

/*
 * strips_kernels.cu: Relations and their ranks on a device.
 */

/* Writes the rank of each pair of a side: rank[start[r]] .. rank[start[r + 1] - 1] become r. */
extern cudaError_t ExpandRanks(GpuDevice *device, const DeviceSide *side, uint32_t *rank);

/* A stable sort of pairs by their keys, from "key" and "rank" to "sorted_key" and "sorted_rank". */
typedef struct KeySort
{
	const uint32_t *key;
	const uint32_t *rank;
	uint32_t   *sorted_key;
	uint32_t   *sorted_rank;
	uint64_t	npairs;
	uint32_t	nkeys;
	void	   *scratch;
	size_t		scratch_bytes;
} KeySort;

extern cudaError_t KeySortScratch(uint64_t npairs, uint32_t nkeys, size_t *bytes);
extern cudaError_t SortByKey(GpuDevice *device, const KeySort *sort);

/*
 * Sets key_start[k] to where key k begins in an ascending array of npairs keys, and key_start[nkeys]
 * to npairs.
 */
extern cudaError_t FindKeyStarts(GpuDevice *device, const uint32_t *key, uint64_t npairs, uint32_t nkeys,
								 uint64_t *key_start);

#ifdef __cplusplus
}
#endif

#ifdef __CUDACC__

static __device__ __forceinline__ uint32_t
SizeOf(const DeviceSide &side, uint32_t rank)
{
	return (uint32_t) (side.start[rank + 1] - side.start[rank]);
}

/* CellResults() of two ranks.  The sizes of their sets are read only if similar sets are to be found. */
static __device__ __forceinline__ uint32_t
ResultsOfCell(const Relations &r, uint32_t row, uint32_t right, uint32_t witnesses)
{
	bool		sizes = r.rule.result == FIM_SETS_SIMILAR && witnesses > 0;

	return CellResults(r.rule, row, right, witnesses, sizes ? SizeOf(r.left, row) : 0,
					   sizes ? SizeOf(r.right, right) : 0);
}

#endif							/* __CUDACC__ */

/*
 * A job of multiplying sets on devices.
 *
 * There is one job at a time.  Functions return a cudaError_t, as those of the device
 * floor do, and the first one that is not cudaSuccess ends the job.
 */

#ifdef __cplusplus
extern "C"
{
#endif

/* Most strips that are counted together, see strips.c, and most cells that a strip keeps. */
#define STRIPS_AT_ONCE		(UINT32_C(1) << 20)
#define STRIP_CELLS			(UINT32_C(1) << 18)

/* Of the memory that is free when strips are opened, cells get at most one part of so many. */
#define ROOM_PART		4

/*
 * For an estimate: the scratch memory of a sort or a scan of n elements, beside copies of them.  CUB takes four
 * bytes for each of 256 digits of each block of threads, which has some thousands of elements.
 */
static inline uint64_t
ScratchOf(uint64_t n)
{
	return (UINT64_C(2) << 20) + n / 4;
}

/*
 * Which cells of a strip are sent home if the best partners are wanted: all that may be among the best ones of
 * the strip, which best_device.h finds out.
 */
typedef struct PartnerCut
{
	uint32_t	key;			/* none with a lower key, see KeyOfPartner(); and ... */
	uint32_t	witnesses;		/* ... of those with so many witnesses, if not 0, ... */
	uint32_t	size;			/* ... whose sets have this size, if not 0, ... */
	uint32_t	value;			/* ... none with a higher value, since they are equally good */
} PartnerCut;

/* What the job has on one of its devices. */
typedef struct SetsDevice
{
	GpuDevice  *device;
	Relations	relations;

	/* for strips.c; all arrays are device memory.  From "cut" on only if cells are listed; "start" also for best partners. */
	uint64_t   *results;		/* number of results counted so far */
	uint32_t   *cells;			/* [STRIPS_AT_ONCE] see StripCounts */
	uint64_t   *start;			/* [STRIPS_AT_ONCE + 1] see CellTarget, as for right and witnesses */
	PartnerCut *cut;			/* [STRIPS_AT_ONCE] or NULL if all cells that are results are sent home, as is ... */
	uint32_t   *reached;		/* ... [STRIPS_AT_ONCE], see StripCounts */
	void	   *scratch;		/* for scans */
	size_t		scratch_bytes;
	uint32_t   *right;			/* [room] */
	uint32_t   *witnesses;		/* [room], or NULL if they are not wanted */
	uint64_t	room;			/* cells */
} SetsDevice;

typedef struct SetsJob
{
	GpuTeam		team;
	const FimSetsSpec *spec;
	const FimSetsData *data;
	FimSink    *sink;
	FimSetsSummary *summary;
	CellRule	rule;
	bool		best;			/* the best partners are wanted */
	bool		listed;			/* cells are sent home, not only counted */
	bool		with_witnesses; /* their numbers of witnesses are, too */
	uint64_t	bits_room;		/* BitsRoom() */
	SetsDevice	on[FIM_GPU_MAX_DEVICES]; /* as many as the team has devices */
} SetsJob;

/*
 * The part of a product that belongs to tiles: the left ranks below "left" with the right ranks
 * below "right".  All other cells belong to rows.
 */
typedef struct DensePart
{
	uint32_t	left;
	uint32_t	right;
} DensePart;

/*
 * Polls for a stop from time to time.  To be called often by loops of the host, with the number of
 * steps since the last call, of about a nanosecond each.
 */
static inline cudaError_t
HostWork(SetsJob *job, uint64_t work)
{
	return GpuWork(&job->team, work) ? GPU_STOPPED : cudaSuccess;
}

/*
 * strips.c: Sharing a strategy's work out to devices, and bringing its results home.
 *
 * A strategy's work consists of units, which go to the devices in turns.  They are units in the
 * engine's sense: by them it tells how far a task is.  A unit is divided into strips: a strip is some
 * cells of one row, that is of one left value, and at most STRIP_CELLS of them are results.  First
 * the strategy counts a unit's strips: how many cells of each strip are kept because they are
 * results.  If the task only counts, that is all.  Otherwise the numbers are added up, and the
 * strategy fills as many strips at a time as there is room for with their cells.  So a result can be
 * larger than any memory.
 */

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
	PartnerCut *cut;			/* [strips->n] which these are, if that is not NULL */
	uint32_t   *reached;		/* [rows] with "cut": a key that enough cells of each row reach, 0 before the first launch */
	unsigned long long *results; /* the sum of CellResults() of all cells is added to this */
} StripCounts;

/* Where cells go, on a device: those of strip s to the places from start[s] - base on, in any order. */
typedef struct CellTarget
{
	const uint64_t *start;
	uint64_t	base;
	uint32_t   *right;			/* ranks */
	uint32_t   *witnesses;		/* NULL if they are not wanted */
	const PartnerCut *cut;		/* as in StripCounts */
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
extern uint64_t StripsLeast(const FimSetsSpec *spec);

/*
 * strips_kernels.cu: Strips on a device.
 */

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

/*
 * plan.c: Strategy "auto" on devices: which part of a product is left to bit matrices, or whether strategy
 * "prefix" does all of it.
 *
 * The parts to choose from are made of the values of both sides that have most keys.  The one that
 * is expected to save most, by the costs of paths and of bits, becomes the dense part; the other
 * cells belong to rows.  For similar sets, strategy "prefix" is taken if it is expected to take less.
 */

/*
 * Chooses the dense part if the host knows enough to do so; *planned says whether it does.  That is
 * all cells, if bits are expected to take less than rows would take at the least, or none, if
 * no part would save anything even if all paths were in it.
 */
extern cudaError_t PlanAtOnce(SetsJob *job, DensePart *dense, bool *planned);

/*
 * Chooses the dense part by the paths of a sample, or strategy "prefix" for all cells.  Writes the
 * expected times to the summary.  The right relation must have been sorted by key.
 */
extern cudaError_t PlanBySample(SetsJob *job, DensePart *dense, bool *by_prefix);

/*
 * strips_kernels.cu: What the plan counts on the device.
 */

/*
 * Adds to paths[level], which is device memory, the number of paths between the first 1/2^level of the values
 * of both sides, for one left pair in "step".
 */
extern cudaError_t CountLevelPaths(GpuDevice *device, const Relations *relations, uint64_t step,
								   unsigned long long *paths);

/* Sets length[i] to the number of right values that have key[i], for n keys; the arrays are device memory. */
extern cudaError_t FindKeyLengths(GpuDevice *device, const Relations *relations, const uint32_t *key, uint32_t n,
								  uint64_t *length);

/*
 * rows.c: Strategy "rows": for each left value, the right values of all its keys are counted in accumulators.
 */

/* Finds all cells that do not belong to the dense part. */
extern cudaError_t RowsMine(SetsJob *job, const DensePart *dense);

/* The least memory that it needs on each device, beside relations and strips. */
extern uint64_t RowsLeast(const FimSetsData *data);

/*
 * prefix.c: Strategy "prefix" on devices: similar sets by their rarest keys.
 */

/* Finds all cells of a task that is to find similar sets. */
extern cudaError_t PrefixMine(SetsJob *job);

/* The least memory that it needs on each device, beside relations and strips. */
extern uint64_t PrefixLeast(const FimSetsSpec *spec, const FimSetsData *data);

/*
 * bits.c: Strategy "bits": products of bit matrices.
 */

/* Finds all cells of the dense part.  For the best partners, that is everything, and BitsHaveRoom() must say so. */
extern cudaError_t BitsMine(SetsJob *job, const DensePart *dense);

/*
 * For the best partners, before StripsOpen(): whether all devices have room for the bits of all right values at a time,
 * so that the cells of a row come together.
 */
extern bool BitsHaveRoom(const SetsJob *job, FimWay way);

/* What StripsOpen() will leave on each device at least. */
extern uint64_t BitsRoom(const SetsJob *job);

/* The least memory that it needs on each device, beside relations and strips. */
extern uint64_t BitsLeast(const FimSetsData *data);

/* Sets *way to the best way to multiply that all devices have. */
extern cudaError_t BitsWay(const SetsJob *job, FimWay *way);

/* The time in milliseconds that the cells of the part are expected to take. */
extern double BitsMs(const SetsJob *job, FimWay way, const DensePart *dense);

#ifdef __cplusplus
}
#endif

#endif							/* GPU_SETS_H */

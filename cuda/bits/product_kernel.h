/*-------------------------------------------------------------------------
 *
 * product_kernel.h
 *	  Inside products of bit matrices: the kernels of each way to multiply and what they share, and
 *	  plans.
 *
 * A worker (a warp, a warpgroup or a block, as suits the kernel) has the counts
 * of a tile in the registers of its threads.  Where a tile's slabs are divided
 * among several workers, each adds its counts to the same partial sums, and the
 * one that comes last takes the sums back into its registers and goes on as if
 * it had counted everything itself.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPU_BITS_PRODUCT_KERNEL_H
#define GPU_BITS_PRODUCT_KERNEL_H

#include <vector_types.h>

#include "bits/bits.h"

#define FIM_MAX_KERNELS	8		/* the most that a way has, those for small matrices included */
#define FIM_TICKETS		4		/* the most warpgroups that count a tile together */

#ifdef __cplusplus
extern "C"
{
#endif

/* A range of the slabs of a tile: what a worker does at a time. */
typedef struct FimRange
{
	uint32_t	of;				/* index of the matrix */
	uint32_t	row;			/* the tile's first row */
	uint32_t	column;			/* the tile's first column */
	uint32_t	slab;			/* the first slab of the range */
	uint32_t	slabs;
	uint32_t	parts;			/* the number of ranges that the tile has been cut into */
	uint32_t	sums;			/* the number of the partial sums that these ranges add to */
	uint32_t	unused;
} FimRange;

/* What a launch of a kernel needs. */
typedef struct FimLaunch
{
	const uint4 *lines;
	uint64_t	nlines;
	const FimMatrix *matrices;
	const FimRange *ranges;
	uint32_t	nranges;
	uint32_t	minsup;
	FimCounts	counts;
	uint32_t   *sums;			/* kernel->sums of each divided tile */
	uint32_t   *tickets;		/* FIM_TICKETS of each divided tile */
	uint32_t   *next;			/* the number of the first range that nobody has taken */
} FimLaunch;

/* What a kernel is good for, and how work is cut for it. */
typedef struct FimProductKernel
{
	uint32_t	limit;			/* the most rows of matrices that it is for */
	uint32_t	tile_rows;
	uint32_t	tile_columns;
	uint32_t	sums;			/* counts in the partial sums of a tile */
	uint32_t	overhead;		/* what a range costs besides its slabs, in slabs */
	uint32_t	workers;		/* ranges that a multiprocessor does at the same time */
	cudaError_t (*launch) (const FimLaunch *launch, int processors, cudaStream_t stream);
	cudaError_t (*tally) (const FimLaunch *launch, int processors, cudaStream_t stream); /* or NULL */
} FimProductKernel;

/*
 * Sets "kernels" to the way's kernels by ascending limit, including those that it borrows from
 * another way, and returns their number.
 */
extern int	FimKernelsOf(FimWay way, const FimProductKernel **kernels);

#ifdef __cplusplus
}
#endif

#ifdef __CUDACC__

#include "lanes.h"

/* Where a matrix's counts go.  "count" begins with the counts of row "begin". */
typedef struct CountTarget
{
	uint32_t   *count;
	uint32_t	begin;
	uint32_t	nrows;			/* rows that are wanted, from "begin" on */
	uint32_t	minsup;
	uint32_t	rows;
	bool		both;
	unsigned long long *tally;
	uint32_t	first_column;
	uint32_t	weight;
} CountTarget;

static __device__ __forceinline__ CountTarget
TargetOf(const FimLaunch &launch, uint64_t count, uint32_t rows, uint32_t skip)
{
	const FimCounts &counts = launch.counts;
	uint32_t	begin = max(counts.begin, skip);

	return CountTarget {counts.count + count, begin, counts.end > begin ? counts.end - begin : 0,
		launch.minsup, rows, counts.both, counts.tally, counts.first_column, counts.weight};
}

/*
 * Where a thread's counts are in the tile.  Fragment describes what tensor cores leave in a
 * thread's registers: counts of two neighboring columns, in two rows that are 8 apart, and the
 * same again every 8 columns.
 */
struct Fragment
{
	uint32_t	row;
	uint32_t	column;

	__device__ uint32_t Row(int i) const
	{
		return row + 8 * (i >> 1 & 1);
	}

	__device__ uint32_t Column(int i) const
	{
		return column + 8 * (i >> 2) + (i & 1);
	}

	/* are counts i to i + 31 all above the diagonal and within the rows? */
	__device__ bool Inside(int i, uint32_t rows) const
	{
		return row + 8 < Column(i) && Column(i + 31) < rows;
	}

	/* are they all in nrows rows from "begin" on, and in no column below the first? */
	__device__ bool InTarget(int i, uint32_t begin, uint32_t nrows, uint32_t first_column) const
	{
		return row >= begin && row + 8 - begin < nrows && Column(i) >= first_column;
	}
};

/*
 * Find out which of a thread's counts are wanted, as bits.  Where the tile crosses the diagonal
 * or the end of the rows, each count is looked at in a loop that is not unrolled: code that
 * runs once, at the end of long work, must above all be short, or fetching its instructions
 * takes longest.
 */
template <int N, typename Position>
static __device__ __forceinline__ void
SelectCounts(uint32_t (&bits)[(N + 31) / 32], const uint32_t *counts, const Position &position,
			 const CountTarget &target)
{
#pragma unroll
	for (int word = 0; word < (N + 31) / 32; word++)
	{
		uint32_t	inside = ~0u;

		bits[word] = 0;
#pragma unroll
		for (int i = word * 32; i < N && i < word * 32 + 32; i++)
			bits[word] |= (uint32_t) (counts[i] >= target.minsup) << i % 32;
		if (!position.Inside(word * 32, target.rows))
#pragma unroll 1
			for (int i = 0; i < 32; i++)
			{
				uint32_t	row = position.Row(word * 32 + i);
				uint32_t	column = position.Column(word * 32 + i);

				if (row >= column || column >= target.rows)
					inside &= ~(1u << i);
			}
		bits[word] &= inside;
	}
}

static __device__ __forceinline__ void
WriteCount(const CountTarget &target, uint32_t row, uint32_t column, uint32_t count)
{
	if (row - target.begin < target.nrows)
		target.count[(size_t) (row - target.begin) * target.rows + column] = count;
	if (target.both && column - target.begin < target.nrows)
		target.count[(size_t) (column - target.begin) * target.rows + row] = count;
}

/*
 * The number of counts, of those selected by a word of SelectCounts(), that the tally is for.
 * Few tiles cross the edge of what the tally is for, so the loop is not unrolled here, either.
 */
template <typename Position>
static __device__ __forceinline__ uint32_t
CountSelected(uint32_t bits, int first, const Position &position, const CountTarget &target)
{
	uint32_t	n = 0;

#pragma unroll 1
	for (int i = 0; i < 32; i++)
		n += (bits >> i & 1) != 0 && position.Row(first + i) - target.begin < target.nrows &&
			position.Column(first + i) >= target.first_column;
	return n;
}

/* Called by whole warps: add the wanted ones of the N counts to the tally. */
template <int N, typename Position>
static __device__ __forceinline__ void
AddToTally(const uint32_t (&bits)[(N + 31) / 32], const Position &position, const CountTarget &target)
{
	uint32_t	n = 0;

#pragma unroll
	for (int word = 0; word < (N + 31) / 32; word++)
		if (position.InTarget(word * 32, target.begin, target.nrows, target.first_column))
			n += __popc(bits[word]);
		else
			n += CountSelected(bits[word], word * 32, position, target);
	n = SumOverLanes(n);
	if (threadIdx.x % 32 == 0 && n > 0)
		atomicAdd(target.tally, (unsigned long long) n * target.weight);
}

/* Called by whole warps: write the wanted ones of the N counts. */
template <int N, typename Position>
static __device__ __forceinline__ void
WriteCounts(const uint32_t (&bits)[(N + 31) / 32], const uint32_t *counts, const Position &position,
			const CountTarget &target)
{
#pragma unroll
	for (int i = 0; i < N; i += 8)
		if (__any_sync(~0u, bits[i / 32] >> i % 32 & 0xFF))
#pragma unroll
			for (int j = i; j < i + 8 && j < N; j++)
				if (bits[j / 32] >> j % 32 & 1)
					WriteCount(target, position.Row(j), position.Column(j), counts[j]);
}

/* Called by whole warps when the N counts are complete: write the wanted ones, or add them to the tally. */
template <int N, bool TALLY = false, typename Position>
static __device__ __forceinline__ void
Emit(const uint32_t *counts, const Position &position, const CountTarget &target)
{
	uint32_t	bits[(N + 31) / 32];

	SelectCounts<N> (bits, counts, position, target);
	if constexpr (TALLY)
		AddToTally<N> (bits, position, target);
	else
		WriteCounts<N> (bits, counts, position, target);
}

/* Called by each of a worker's WORKER threads: add its counts to the tile's partial sums. */
template <int N, int WORKER>
static __device__ __forceinline__ void
AddSums(const uint32_t *counts, uint32_t *sums, uint32_t thread)
{
	uint32_t   *mine = sums + thread;

#pragma unroll
	for (int i = 0; i < N; i++)
		atomicAdd(mine + i * WORKER, counts[i]);
	__threadfence();
}

template <int N, int WORKER>
static __device__ __forceinline__ void
TakeSums(uint32_t *counts, const uint32_t *sums, uint32_t thread)
{
	const uint32_t *mine = sums + thread;

	__threadfence();
#pragma unroll
	for (int i = 0; i < N; i++)
		counts[i] = __ldcg(mine + i * WORKER);
}

/*
 * Called by one thread, when all threads of its worker have added their counts.  Returns
 * whether all other workers that share the tile have added theirs, too.
 */
static __device__ __forceinline__ bool
DrawTicket(uint32_t *ticket, uint32_t parts)
{
	bool		last;

	__threadfence();
	last = atomicAdd(ticket, 1) == parts - 1;
	__threadfence();
	return last;
}

#endif							/* __CUDACC__ */

/*
 * product_popc.cu: Products of bit matrices by AND and POPC.
 */

#ifdef __cplusplus
extern "C"
{
#endif

/* The kernels of the way, by ascending limit; the last one is for all other matrices. */
extern const FimProductKernel FimPopcKernels[];

/*
 * product_mma.cu: Products of bit matrices by 1-bit mma.sync.
 */

/* The kernels of the way, by ascending limit; the last one is for all other matrices. */
extern const FimProductKernel FimMmaKernels[];

/* Whether the current device runs code that was compiled for the way. */
extern cudaError_t FimMmaCompiled(int *compiled);

/*
 * product_wgmma.cu: Products of bit matrices by 1-bit wgmma.
 */

/* The kernels of the way, by ascending limit; the last one is for all other matrices. */
extern const FimProductKernel FimWgmmaKernels[];

/* Whether the current device runs code that was compiled for the way. */
extern cudaError_t FimWgmmaCompiled(int *compiled);

#ifdef __cplusplus
}
#endif

/*
 * A plan of products, and the tiles of a matrix.
 */

#define FIM_BELT		3072	/* rows of a belt of tiles */

#ifdef __cplusplus
extern "C"
{
#endif

/* A tile, of which it is not known yet into how many ranges it will be cut. */
typedef struct Tile
{
	uint32_t	of;				/* index of the matrix */
	uint32_t	row;			/* the tile's first row */
	uint32_t	column;			/* its first column */
	uint32_t	slabs;			/* of the matrix */
} Tile;

/* A kernel's ranges in a plan.  They follow one another. */
typedef struct KernelRanges
{
	const FimProductKernel *kernel;
	Tile	   *tiles;
	uint32_t	ntiles;
	uint64_t	slabs;			/* sum over all tiles */
	uint64_t	workers;		/* of all multiprocessors together */
	uint32_t	from;			/* the number of the first one */
	uint32_t	n;
	uint32_t	divided;		/* tiles that are cut into several ranges */
	uint32_t	length;			/* the most slabs of a range, if the device makes the ranges */
} KernelRanges;

/*
 * A plan says which worker computes what.  Matrices are cut into tiles.  Where there are too
 * few tiles to keep the device busy to the end, tiles are cut into ranges of slabs, whose
 * counts are added up in scratch memory.  A plan is made from nothing but the shapes of the
 * matrices.
 */
struct FimPlan
{
	FimMatrix  *matrices;		/* NULL if the device makes the matrices and the ranges */
	FimMatrices	many;			/* from which the device makes them */
	uint32_t	nmatrices;
	FimRange   *ranges;
	uint32_t	nranges;
	uint32_t	room;			/* for ranges */
	KernelRanges by_kernel[FIM_MAX_KERNELS];
	int			nkernels;
	int			processors;		/* multiprocessors of the device */
	double		tests;			/* pairs of bits that a run counts */
};

/*
 * A walk over the tiles of a matrix, one belt after the other.  Tiles are left out if none of
 * their pairs is above the diagonal, or if all their columns are among the rows that are
 * skipped.
 */
typedef struct TileWalk
{
	uint32_t	rows;
	uint32_t	tile_rows;
	uint32_t	tile_columns;
	uint32_t	left;			/* the first column of the first tiles that are not left out */
	uint32_t	top;			/* the belt's first row */
	uint32_t	row;			/* the first row of the tile at hand */
	uint32_t	column;			/* its first column */
} TileWalk;

static inline FIM_HOST_DEVICE TileWalk
WalkTiles(const FimMatrix *of, uint32_t tile_rows, uint32_t tile_columns)
{
	uint32_t	left = of->skip / tile_columns * tile_columns;

	TileWalk	walk = {left < of->rows ? of->rows : 0, tile_rows, tile_columns, left, 0, 0, left};

	return walk;
}

static inline FIM_HOST_DEVICE bool
IsAtTile(const TileWalk *walk)
{
	return walk->top < walk->rows;
}

static inline FIM_HOST_DEVICE void
GoOn(TileWalk *walk)
{
	uint32_t	belt = (FIM_BELT + walk->tile_rows - 1) / walk->tile_rows * walk->tile_rows;

	do
	{
		walk->row += walk->tile_rows;
		if (walk->row < walk->rows && walk->row < walk->top + belt)
			continue;
		walk->row = walk->top;
		walk->column += walk->tile_columns;
		if (walk->column < walk->rows)
			continue;
		walk->column = walk->left;
		walk->row = walk->top += belt;
	} while (walk->top < walk->rows && walk->column + walk->tile_columns - 1 <= walk->row);
}

static inline FIM_HOST_DEVICE uint64_t
FimPairsOf(const FimMatrix *of)
{
	return ((uint64_t) of->rows * (of->rows - 1) - (uint64_t) of->skip * (of->skip - 1)) / 2;
}

/* Whether the matrix has no pair that is to be counted. */
static inline FIM_HOST_DEVICE bool
IsEmpty(const FimMatrix *of)
{
	return of->rows < 2 || of->slabs == 0 || of->skip >= of->rows;
}

/*
 * product_plan_device.cu: A plan made on the device.
 */

/*
 * For running a plan of FimPlanMany(): writes its matrices and ranges.  "counters" is device
 * memory that has been zeroed, 2 * FIM_MAX_KERNELS numbers.
 */
extern cudaError_t FimFillPlan(const FimPlan *plan, FimMatrix *matrices, FimRange *ranges,
							   uint32_t *counters, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif							/* GPU_BITS_PRODUCT_KERNEL_H */

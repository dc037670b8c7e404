/*-------------------------------------------------------------------------
 *
 * product_kernel.h
 *	  What the kernels of product_*.cu share: the work they are given, adding up
 *	  what several blocks counted, and writing the counts that are frequent.
 *
 * A worker (a warp, a warpgroup or a block, as suits the kernel) has the counts
 * of a tile in the registers of its threads.  Where a tile's slabs are divided
 * among several workers, each adds its counts to the same partial sums, and the
 * one that comes last takes the sums back into its registers and goes on as if
 * it had counted everything itself.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PRODUCT_KERNEL_H
#define FIM_PRODUCT_KERNEL_H

#include "bits/product.h"

#include <vector_types.h>

#define FIM_TICKETS		4		/* warpgroups that a tile has, at most */
#define FIM_STREAM_ROWS	32		/* classes that even sm_90a streams through mma.sync */

#ifdef __cplusplus
extern "C"
{
#endif

/* A range of slabs of a tile of a class. */
typedef struct FimItem
{
	uint32_t	of;				/* index of the class */
	uint32_t	row;			/* the tile's first ones */
	uint32_t	column;
	uint32_t	slab;			/* the range */
	uint32_t	slabs;
	uint32_t	parts;			/* how many items share the tile */
	uint32_t	sums;			/* which partial sums are theirs */
	uint32_t	unused;
} FimItem;

/* All that a launch needs. */
typedef struct FimLaunch
{
	const uint4 *lines;
	uint64_t	nlines;
	const FimClass *classes;
	const FimItem *items;
	uint32_t	nitems;
	uint32_t	minsup;
	FimCounts	counts;
	uint32_t   *sums;			/* kernel->sums of each divided tile */
	uint32_t   *tickets;		/* FIM_TICKETS of each divided tile */
	uint32_t   *next;			/* the first item that nobody has taken */
} FimLaunch;

/* What a kernel is good for, and how work is cut for it. */
typedef struct FimKernel
{
	uint32_t	limit;			/* classes of so many rows at most */
	uint32_t	tile_rows;
	uint32_t	tile_columns;
	uint32_t	sums;			/* counts in a tile's partial sums */
	uint32_t	overhead;		/* of an item, as slabs that take as long */
	uint32_t	workers;		/* items that a multiprocessor does at a time */
	cudaError_t (*launch) (const FimLaunch *launch, int processors, cudaStream_t stream);
} FimKernel;

/* Kernels of each way, by ascending limit; the last has none. */
extern const FimKernel FimPopcKernels[];
extern const FimKernel FimMmaKernels[];
extern const FimKernel FimWgmmaKernels[];

extern cudaError_t FimMmaCompiled(int *compiled);
extern cudaError_t FimWgmmaCompiled(int *compiled);

#ifdef __cplusplus
}
#endif

#ifdef __CUDACC__

/* Where a class's counts go: those of row "begin" are the first. */
typedef struct FimSink
{
	uint32_t   *count;
	uint32_t	begin;
	uint32_t	nrows;			/* that are wanted from there on */
	uint32_t	minsup;
	uint32_t	rows;
	bool		both;
} FimSink;

static __device__ __forceinline__ FimSink
SinkOf(const FimLaunch &launch, uint64_t count, uint32_t rows, uint32_t skip)
{
	const FimCounts &counts = launch.counts;
	uint32_t	begin = max(counts.begin, skip);

	return FimSink {counts.count + count, begin, counts.end > begin ? counts.end - begin : 0,
		launch.minsup, rows, counts.both};
}

/*
 * Where a thread's counts are in the tile.  Fragment is how the tensor cores
 * leave them: pairs of columns, in rows 8 apart, in steps of 8 columns.
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
};

/*
 * Which of a thread's counts are wanted, as bits.  Where the tile has an edge is
 * looked at in a loop that is not unrolled: what comes once at the end of long
 * work must above all be short, or fetching its instructions takes longest.
 */
template <int N, class Place>
static __device__ __forceinline__ void
SelectCounts(uint32_t (&bits)[(N + 31) / 32], const uint32_t *counts, const Place &place,
			 const FimSink &sink)
{
#pragma unroll
	for (int word = 0; word < (N + 31) / 32; word++)
	{
		uint32_t	inside = ~0u;

		bits[word] = 0;
#pragma unroll
		for (int i = word * 32; i < N && i < word * 32 + 32; i++)
			bits[word] |= (uint32_t) (counts[i] >= sink.minsup) << i % 32;
		if (!place.Inside(word * 32, sink.rows))
#pragma unroll 1
			for (int i = 0; i < 32; i++)
			{
				uint32_t	row = place.Row(word * 32 + i);
				uint32_t	column = place.Column(word * 32 + i);

				if (row >= column || column >= sink.rows)
					inside &= ~(1u << i);
			}
		bits[word] &= inside;
	}
}

static __device__ __forceinline__ void
WriteCount(const FimSink &sink, uint32_t row, uint32_t column, uint32_t count)
{
	if (row - sink.begin < sink.nrows)
		sink.count[(size_t) (row - sink.begin) * sink.rows + column] = count;
	if (sink.both && column - sink.begin < sink.nrows)
		sink.count[(size_t) (column - sink.begin) * sink.rows + row] = count;
}

/* Called by whole warps: write those of the N counts that are wanted. */
template <int N, class Place>
static __device__ __forceinline__ void
Emit(const uint32_t *counts, const Place &place, const FimSink &sink)
{
	uint32_t	bits[(N + 31) / 32];

	SelectCounts<N> (bits, counts, place, sink);
#pragma unroll
	for (int i = 0; i < N; i += 8)
		if (__any_sync(~0u, bits[i / 32] >> i % 32 & 0xFF))
#pragma unroll
			for (int j = i; j < i + 8 && j < N; j++)
				if (bits[j / 32] >> j % 32 & 1)
					WriteCount(sink, place.Row(j), place.Column(j), counts[j]);
}

/* A thread of WORKER ones: add its counts to the worker's partial sums. */
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

/* One thread, when all of its worker have added: have all others as well? */
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

#endif							/* FIM_PRODUCT_KERNEL_H */

/*-------------------------------------------------------------------------
 *
 * dci_kernels.cu
 *	  Counting the candidates of gpuDCI on a device, see dci_kernels.h.
 *
 * In both ways a thread reads only what it has written to a cache itself, so no thread waits
 * for another.
 *
 *-------------------------------------------------------------------------
 */
#include "ancestors/gpudci/dci_kernels.h"
#include "lanes.h"

#define THREADS			256		/* of a thread block, at most */
#define AT_ONCE			4		/* candidates that are counted while their prefix is read once */

static __device__ __forceinline__ const uint4 *
RowOf(const BitView &view, uint32_t row)
{
	return view.bits + row * view.stride;
}

/*
 * Make the intersections of the prefix's first from + 1, from + 2, ..., "to" items, and write
 * them to the cache.  The intersection of the first "from" items must be in the cache, unless
 * "from" is 1: then it is the row of the first item.
 */
static __device__ void
CachePrefix(const BitView &view, const PrefixCache &cache, const uint32_t *items, uint32_t from, uint32_t to,
			uint32_t thread, uint32_t nthreads)
{
	const uint4 *base = from == 1 ? RowOf(view, items[0]) : cache.chunks + (from - 2) * cache.stride;

	for (uint32_t c = thread; c < view.stride; c += nthreads)
	{
		uint4		x = base[c];

		for (uint32_t i = from; i < to; i++)
		{
			x = AndChunk(x, RowOf(view, items[i])[c]);
			cache.chunks[(i - 1) * cache.stride + c] = x;
		}
	}
}

/*
 * Count up to AT_ONCE candidates of one prefix.  The base is the intersection of the prefix's
 * first "made" items; the prefix's other items are intersected here.
 */
static __device__ __forceinline__ void
CountCandidates(const BitView &view, const Operations &batch, const uint4 *base,
				const uint32_t *items, uint32_t made, uint32_t first, uint32_t n,
				uint32_t thread, uint32_t nthreads)
{
	uint32_t	sums[AT_ONCE] = {0};
	const uint4 *rows[AT_ONCE];
	uint32_t	plane = 0;

#pragma unroll
	for (int i = 0; i < AT_ONCE; i++)
		rows[i] = RowOf(view, batch.last[first + (i < n ? i : 0)]);
	for (uint32_t c = thread; c < view.stride; c += nthreads)
	{
		uint4		x = base[c];
		uint32_t	shift;

		while (c >= view.planes.end[plane])
			plane++;
		shift = view.planes.shift[plane];
		for (uint32_t i = made; i < batch.k; i++)
			x = AndChunk(x, RowOf(view, items[i])[c]);
#pragma unroll
		for (int i = 0; i < AT_ONCE; i++)
			if (i < n)
				sums[i] += CountChunk(AndChunk(x, rows[i][c])) << shift;
	}
#pragma unroll
	for (int i = 0; i < AT_ONCE; i++)
		if (i < n)
		{
			uint32_t	sum = SumOverLanes(sums[i]);

			if (threadIdx.x % 32 == 0 && sum != 0)
				atomicAdd(&batch.counts[first + i], sum);
		}
}

/*
 * Do the operations first .. end - 1.  Each thread has chunks of its own.  If a prefix has few
 * candidates, its last intersection is not written to the cache: no other prefix shares it, and
 * writing it would cost more than it saves.
 */
static __device__ void
Operate(const BitView &view, const Operations &batch, const PrefixCache &cache, uint32_t first, uint32_t end,
		uint32_t thread, uint32_t nthreads)
{
	uint32_t	have = 1;		/* the cache has the intersections of up to this many first items of the
								 * prefix */

	for (uint32_t o = first; o < end; o++)
	{
		Operation	operation = batch.operations[o];
		const uint32_t *items = batch.items + (size_t) o * batch.k;
		uint32_t	want = batch.k - (operation.n <= AT_ONCE);
		const uint4 *base;

		if (o > first && operation.common < have)
			have = operation.common;
		if (o == first || have < 1)
			have = 1;
		if (want > cache.n + 1)
			want = cache.n + 1;
		if (want > have)
		{
			CachePrefix(view, cache, items, have, want, thread, nthreads);
			have = want;
		}
		base = have == 1 ? RowOf(view, items[0]) : cache.chunks + (have - 2) * cache.stride;
		for (uint32_t i = 0; i < operation.n; i += AT_ONCE)
			CountCandidates(view, batch, base, items, have, operation.first + i,
							min(operation.n - i, AT_ONCE), thread, nthreads);
	}
}

static __global__ void __launch_bounds__(THREADS)
TransactionWiseKernel(const __grid_constant__ BitView view, const Operations batch, const PrefixCache cache,
					  uint32_t first, uint32_t end)
{
	uint32_t	thread = blockIdx.x * THREADS + threadIdx.x;

	/* warps stay whole, because they add up their counts */
	if (thread / 32 * 32 < view.stride)
		Operate(view, batch, cache, first, end, thread, gridDim.x * THREADS);
}

/* Each thread block does some of the tasks, and has a cache of its own. */
static __global__ void __launch_bounds__(THREADS)
CandidateWiseKernel(const __grid_constant__ BitView view, const Operations batch, const PrefixCache caches,
					uint32_t first, uint32_t end)
{
	PrefixCache	cache = caches;

	cache.chunks += (uint64_t) blockIdx.x * caches.n * caches.stride;
	for (uint32_t task = first + blockIdx.x; task < end; task += gridDim.x)
		Operate(view, batch, cache, batch.tasks[task], batch.tasks[task + 1], threadIdx.x, blockDim.x);
}

void
DciLaunchByTransactions(const BitView *view, const Operations *batch, const PrefixCache *cache,
						uint32_t first, uint32_t end, cudaStream_t stream)
{
	TransactionWiseKernel<<<GpuBlocks(view->stride + 1, THREADS), THREADS, 0, stream>>>
		(*view, *batch, *cache, first, end);
}

void
DciLaunchByCandidates(const BitView *view, const Operations *batch, const PrefixCache *caches,
					  uint32_t first, uint32_t end, uint32_t blocks, uint32_t threads, cudaStream_t stream)
{
	CandidateWiseKernel<<<blocks, threads, 0, stream>>> (*view, *batch, *caches, first, end);
}

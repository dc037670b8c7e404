/*-------------------------------------------------------------------------
 *
 * gpudci_kernels.cu
 *	  Counting the candidates of gpuDCI on a device, see gpudci.h.
 *
 * In both ways a thread reads only what it has written to a cache itself, so no thread waits
 * for another.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "ancestors/gpudci/gpudci.h"
#include "lanes.h"
#include "team.h"

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

/* Each thread block does some of the loads, and has a cache of its own. */
static __global__ void __launch_bounds__(THREADS)
CandidateWiseKernel(const __grid_constant__ BitView view, const Operations batch, const PrefixCache caches,
					uint32_t first, uint32_t end)
{
	PrefixCache	cache = caches;

	cache.chunks += (uint64_t) blockIdx.x * caches.n * caches.stride;
	for (uint32_t load = first + blockIdx.x; load < end; load += gridDim.x)
		Operate(view, batch, cache, batch.loads[load], batch.loads[load + 1], threadIdx.x, blockDim.x);
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

/*
 * Dropping transactions from the bitmaps of gpuDCI.
 *
 * A transaction that holds an itemset of the next level has at least as many live items as
 * that itemset has items.  So the bits of transactions with fewer live items are dropped.
 * The others are moved together, row by row, from the bitmaps into their spare copy.  One
 * kernel finds the transactions that are kept, and counts those of each word.  The host adds
 * these numbers up, which gives the places to which a second kernel moves the bits.
 */

#define THREADS			256

/* Bits are moved if at most this part of the chunks would be left. */
#define COMPACT_AT		0.8

#define ITEM_PLANES		6		/* bits of a counter for the items of a transaction */

/* ---- on the device ---- */

/*
 * Find the transactions that have a bit in at least "least" of the live rows.  A thread does
 * the 32 transactions of a word.
 */
static __global__ void __launch_bounds__(THREADS)
FindTransactionsKernel(const uint32_t *words, uint64_t row_words, const uint32_t *live, uint32_t nlive,
					   uint32_t least, uint32_t *kept, uint32_t *nkept)
{
	uint32_t	w = blockIdx.x * THREADS + threadIdx.x;
	uint32_t	planes[ITEM_PLANES] = {0};
	uint32_t	result = 0;
	uint32_t	equal = ~0u;

	if (w >= row_words)
		return;
	for (uint32_t i = 0; i < nlive; i++)
	{
		uint32_t	carry = words[live[i] * row_words + w];

#pragma unroll
		for (int p = 0; p < ITEM_PLANES; p++)
		{
			uint32_t	sum = planes[p] ^ carry;

			carry &= planes[p];
			planes[p] = sum;
		}
		result |= carry;		/* more items than the planes can count */
	}
#pragma unroll
	for (int p = ITEM_PLANES - 1; p >= 0; p--)
	{
		uint32_t	wanted = least >> p & 1 ? ~0u : 0;

		result |= equal & planes[p] & ~wanted;
		equal &= ~(planes[p] ^ wanted);
	}
	result |= equal;
	kept[w] = result;
	nkept[w] = __popc(result);
}

/* Move those bits of each live row that are kept.  places[] says where the bits of each word go. */
static __global__ void __launch_bounds__(THREADS)
MoveTransactionsKernel(const uint32_t *words, uint64_t row_words, const uint32_t *live, uint32_t nlive,
					   const uint32_t *kept, const uint32_t *places, uint32_t *to, uint64_t to_row_words)
{
	uint64_t	nwords = row_words * nlive;

	for (uint64_t i = (uint64_t) blockIdx.x * THREADS + threadIdx.x; i < nwords;
		 i += (uint64_t) gridDim.x * THREADS)
	{
		uint64_t	row = live[i / row_words];
		uint32_t	w = (uint32_t) (i % row_words);
		uint32_t	mask = kept[w];
		uint32_t	left = words[row * row_words + w] & mask;
		uint32_t	place = places[w];
		uint64_t	bits = 0;
		uint32_t   *at = to + row * to_row_words + place / 32;

		for (; left != 0; left &= left - 1)
		{
			uint32_t	lowest = left & -left;

			bits |= 1ull << (__popc(mask & (lowest - 1)) + place % 32);
		}
		if ((uint32_t) bits != 0)
			atomicOr(at, (uint32_t) bits);
		if (bits >> 32 != 0)
			atomicOr(at + 1, (uint32_t) (bits >> 32));
	}
}

/* ---- on the host ---- */

/* What dropping needs on the host. */
typedef struct Dropping
{
	uint32_t	nlive;
	uint32_t   *live;			/* [nlive] the rows of live items */
	uint32_t   *words;			/* for each word of a row: first the number of bits that are kept, then
								 * where they go */
	size_t		row_bytes;
	Planes		planes;			/* of the bitmaps that dropping leaves */
} Dropping;

/* What dropping needs on a device besides the bitmaps, in the memory of the prefix caches. */
typedef struct DroppingMemory
{
	uint32_t   *kept;
	uint32_t   *places;
	uint32_t   *live;
} DroppingMemory;

static DroppingMemory
MemoryOf(const Dci *dci, int d, const Dropping *dropping)
{
	char	   *at = dci->memory[d].cache;

	return (DroppingMemory) {(uint32_t *) at, (uint32_t *) (at + dropping->row_bytes),
		(uint32_t *) (at + 2 * dropping->row_bytes)};
}

static void
FindTransactions(Dci *dci, int d, const Dropping *dropping, uint32_t least)
{
	static const char what[] = "dropping transactions";
	GpuDevice  *device = dci->job->team.devices[d];
	DroppingMemory memory = MemoryOf(dci, d, dropping);
	uint64_t	words = dropping->row_bytes / sizeof(uint32_t);

	OrLeave(GpuSend(&dci->job->team, device, GPU_COUNT, memory.live, dropping->live,
					sizeof(uint32_t) * dropping->nlive, what));
	FindTransactionsKernel<<<GpuBlocks(words, THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>
		((const uint32_t *) dci->bitmaps.memory[d].bits, words, memory.live, dropping->nlive, least,
		 memory.kept, memory.places);
	OrLeave(GpuLaunched(device, what));
}

/* Turn the number of bits that are kept of each word into the place where they go. */
static void
PlaceTransactions(const Planes *planes, Dropping *dropping)
{
	uint32_t	w = 0;
	uint32_t	chunks = 0;

	dropping->planes = *planes;
	for (uint32_t p = 0; p < planes->n; p++)
	{
		uint32_t	place = chunks * BITMAP_CHUNK;

		for (; w < planes->end[p] * 4; w++)
		{
			uint32_t	n = dropping->words[w];

			dropping->words[w] = place;
			place += n;
		}
		dropping->planes.end[p] = chunks = (place + BITMAP_CHUNK - 1) / BITMAP_CHUNK;
	}
}

static uint32_t
ChunksOfPlanes(const Planes *planes)
{
	return planes->end[planes->n - 1];
}

static void
MoveTransactions(Dci *dci, int d, const Dropping *dropping)
{
	static const char what[] = "dropping transactions";
	GpuDevice  *device = dci->job->team.devices[d];
	Bitmaps    *bitmaps = &dci->bitmaps;
	DroppingMemory memory = MemoryOf(dci, d, dropping);
	uint64_t	row_words = dropping->row_bytes / sizeof(uint32_t);
	uint64_t	to_row_words = (uint64_t) ChunksOfPlanes(&dropping->planes) * 4;
	uint64_t	blocks = (row_words * dropping->nlive + THREADS - 1) / THREADS;
	uint4	   *to = dci->memory[d].spare;

	OrLeave(GpuSend(&dci->job->team, device, GPU_COUNT, memory.places, dropping->words,
					dropping->row_bytes, what));
	OrLeave(GpuCheck(device, cudaMemsetAsync(to, 0, sizeof(uint32_t) * to_row_words * bitmaps->nrows,
											 device->streams[GPU_COUNT]), what));
	MoveTransactionsKernel<<<(uint32_t) GpuLesser(blocks, 1 << 20), THREADS, 0, device->streams[GPU_COUNT]>>>
		((const uint32_t *) bitmaps->memory[d].bits, row_words, memory.live, dropping->nlive,
		 memory.kept, memory.places, (uint32_t *) to, to_row_words);
	OrLeave(GpuLaunched(device, what));
	dci->memory[d].spare = bitmaps->memory[d].bits;
	bitmaps->memory[d].bits = to;
}

/* List the rows of live items. */
static void
FindLiveRows(Dci *dci, const ItemsetLevel *level, Dropping *dropping)
{
	uint32_t	nitems = dci->job->nitems;

	DciCountOccurrences(dci, level, dropping->live);
	dropping->nlive = 0;
	for (uint32_t i = 0; i < nitems; i++)
		if (dropping->live[i] >= level->k)
			dropping->live[dropping->nlive++] = dci->map[i];
}

/* Keep only transactions that have at least "least" live items, if that pays. */
static void
DropTransactions(Dci *dci, uint32_t least, Dropping *dropping)
{
	ItemsetsJob *job = dci->job;
	Bitmaps    *bitmaps = &dci->bitmaps;
	BitSheet   *sheet = &bitmaps->sheets[0];

	for (int d = 0; d < job->team.ndevices; d++)
		FindTransactions(dci, d, dropping, least);
	OrLeave(GpuReceive(&job->team, job->team.devices[0], dropping->words, MemoryOf(dci, 0, dropping).places,
					   dropping->row_bytes, "dropping transactions"));
	PlaceTransactions(&sheet->planes, dropping);
	if (ChunksOfPlanes(&dropping->planes) > sheet->chunks * COMPACT_AT)
		return;
	for (int d = 0; d < job->team.ndevices; d++)
		MoveTransactions(dci, d, dropping);
	sheet->planes = dropping->planes;
	bitmaps->chunks = bitmaps->widest = sheet->chunks = ChunksOfPlanes(&dropping->planes);
}

void
DciDropOnDevice(Dci *dci, const ItemsetLevel *level)
{
	ItemsetsJob *job = dci->job;
	Bitmaps    *bitmaps = &dci->bitmaps;
	BitSheet   *sheet = &bitmaps->sheets[0];
	Dropping	dropping;

	memset(&dropping, 0, sizeof(dropping));
	if (bitmaps->nsheets != 1 || bitmaps->nbuilt == 0 || !dci->has_spare)
		return;
	dropping.row_bytes = sizeof(uint4) * (size_t) sheet->chunks;
	if (level->k + 1 >= 1 << ITEM_PLANES || sheet->chunks == 0 ||
		dci->cache_bytes < 2 * dropping.row_bytes + sizeof(uint32_t) * job->nitems)
		return;
	dropping.live = (uint32_t *) JobAlloc(job, sizeof(uint32_t) * job->nitems);
	dropping.words = (uint32_t *) JobAlloc(job, dropping.row_bytes);
	FindLiveRows(dci, level, &dropping);
	if (dropping.nlive > level->k)
		DropTransactions(dci, level->k + 1, &dropping);
	JobFree(job, dropping.live);
	JobFree(job, dropping.words);
}

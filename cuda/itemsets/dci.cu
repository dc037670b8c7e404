/*-------------------------------------------------------------------------
 *
 * dci.cu
 *	  Strategies dci_transaction and dci_candidate: gpuDCI.
 *
 * After Silvestri and Orlando, "gpuDCI: Exploiting GPUs in Frequent Itemset
 * Mining" (PDP 2012), and the DCI that it descends from (Orlando et al., ICDM
 * 2002).  Pairs are counted on the CPU, transaction by transaction, after which
 * items and transactions that cannot matter any more are left out (dci_pairs.c);
 * then vertical bitmaps are made of the rest and candidates are counted by
 * intersecting them.
 *
 * Candidates come as batches of operations in lexicographic order, so that one
 * shares a prefix with the next, and the intersections of prefixes are cached.
 * Transaction-wise, all threads work on the same candidate, each on some of the
 * transactions, and there is one cache.  Candidate-wise, each thread block has
 * candidates of its own, contiguous ones, and a cache.  In both a thread reads of
 * a cache only what it wrote itself, so that no thread waits for another.
 *
 * The paper leaves the dataset alone once it intersects.  Here transactions with
 * too few items that are still in use are dropped between levels.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "copies.h"
#include "host_threads.h"
#include "itemsets/dci.h"
#include "itemsets/strategies.h"

#define THREADS			256		/* of a block, at most */
#define AT_ONCE			4		/* candidates that share the reading of a prefix */

/* Bitmap rows from this many chunks on are counted by blocks of 128, 256 threads. */
#define LONG_ROW		512
#define VERY_LONG_ROW	8192

/* Thread blocks, and the caches' length, that memory is set aside for. */
#define THREAD_BLOCKS	16		/* on a multiprocessor */
#define CACHED_PREFIXES	12

/* Batches are small where bitmaps stay, so that the host forms one while another is counted. */
#define BATCH_BYTES		((uint64_t) 2 << 20)
#define STREAMED_BYTES	((uint64_t) 8 << 20)

/* Groups that a thread encodes at a time. */
#define ENCODED_AT_ONCE	512

/* Bitmaps are compacted when this part of them is left, at most. */
#define COMPACT_AT		0.8

/* Counters of the items in a transaction, in bits. */
#define ITEM_PLANES		6

/* ---- counting on the device ---- */

static __device__ __forceinline__ const uint4 *
RowOf(const BitView &view, uint32_t row)
{
	return view.bits + row * view.stride;
}

/* Make the prefix's first items, from so many on, up to "to" of them. */
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

/* Count up to AT_ONCE candidates; items "made" to k are not in the base yet. */
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
			uint32_t	sum = SumWarp(sums[i]);

			if (threadIdx.x % 32 == 0 && sum != 0)
				atomicAdd(&batch.counts[first + i], sum);
		}
}

/*
 * Operations from first to end, by threads each of which does chunks of its own.
 * A prefix that few candidates share is not worth writing: only what it shares
 * with other prefixes is.
 */
static __device__ void
Operate(const BitView &view, const Operations &batch, const PrefixCache &cache, uint32_t first, uint32_t end,
		uint32_t thread, uint32_t nthreads)
{
	uint32_t	have = 1;		/* items of the prefix at hand that are cached */

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

	/* whole warps, which add up their counts */
	if (thread / 32 * 32 < view.stride)
		Operate(view, batch, cache, first, end, thread, gridDim.x * THREADS);
}

/* The thread block's tasks; its cache is one of many. */
static __global__ void __launch_bounds__(THREADS)
CandidateWiseKernel(const __grid_constant__ BitView view, const Operations batch, const PrefixCache caches,
					uint32_t first, uint32_t end)
{
	PrefixCache cache = caches;

	cache.chunks += (uint64_t) blockIdx.x * caches.n * caches.stride;
	for (uint32_t task = first + blockIdx.x; task < end; task += gridDim.x)
		Operate(view, batch, cache, batch.tasks[task], batch.tasks[task + 1], threadIdx.x, blockDim.x);
}

/* ---- dropping transactions on the device ---- */

/* Which bits' transactions have at least so many of the live rows, and how many do. */
static __global__ void __launch_bounds__(THREADS)
FindColumnsKernel(const uint32_t *words, uint64_t row_words, const uint32_t *live, uint32_t nlive,
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
		result |= carry;		/* more than can be counted */
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

/* Move each live row's kept bits of a word to the place that is the word's own. */
static __global__ void __launch_bounds__(THREADS)
MoveColumnsKernel(const uint32_t *words, uint64_t row_words, const uint32_t *live, uint32_t nlive,
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

/* ---- memory ---- */

/* What a batch must hold at least: one candidate that is as long as can be. */
static uint64_t
LeastBatch(const Dci *dci)
{
	return 256 + sizeof(uint32_t) * ((uint64_t) dci->job->db->max_row + 8);
}

/*
 * Plan for so many bytes.  First come the bitmaps, as a whole if they fit; what
 * is left goes to the caches and to a second copy, for compacting.  Returns the
 * bytes needed.
 */
static uint64_t
Plan(Dci *dci, uint64_t room)
{
	ItemsetJob *job = dci->job;
	Bitmaps    *bitmaps = &dci->bitmaps;
	uint64_t	fixed;
	uint64_t	bits;
	uint64_t	wanted;

	BitmapsPlanPieces(bitmaps, room);
	dci->batch_bytes = GpuBetween(LeastBatch(dci), room / 16, STREAMED_BYTES);
	fixed = sizeof(uint32_t) * (uint64_t) bitmaps->nmap + BitmapsPiecesBytes(bitmaps) +
		2 * dci->batch_bytes + 4096;
	dci->cache_bytes = 0;
	dci->has_spare = false;
	bitmaps->resident = true;
	BitmapsPlan(job, bitmaps, UINT32_MAX);
	bits = BitmapsBytes(bitmaps, true);
	if (fixed + bits > room)
	{
		/* a quarter for the caches */
		uint64_t	columns = room > fixed ? (room - fixed) / 4 * 3 /
			(BITMAP_SLOTS * sizeof(uint4) * (uint64_t) GpuGreater(bitmaps->nrows, 1)) * BITMAP_CHUNK : 0;

		bitmaps->resident = false;
		BitmapsPlan(job, bitmaps, GpuLesser(columns, UINT32_MAX));
		bits = BitmapsBytes(bitmaps, false);
		if (fixed + bits > room)
			return fixed + bits;
	}
	else if (fixed + 2 * bits <= room)
	{
		dci->has_spare = true;
		bits *= 2;
	}
	wanted = (uint64_t) job->team.devices[0]->processors * THREAD_BLOCKS * CACHED_PREFIXES *
		bitmaps->widest * sizeof(uint4);
	dci->cache_bytes = GpuLesser(wanted, room - fixed - bits);
	return fixed + bits + dci->cache_bytes;
}

static void
FreeMemory(Dci *dci)
{
	for (int d = 0; d < dci->job->team.ndevices; d++)
	{
		DciMemory  *memory = &dci->memory[d];

		for (int i = 0; i < 2; i++)
			OrLeave(GpuFree(dci->job->team.devices[d], memory->batch[i]));
		OrLeave(GpuFree(dci->job->team.devices[d], memory->cache));
		OrLeave(GpuFree(dci->job->team.devices[d], memory->spare));
		memset(memory, 0, sizeof(DciMemory));
	}
	BitmapsFree(dci->job, &dci->bitmaps);
}

static bool
TakeMemory(Dci *dci)
{
	bool		enough = BitmapsTake(dci->job, &dci->bitmaps);

	for (int d = 0; d < dci->job->team.ndevices && enough; d++)
	{
		GpuDevice  *device = dci->job->team.devices[d];
		DciMemory  *memory = &dci->memory[d];

		for (int i = 0; i < 2 && enough; i++)
		{
			memory->batch[i] = (char *) JobTryAlloc(device, dci->batch_bytes, "allocating batches");
			enough = memory->batch[i] != NULL;
		}
		if (enough && dci->cache_bytes > 0)
		{
			memory->cache = (char *) JobTryAlloc(device, dci->cache_bytes, "allocating prefix caches");
			enough = memory->cache != NULL;
		}
		if (enough && dci->has_spare)
		{
			memory->spare = (uint4 *) JobTryAlloc(device, BitmapsBytes(&dci->bitmaps, true) + 1,
												  "allocating transaction bitmaps");
			enough = memory->spare != NULL;
		}
	}
	if (!enough)
		FreeMemory(dci);
	return enough;
}

/* Take memory by a plan for what there is, or for ever less of it. */
static void
Prepare(Dci *dci)
{
	ItemsetJob *job = dci->job;
	uint64_t	room = GpuLeastRoom(&job->team);
	uint64_t	needed;

	do
	{
		needed = BitmapsLeastPiece(&dci->bitmaps.from) > GPU_SHARED ? UINT64_MAX : Plan(dci, room);
		if (needed > room)
			OrLeave(GpuOutOfMemory(job->team.devices[0], needed, "allocating transaction bitmaps"));
		room = room / 4 * 3;
	} while (!TakeMemory(dci));
	dci->encoded = (char *) JobAlloc(job, dci->batch_bytes);
	dci->ready = true;
}

/* ---- dropping transactions between levels ---- */

/* What compacting needs besides the bitmaps, in the memory of the caches. */
typedef struct Dropping
{
	uint32_t	nlive;
	uint32_t   *live;			/* rows */
	uint32_t   *words;			/* for each word of a row */
	size_t		row_bytes;
	Planes		planes;			/* that result */
} Dropping;

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
FindColumns(Dci *dci, int d, const Dropping *dropping, uint32_t least)
{
	static const char what[] = "dropping transactions";
	GpuDevice  *device = dci->job->team.devices[d];
	DroppingMemory memory = MemoryOf(dci, d, dropping);
	uint64_t	words = dropping->row_bytes / sizeof(uint32_t);

	OrLeave(GpuSend(&dci->job->team, device, GPU_COUNT, memory.live, dropping->live,
					sizeof(uint32_t) * dropping->nlive, what));
	FindColumnsKernel<<<GpuBlocks(words, THREADS), THREADS, 0, device->streams[GPU_COUNT]>>>
		((const uint32_t *) dci->bitmaps.memory[d].bits, words, memory.live, dropping->nlive, least,
		 memory.kept, memory.places);
	OrLeave(GpuLaunched(device, what));
}

/* From the numbers of kept bits to the places they go to. */
static void
PlaceColumns(const Planes *planes, Dropping *dropping)
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
MoveColumns(Dci *dci, int d, const Dropping *dropping)
{
	static const char what[] = "dropping transactions";
	GpuDevice  *device = dci->job->team.devices[d];
	Bitmaps    *bitmaps = &dci->bitmaps;
	DroppingMemory memory = MemoryOf(dci, d, dropping);
	uint64_t	row_words = dropping->row_bytes / sizeof(uint32_t);
	uint64_t	to_row_words = (uint64_t) ChunksOfPlanes(&dropping->planes) * 4;
	uint64_t	blocks = (row_words * dropping->nlive + THREADS - 1) / THREADS;
	uint4	   *to = dci->memory[d].spare;

	OrLeave(GpuSend(&dci->job->team, device, GPU_COUNT, memory.places, dropping->words, dropping->row_bytes, what));
	OrLeave(GpuCheck(device, cudaMemsetAsync(to, 0, sizeof(uint32_t) * to_row_words * bitmaps->nrows,
											 device->streams[GPU_COUNT]), what));
	MoveColumnsKernel<<<(uint32_t) GpuLesser(blocks, 1 << 20), THREADS, 0, device->streams[GPU_COUNT]>>>
		((const uint32_t *) bitmaps->memory[d].bits, row_words, memory.live, dropping->nlive,
		 memory.kept, memory.places, (uint32_t *) to, to_row_words);
	OrLeave(GpuLaunched(device, what));
	dci->memory[d].spare = bitmaps->memory[d].bits;
	bitmaps->memory[d].bits = to;
}

/* The rows of live items, in the map as it is. */
static void
FindLiveRows(Dci *dci, const Level *level, Dropping *dropping)
{
	uint32_t	nitems = dci->job->nitems;

	DciCountOccurrences(dci, level, dropping->live);
	dropping->nlive = 0;
	for (uint32_t i = 0; i < nitems; i++)
		if (dropping->live[i] >= level->k)
			dropping->live[dropping->nlive++] = dci->map[i];
}

/* Keep the bits of transactions with at least so many live items, if that pays. */
static void
DropColumns(Dci *dci, uint32_t least, Dropping *dropping)
{
	ItemsetJob *job = dci->job;
	Bitmaps    *bitmaps = &dci->bitmaps;
	BitBlock   *block = &bitmaps->blocks[0];

	for (int d = 0; d < job->team.ndevices; d++)
		FindColumns(dci, d, dropping, least);
	OrLeave(GpuReceive(&job->team, job->team.devices[0], GPU_COUNT, dropping->words,
					   MemoryOf(dci, 0, dropping).places, dropping->row_bytes, "dropping transactions"));
	PlaceColumns(&block->planes, dropping);
	if (ChunksOfPlanes(&dropping->planes) > block->chunks * COMPACT_AT)
		return;
	for (int d = 0; d < job->team.ndevices; d++)
		MoveColumns(dci, d, dropping);
	block->planes = dropping->planes;
	bitmaps->chunks = bitmaps->widest = block->chunks = ChunksOfPlanes(&dropping->planes);
}

/*
 * Bitmaps that are on the device: drop the bits of transactions that have fewer
 * live items than the next level's itemsets are long.  Rows of dead items stay,
 * but nothing reads them.
 */
static void
PruneOnDevice(Dci *dci, const Level *level)
{
	ItemsetJob *job = dci->job;
	Bitmaps    *bitmaps = &dci->bitmaps;
	BitBlock   *block = &bitmaps->blocks[0];
	Dropping	dropping;

	memset(&dropping, 0, sizeof(dropping));
	if (bitmaps->nblocks != 1 || bitmaps->nbuilt == 0 || !dci->has_spare)
		return;
	dropping.row_bytes = sizeof(uint4) * (size_t) block->chunks;
	if (level->k + 1 >= 1 << ITEM_PLANES || block->chunks == 0 ||
		dci->cache_bytes < 2 * dropping.row_bytes + sizeof(uint32_t) * job->nitems)
		return;
	dropping.live = (uint32_t *) JobAlloc(job, sizeof(uint32_t) * job->nitems);
	dropping.words = (uint32_t *) JobAlloc(job, dropping.row_bytes);
	FindLiveRows(dci, level, &dropping);
	if (dropping.nlive > level->k)
		DropColumns(dci, level->k + 1, &dropping);
	JobFree(job, dropping.live);
	JobFree(job, dropping.words);
}

/* Streamed bitmaps: prune what they are made of, and perhaps the rest fits now. */
static void
PruneStreamed(Dci *dci, const Level *level)
{
	for (int d = 0; d < dci->job->team.ndevices; d++)
		for (int s = 0; s < GPU_STREAMS; s++)
			OrLeave(GpuWait(&dci->job->team, dci->job->team.devices[d], s, "dropping transactions"));
	FreeMemory(dci);
	JobFree(dci->job, dci->encoded);
	dci->encoded = NULL;
	DciPruneOnHost(dci, level);
	Prepare(dci);
}

/* ---- counting a level ---- */

static uint32_t
ThreadsOfBlock(const Dci *dci)
{
	uint32_t	chunks = dci->bitmaps.widest;

	return chunks < LONG_ROW ? 32 : chunks < VERY_LONG_ROW ? 128 : 256;
}

/* Chunks of one thread block's cache for each prefix. */
static uint64_t
CacheBytes(const Dci *dci, uint32_t lengths)
{
	return (uint64_t) dci->bitmaps.widest * sizeof(uint4) * lengths;
}

/*
 * How to count this level: candidate-wise as long as the caches of enough thread
 * blocks to fill the device fit, as the paper has it.
 */
static void
ChooseWay(Dci *dci)
{
	uint32_t	lengths = dci->k > 1 ? dci->k - 1 : 1;
	uint64_t	thread_blocks = dci->cache_bytes / GpuGreater(CacheBytes(dci, lengths), 1);
	int			processors = dci->job->team.devices[0]->processors;

	if (dci->k == 1)
		thread_blocks = (uint64_t) processors * THREAD_BLOCKS;	/* nothing to be cached */
	dci->thread_blocks = (uint32_t) GpuLesser(thread_blocks, (uint64_t) processors * THREAD_BLOCKS);
	dci->by_transactions = dci->transaction_wise || dci->thread_blocks < (uint32_t) processors;
}

static void
BeginLevel(void *of, Levels *levels, size_t *batch_bytes, size_t *group_bytes, size_t *candidate_bytes)
{
	Dci		   *dci = (Dci *) of;
	const Level *level = levels->current;

	dci->k = level->k;
	if (!dci->ready)
		Prepare(dci);
	else if (!dci->bitmaps.resident)
		PruneStreamed(dci, level);
	else if (level->k > 1)
		PruneOnDevice(dci, level);
	ChooseWay(dci);

	/* operation and task, rows of its items; last and count */
	*group_bytes = sizeof(Operation) + sizeof(uint32_t) * (1 + (size_t) dci->k);
	*candidate_bytes = 2 * sizeof(uint32_t);
	*batch_bytes = dci->batch_bytes;
	if (dci->bitmaps.resident)
		*batch_bytes = GpuBetween(LeastBatch(dci), BATCH_BYTES, dci->batch_bytes);
	*batch_bytes -= 64;
}

/* ---- a batch ---- */

/* Each device gets groups with about as many candidates. */
static void
ShareBatch(Dci *dci, const CandidateBatch *batch, DciShare *shares)
{
	int			n = dci->job->team.ndevices;
	uint32_t	group = 0;

	for (int d = 0; d < n; d++)
	{
		DciShare *share = &shares[d];
		uint32_t	end = (uint32_t) ((uint64_t) batch->n * (d + 1) / n);

		memset(share, 0, sizeof(DciShare));
		share->first_group = group;
		share->first = group < batch->ngroups ? batch->groups[group].first : batch->n;
		while (group < batch->ngroups && batch->groups[group].first < end)
			share->n += batch->groups[group++].n;
		share->ngroups = group - share->first_group;
	}
}

/* Candidates in a task: few enough that each thread block gets several. */
static uint32_t
TaskCandidates(const Dci *dci, uint32_t n)
{
	return (uint32_t) GpuBetween(8, n / (dci->thread_blocks * 4 + 1), 1024);
}

/* A share in the form that kernels read, on the host. */
typedef struct DciEncoding
{
	const Dci  *dci;
	const Level *level;
	const CandidateBatch *batch;
	const DciShare *share;
	uint32_t   *tasks;
	Operation  *operations;
	uint32_t   *items;
	uint32_t   *last;
	uint32_t   *counts;			/* these are not sent */
} DciEncoding;

/* A task begins with the group that comes when the one before has enough candidates. */
static void
EncodeTasks(const DciEncoding *encoding, DciShare *share)
{
	const CandidateGroup *groups = encoding->batch->groups + share->first_group;
	uint32_t	task = TaskCandidates(encoding->dci, share->n);
	uint32_t	in_task = task;

	for (uint32_t g = 0; g < share->ngroups; g++)
	{
		if (in_task >= task)
		{
			encoding->tasks[share->ntasks++] = g;
			in_task = 0;
		}
		in_task += groups[g].n;
	}
	encoding->tasks[share->ntasks] = share->ngroups;
}

/* How many items the prefixes of two groups have in common. */
static uint32_t
CommonPrefix(const Level *level, const CandidateGroup *a, const CandidateGroup *b)
{
	if (a->member == b->member)
		return level->k;
	if (a->class_of == b->class_of)
		return level->k - 1;
	return CommonItems(ClassPrefix(level, a->class_of), ClassPrefix(level, b->class_of), level->k - 1);
}

static void
EncodeOperations(void *of, uint32_t part, uint32_t thread)
{
	const DciEncoding *encoding = (const DciEncoding *) of;
	const Level *level = encoding->level;
	const DciShare *share = encoding->share;
	const uint32_t *map = encoding->dci->map;
	const CandidateGroup *groups = encoding->batch->groups + share->first_group;
	uint32_t	end = (uint32_t) GpuLesser((part + 1) * ENCODED_AT_ONCE, share->ngroups);

	for (uint32_t g = part * ENCODED_AT_ONCE; g < end; g++)
	{
		const CandidateGroup *group = &groups[g];
		const uint32_t *prefix = ClassPrefix(level, group->class_of);
		uint32_t   *items = encoding->items + (size_t) g * level->k;
		uint32_t   *last = encoding->last + (group->first - share->first);

		encoding->operations[g].first = group->first - share->first;
		encoding->operations[g].n = group->n;
		encoding->operations[g].common = g > 0 ? CommonPrefix(level, group, group - 1) : 0;
		for (uint32_t i = 0; i + 1 < level->k; i++)
			items[i] = map[prefix[i]];
		items[level->k - 1] = map[level->last[group->member]];
		for (uint32_t i = 0; i < group->n; i++)
			last[i] = map[CandidateItem(level, encoding->batch, group->first + i)];
	}
}

/*
 * Encode a share: tasks, operations, the rows of their items, the rows of the last
 * items, and room for the counts.  Returns how many bytes are to be sent.
 */
static size_t
EncodeShare(Dci *dci, const Level *level, const CandidateBatch *batch, DciShare *share, char *on_device)
{
	DciEncoding	encoding = {dci, level, batch, share};
	char	   *at = dci->encoded;

	encoding.tasks = (uint32_t *) at;
	encoding.operations = (Operation *) (encoding.tasks + share->ngroups + 1);
	encoding.items = (uint32_t *) (encoding.operations + share->ngroups);
	encoding.last = encoding.items + (size_t) share->ngroups * dci->k;
	encoding.counts = encoding.last + share->n;
	EncodeTasks(&encoding, share);
	OrLeave(HostRun(&dci->job->team, GpuBlocks(share->ngroups, ENCODED_AT_ONCE), EncodeOperations, &encoding));

	share->on_device.tasks = (const uint32_t *) on_device;
	share->on_device.operations = (const Operation *) (on_device + ((char *) encoding.operations - at));
	share->on_device.items = (const uint32_t *) (on_device + ((char *) encoding.items - at));
	share->on_device.last = (const uint32_t *) (on_device + ((char *) encoding.last - at));
	share->on_device.counts = (uint32_t *) (on_device + ((char *) encoding.counts - at));
	share->on_device.k = dci->k;
	return (size_t) ((char *) encoding.counts - at);
}

static bool
BeginLaunches(void *of, int d)
{
	Dci		   *dci = (Dci *) of;
	DciShare *share = &dci->current[d];

	share->next = 0;
	return share->n > 0;
}

/* Launch so much of the share as does not take long. */
static bool
LaunchShare(void *of, int d, const BitView *view, uint32_t number, uint32_t nblocks)
{
	Dci		   *dci = (Dci *) of;
	GpuDevice  *device = dci->job->team.devices[d];
	DciShare *share = &dci->current[d];
	uint32_t	units = dci->by_transactions ? share->ngroups : share->ntasks;
	double		bits = (double) share->n * view->stride * BITMAP_CHUNK;
	double		each = bits / units > 0 ? bits / units : 1;
	double		amount = GpuLaunchAmount(device, each, GpuLesser(4096, share->n) * (bits / share->n));
	uint32_t	n = (uint32_t) GpuLesser(units - share->next, (uint64_t) (amount / each) + 1);
	uint32_t	end = share->next + n;
	PrefixCache cache = {(uint4 *) dci->memory[d].cache, view->stride, dci->k - 1};
	cudaStream_t stream = device->streams[GPU_COUNT];
	GpuTimer   *timer = JobBegin(device, GPU_COUNT, FIM_GPU_COUNT, each * n);

	if (dci->by_transactions)
	{
		cache.n = (uint32_t) GpuLesser(cache.n, dci->cache_bytes / GpuGreater(CacheBytes(dci, 1), 1));
		TransactionWiseKernel<<<GpuBlocks(view->stride + 1, THREADS), THREADS, 0, stream>>>
			(*view, share->on_device, cache, share->next, end);
	}
	else
		CandidateWiseKernel<<<(uint32_t) GpuLesser(n, dci->thread_blocks), ThreadsOfBlock(dci), 0, stream>>>
			(*view, share->on_device, cache, share->next, end);
	OrLeave(GpuLaunched(device, "counting candidates"));
	OrLeave(GpuEnd(device, GPU_COUNT, timer));
	share->next = end;
	return end < units;
}

static void
Send(void *of, const Levels *levels, CandidateBatch *batch)
{
	Dci		   *dci = (Dci *) of;
	ItemsetJob *job = dci->job;
	DciShare *shares = dci->shares[batch->number];

	ShareBatch(dci, batch, shares);
	for (int d = 0; d < job->team.ndevices; d++)
	{
		GpuDevice  *device = job->team.devices[d];
		char	   *on_device = dci->memory[d].batch[batch->number];
		size_t		bytes = EncodeShare(dci, levels->current, batch, &shares[d], on_device);

		OrLeave(GpuSend(&job->team, device, GPU_COUNT, on_device, dci->encoded, bytes, "copying candidates"));
		OrLeave(GpuCheck(device, cudaMemsetAsync(shares[d].on_device.counts, 0, sizeof(uint32_t) * shares[d].n,
												 device->streams[GPU_COUNT]), "copying candidates"));
	}
}

static void
Count(void *of, const Levels *levels, CandidateBatch *batch)
{
	Dci		   *dci = (Dci *) of;
	BitmapsWork work = {{NULL, NULL}, BeginLaunches, LaunchShare, dci};

	dci->current = dci->shares[batch->number];
	BitmapsCount(dci->job, &dci->bitmaps, &work);
}

static void
Collect(void *of, const Levels *levels, CandidateBatch *batch)
{
	Dci		   *dci = (Dci *) of;

	for (int d = 0; d < dci->job->team.ndevices; d++)
	{
		const DciShare *share = &dci->shares[batch->number][d];

		OrLeave(GpuReceive(&dci->job->team, dci->job->team.devices[d], GPU_COUNT, batch->counts + share->first,
						   share->on_device.counts, sizeof(uint32_t) * share->n, "returning supports"));
	}
}

static const LevelCounter dci_counter = {DciCountPairs, BeginLevel, Send, Count, Collect};

void
DciMine(ItemsetJob *job)
{
	Dci		   *dci = (Dci *) JobAlloc(job, sizeof(Dci));

	memset(dci, 0, sizeof(Dci));
	dci->job = job;
	dci->transaction_wise = job->team.strategy == FIM_GPU_DCI_TRANSACTION;
	TransactionsOfDatabase(job, &dci->bitmaps.from);
	dci->map = (uint32_t *) JobAlloc(job, sizeof(uint32_t) * ((size_t) job->nitems + 1));
	for (uint32_t i = 0; i < job->nitems; i++)
		dci->map[i] = i < job->skip ? GPU_NONE : i - job->skip;
	dci->bitmaps.map = dci->map;
	dci->bitmaps.nmap = job->nitems;
	dci->bitmaps.nrows = job->nitems - job->skip;
	LevelsMine(job, &dci_counter, dci);
}

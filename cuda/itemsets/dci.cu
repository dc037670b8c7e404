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
#include "itemsets/dci_drop.h"
#include "itemsets/dci_pairs.h"

#define THREADS			256		/* of a thread block, at most */
#define AT_ONCE			4		/* candidates for which a prefix is read once */

/* Rows of this many chunks and more are counted by thread blocks of 128 and 256 threads. */
#define LONG_ROW		512
#define VERY_LONG_ROW	8192

/* Memory is set aside for this many thread blocks of each multiprocessor, ... */
#define THREAD_BLOCKS	16
/* ... whose caches hold this many prefixes each. */
#define CACHED_PREFIXES	12

/* Where bitmaps stay, batches are small, so that the host forms one while another is counted. */
#define BATCH_BYTES		((uint64_t) 2 << 20)
#define STREAMED_BYTES	((uint64_t) 8 << 20)

/* How many groups a thread encodes at a time. */
#define ENCODED_AT_ONCE	512

/* ---- counting on the device ---- */

static __device__ __forceinline__ const uint4 *
RowOf(const BitView &view, uint32_t row)
{
	return view.bits + row * view.stride;
}

/*
 * The intersection of the prefix's first "from" items is in the cache, or is a row if that is one
 * item.  Intersect it with one more item after the other, and write each of these
 * intersections to the cache, up to that of "to" items.
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
 * Count up to AT_ONCE candidates of one prefix.  The base is the intersection of the prefix's first
 * "made" items, so the other items are intersected here.
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
			uint32_t	sum = SumWarp(sums[i]);

			if (threadIdx.x % 32 == 0 && sum != 0)
				atomicAdd(&batch.counts[first + i], sum);
		}
}

/*
 * Do the operations first .. end - 1.  Each thread has chunks of its own.  If a prefix has few
 * candidates, it is not worth writing its last intersection, which no other prefix shares.
 */
static __device__ void
Operate(const BitView &view, const Operations &batch, const PrefixCache &cache, uint32_t first, uint32_t end,
		uint32_t thread, uint32_t nthreads)
{
	uint32_t	have = 1;		/* the cache goes up to so many of the prefix's first items */

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

/* ---- memory ---- */

/* The least bytes of a batch, which must hold one candidate, however long candidates get. */
static uint64_t
LeastBatch(const Dci *dci)
{
	return 256 + sizeof(uint32_t) * ((uint64_t) dci->job->db->max_row + 8);
}

/*
 * Plan what to take of devices that have room for so many bytes.  Bitmaps come first,
 * all of them if they fit.  What is left goes to their spare copy and to the caches.
 * Returns the bytes that are needed, which may be more than there is room for.
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

/* Plan for all the memory that there is, and take it.  If that fails, plan for less and less. */
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

/*
 * Prune the transactions of which streamed bitmaps are made.  The bitmaps of what is left may fit
 * the devices as a whole.
 */
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

/* Bytes of a cache for so many prefixes. */
static uint64_t
CacheBytes(const Dci *dci, uint32_t lengths)
{
	return (uint64_t) dci->bitmaps.widest * sizeof(uint4) * lengths;
}

/*
 * Choose how to count this level: candidate-wise, as in the paper, if there is room for
 * the caches of as many thread blocks as fill the device.
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
		DciDropOnDevice(dci, level);
	ChooseWay(dci);

	/* a group has an operation, its task and its items' rows; a candidate has a last item and a count */
	*group_bytes = sizeof(Operation) + sizeof(uint32_t) * (1 + (size_t) dci->k);
	*candidate_bytes = 2 * sizeof(uint32_t);
	*batch_bytes = dci->batch_bytes;
	if (dci->bitmaps.resident)
		*batch_bytes = GpuBetween(LeastBatch(dci), BATCH_BYTES, dci->batch_bytes);
	*batch_bytes -= 64;
}

/* ---- a batch ---- */

/* Give each device groups that have about as many candidates as the others'. */
static void
ShareBatch(Dci *dci, const CandidateBatch *batch, DciShare *shares)
{
	int			n = dci->job->team.ndevices;
	uint32_t	group = 0;

	for (int d = 0; d < n; d++)
	{
		DciShare   *share = &shares[d];
		uint32_t	end = (uint32_t) ((uint64_t) batch->n * (d + 1) / n);

		memset(share, 0, sizeof(DciShare));
		share->first_group = group;
		share->first = group < batch->ngroups ? batch->groups[group].first : batch->n;
		while (group < batch->ngroups && batch->groups[group].first < end)
			share->n += batch->groups[group++].n;
		share->ngroups = group - share->first_group;
	}
}

/* How many candidates a task has: so few that each thread block gets several tasks. */
static uint32_t
TaskCandidates(const Dci *dci, uint32_t n)
{
	return (uint32_t) GpuBetween(8, n / (dci->thread_blocks * 4 + 1), 1024);
}

/* A share in the form that kernels read, while the host writes it. */
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
	uint32_t   *counts;			/* not sent, only zeroed on the device */
} DciEncoding;

/* A task ends when it has enough candidates. */
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
 * items, and room for the counts.  Returns how many bytes of it are to be sent.
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
	DciShare   *share = &dci->current[d];

	share->next = 0;
	return share->n > 0;
}

/* Launch as much of the share as does not take long.  Returns whether there is more. */
static bool
LaunchShare(void *of, int d, const BitView *view, uint32_t number, uint32_t nblocks)
{
	Dci		   *dci = (Dci *) of;
	GpuDevice  *device = dci->job->team.devices[d];
	DciShare   *share = &dci->current[d];
	uint32_t	units = dci->by_transactions ? share->ngroups : share->ntasks;
	double		bits = (double) share->n * view->stride * BITMAP_CHUNK;
	double		each = bits / units > 0 ? bits / units : 1;
	double		amount = GpuLaunchAmount(device, each, GpuLesser(4096, share->n) * (bits / share->n));
	uint32_t	n = (uint32_t) GpuLesser(units - share->next, (uint64_t) (amount / each) + 1);
	uint32_t	end = share->next + n;
	PrefixCache	cache = {(uint4 *) dci->memory[d].cache, view->stride, dci->k - 1};
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
	DciShare   *shares = dci->shares[batch->number];

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

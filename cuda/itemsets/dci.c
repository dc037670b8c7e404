/*-------------------------------------------------------------------------
 *
 * dci.c
 *	  Strategies dci_transaction and dci_candidate: gpuDCI.
 *
 * After Silvestri and Orlando, "gpuDCI: Exploiting GPUs in Frequent Itemset
 * Mining" (PDP 2012), and the DCI that it descends from (Orlando et al., ICDM
 * 2002).  Pairs are counted on the CPU, transaction by transaction, after which
 * items and transactions that cannot matter any more are left out (dci_pairs.c);
 * then vertical bitmaps are made of the rest and candidates are counted by
 * intersecting them.
 *
 * Candidates come as batches of operations (dci_encode.h), which are counted in one of two
 * ways (dci_kernels.h).
 *
 * In the paper, the dataset stays as it is once candidates are intersected.  Here, transactions
 * that have too few items that are still in use are dropped between levels.
 *
 *-------------------------------------------------------------------------
 */
#include "copies.h"
#include "itemsets/dci.h"
#include "itemsets/dci_drop.h"
#include "itemsets/dci_encode.h"
#include "itemsets/dci_kernels.h"
#include "itemsets/dci_memory.h"
#include "itemsets/dci_pairs.h"

#include <string.h>

/* Rows of this many chunks and more are counted by thread blocks of 128 and 256 threads. */
#define LONG_ROW		512
#define VERY_LONG_ROW	8192

/*
 * If bitmaps stay on the devices, batches are small, so that the host forms one while another
 * is counted.
 */
#define BATCH_BYTES		((uint64_t) 2 << 20)

/* ---- dropping transactions between levels ---- */

/*
 * Prune the transactions of which streamed bitmaps are made.  The bitmaps of the transactions
 * that are left may fit the devices as a whole.
 */
static void
PruneStreamed(Dci *dci, const ItemsetLevel *level)
{
	for (int d = 0; d < dci->job->team.ndevices; d++)
		for (int s = 0; s < GPU_STREAMS; s++)
			OrLeave(GpuWait(&dci->job->team, dci->job->team.devices[d], s, "dropping transactions"));
	DciFreeMemory(dci);
	JobFree(dci->job, dci->encoded);
	dci->encoded = NULL;
	DciPruneOnHost(dci, level);
	DciTakeMemory(dci);
}

/* ---- counting a level ---- */

static uint32_t
ThreadsOfBlock(const Dci *dci)
{
	uint32_t	chunks = dci->bitmaps.widest;

	return chunks < LONG_ROW ? 32 : chunks < VERY_LONG_ROW ? 128 : 256;
}

/* The bytes of a cache that has room for "lengths" intersections. */
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
		thread_blocks = (uint64_t) processors * DCI_THREAD_BLOCKS;	/* there is nothing to be cached */
	dci->thread_blocks = (uint32_t) GpuLesser(thread_blocks, (uint64_t) processors * DCI_THREAD_BLOCKS);
	dci->by_transactions = dci->transaction_wise || dci->thread_blocks < (uint32_t) processors;
}

static void
BeginLevel(void *of, ItemsetLevels *levels, size_t *batch_bytes, size_t *group_bytes, size_t *candidate_bytes)
{
	Dci		   *dci = (Dci *) of;
	const ItemsetLevel *level = levels->current;

	dci->k = level->k;
	if (!dci->ready)
		DciTakeMemory(dci);
	else if (!dci->bitmaps.resident)
		PruneStreamed(dci, level);
	else if (level->k > 1)
		DciDropOnDevice(dci, level);
	ChooseWay(dci);

	/*
	 * a group takes an operation, its task and its items' rows; a candidate takes a last item
	 * and a count
	 */
	*group_bytes = sizeof(Operation) + sizeof(uint32_t) * (1 + (size_t) dci->k);
	*candidate_bytes = 2 * sizeof(uint32_t);
	*batch_bytes = dci->batch_bytes;
	if (dci->bitmaps.resident)
		*batch_bytes = GpuBetween(DciLeastBatch(dci), BATCH_BYTES, dci->batch_bytes);
	*batch_bytes -= 64;
}

/* ---- a batch ---- */

static bool
BeginLaunches(void *of, int d)
{
	Dci		   *dci = (Dci *) of;
	DciShare   *share = &dci->current[d];

	share->next = 0;
	return share->n > 0;
}

/* Launch as much of the share's counting as does not take long.  Returns whether there is more. */
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
		DciLaunchByTransactions(view, &share->on_device, &cache, share->next, end, stream);
	}
	else
		DciLaunchByCandidates(view, &share->on_device, &cache, share->next, end,
							  (uint32_t) GpuLesser(n, dci->thread_blocks), ThreadsOfBlock(dci), stream);
	OrLeave(GpuLaunched(device, "counting candidates"));
	OrLeave(GpuEnd(device, GPU_COUNT, timer));
	share->next = end;
	return end < units;
}

static void
Send(void *of, const ItemsetLevels *levels, ItemsetBatch *batch)
{
	Dci		   *dci = (Dci *) of;
	ItemsetJob *job = dci->job;
	DciShare   *shares = dci->shares[batch->number];

	DciShareBatch(dci, batch, shares);
	for (int d = 0; d < job->team.ndevices; d++)
	{
		GpuDevice  *device = job->team.devices[d];
		char	   *on_device = dci->memory[d].batch[batch->number];
		size_t		bytes = DciEncodeShare(dci, levels->current, batch, &shares[d], on_device);

		OrLeave(GpuSend(&job->team, device, GPU_COUNT, on_device, dci->encoded, bytes, "copying candidates"));
		OrLeave(GpuCheck(device, cudaMemsetAsync(shares[d].on_device.counts, 0, sizeof(uint32_t) * shares[d].n,
												 device->streams[GPU_COUNT]), "copying candidates"));
	}
}

static void
Count(void *of, const ItemsetLevels *levels, ItemsetBatch *batch)
{
	Dci		   *dci = (Dci *) of;
	BitmapsWork work = {{NULL, NULL}, BeginLaunches, LaunchShare, dci};

	dci->current = dci->shares[batch->number];
	BitmapsCount(dci->job, &dci->bitmaps, &work);
}

static void
Collect(void *of, const ItemsetLevels *levels, ItemsetBatch *batch)
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
	dci->transaction_wise = job->asked->head.strategy == FIM_GPU_DCI_TRANSACTION;
	TransactionsOfDatabase(job, &dci->bitmaps.from);
	dci->map = (uint32_t *) JobAlloc(job, sizeof(uint32_t) * ((size_t) job->nitems + 1));
	for (uint32_t i = 0; i < job->nitems; i++)
		dci->map[i] = i < job->skip ? GPU_NONE : i - job->skip;
	dci->bitmaps.map = dci->map;
	dci->bitmaps.nmap = job->nitems;
	dci->bitmaps.nrows = job->nitems - job->skip;
	LevelsMine(job, &dci_counter, dci);
}

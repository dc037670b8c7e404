/*-------------------------------------------------------------------------
 *
 * gpudci.c
 *	  Strategies dci_transaction and dci_candidate: gpuDCI.
 *
 * After Silvestri and Orlando, "gpuDCI: Exploiting GPUs in Frequent Itemset
 * Mining" (PDP 2012), and the DCI that it descends from (Orlando et al., ICDM
 * 2002).  Pairs are counted on the CPU, transaction by transaction, after which
 * items and transactions that cannot matter any more are left out;
 * then vertical bitmaps are made of the rest and candidates are counted by
 * intersecting them.
 *
 * Candidates come as batches of operations, which are counted in one of two
 * ways (gpudci.h).
 *
 * In the paper, the dataset stays as it is once candidates are intersected.  Here, transactions
 * that have too few items that are still in use are dropped between levels.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "ancestors/gpudci/gpudci.h"
#include "itemsets/levels.h"
#include "team.h"

/*
 * What gpuDCI does with transactions on the host: counting pairs, and leaving out what is no longer needed.
 *
 * DCI's direct count has a counter for each pair of items, found by the two items'
 * numbers, and goes through the transactions.  Its pruning keeps the items that are
 * in enough of a level's itemsets to be in one of the next level, and then the
 * transactions that have enough of these.
 */

/* The most counters of pairs that are used at a time, which bounds the memory. */
#define PAIR_COUNTERS	(UINT64_C(1) << 26)

/* Nanoseconds to count a pair of a transaction's items. */
#define PAIR_NS			1.5
/* Nanoseconds to form a candidate. */
#define CANDIDATE_NS	15.0
/* Nanoseconds to count a chunk of a candidate on a device. */
#define CHUNK_NS		0.01

/*
 * Pruning.
 */

void
DciCountOccurrences(Dci *dci, const ItemsetLevel *level, uint32_t *occurs)
{
	uint32_t	nitems = dci->job->nitems;

	memset(occurs, 0, sizeof(uint32_t) * nitems);
	for (uint64_t c = 0; c < level->nclasses; c++)
	{
		const LevelClass *of = &level->classes[c];

		for (uint32_t i = 0; i < level->k - 1; i++)
			occurs[ClassPrefix(level, c)[i]] += of->n;
		for (uint32_t m = of->first; m < of->first + of->n; m++)
			occurs[level->last[m]]++;
	}
}

/*
 * Keep only the transactions' items that have a row in the map, and then only the transactions
 * that have at least "least" of these items.
 */
static void
PruneTransactions(Dci *dci, uint32_t least)
{
	ItemsetsJob *job = dci->job;
	ItemsetTransactions *from = &dci->bitmaps.from;
	FimRow	   *rows = (FimRow *) JobAlloc(job, sizeof(FimRow) * ((size_t) from->nrows + 1));
	uint32_t   *items = (uint32_t *) JobAlloc(job, sizeof(uint32_t) * (from->entries + 1));
	ItemsetTransactions to = {rows, items, 0, 0, 0, from->weighted};

	for (uint32_t r = 0; r < from->nrows; r++)
	{
		FimRow		row = {to.entries, 0, from->rows[r].weight};
		const uint32_t *item = from->items + from->rows[r].at;

		for (uint32_t i = 0; i < from->rows[r].length; i++)
		{
			items[row.at + row.length] = item[i];
			row.length += item[i] < job->nitems && dci->map[item[i]] != GPU_NONE;
		}
		JobWork(job, 2 + from->rows[r].length);
		if (row.length < least)
			continue;
		to.longest = row.length > to.longest ? row.length : to.longest;
		to.entries += row.length;
		rows[to.nrows++] = row;
	}
	JobFree(job, dci->rows);
	JobFree(job, dci->items);
	dci->rows = rows;
	dci->items = items;
	*from = to;
}

/* Called after a level has been counted: keeps what the next level needs of the transactions. */
static void
DciPruneOnHost(Dci *dci, const ItemsetLevel *level)
{
	uint32_t	nlive = 0;

	DciCountOccurrences(dci, level, dci->map);
	for (uint32_t i = 0; i < dci->job->nitems; i++)
		dci->map[i] = dci->map[i] >= level->k ? nlive++ : GPU_NONE;
	dci->bitmaps.nrows = nlive;
	PruneTransactions(dci, level->k + 1);
}

/*
 * Pairs.
 */

/* Whether it is quicker to count pairs in the transactions than to intersect items. */
static bool
PairsPay(const Dci *dci)
{
	ItemsetsJob *job = dci->job;
	const ItemsetTransactions *from = &dci->bitmaps.from;
	double		n = job->nitems - job->skip;
	double		candidates = n * (n - 1) / 2;
	double		pairs = 0;
	double		passes = candidates / (double) PAIR_COUNTERS;

	for (uint32_t r = 0; r < from->nrows; r++)
	{
		double		length = from->rows[r].length - job->skip;

		pairs += 0.5 * length * (length - 1);
		JobWork(job, 1);
	}
	return pairs * PAIR_NS * (passes > 1 ? passes : 1) <=
		candidates * (CANDIDATE_NS + (double) from->nrows / BITMAP_CHUNK * CHUNK_NS / job->team.ndevices);
}

/* Count the pairs whose first items are low .. high - 1. */
static void
CountPairsOf(Dci *dci, uint32_t low, uint32_t high, uint32_t **counts)
{
	const ItemsetTransactions *from = &dci->bitmaps.from;
	uint32_t	nitems = dci->job->nitems;

	for (uint32_t r = 0; r < from->nrows; r++)
	{
		const FimRow *row = &from->rows[r];
		const uint32_t *items = from->items + row->at;
		uint32_t	n = row->length;

		while (n > 0 && items[n - 1] >= nitems)
			n--;
		/* all rows begin with the items that are in all transactions */
		for (uint32_t i = dci->job->skip; i < n && items[i] < high; i++)
		{
			uint32_t   *of = counts[items[i] >= low ? items[i] - low : 0];

			if (items[i] < low)
				continue;
			for (uint32_t j = i + 1; j < n; j++)
				of[items[j]] += row->weight;
			JobWork(dci->job, n - i);
		}
	}
}

/* A LevelCounter's count_pairs().  It counts pairs if that is quicker than counting them as candidates. */
static bool
DciCountPairs(void *of, ItemsetLevels *levels)
{
	Dci		   *dci = (Dci *) of;
	ItemsetsJob *job = dci->job;
	uint32_t	n = job->nitems;
	uint32_t	high;
	uint32_t  **counts;

	if (!PairsPay(dci))
		return false;
	counts = (uint32_t **) JobAlloc(job, sizeof(uint32_t *) * n);
	for (uint32_t low = job->skip; low + 1 < n; low = high)
	{
		uint64_t	ncounters = 0;
		uint32_t   *counters;
		uint32_t   *next;

		for (high = low; high + 1 < n && (high == low || ncounters + n - high <= PAIR_COUNTERS); high++)
			ncounters += n - high - 1;
		next = counters = (uint32_t *) JobAlloc(job, sizeof(uint32_t) * ncounters);
		memset(counters, 0, sizeof(uint32_t) * ncounters);
		/* the counters of item i are indexed by the pair's other item, which is i + 1 or greater */
		for (uint32_t i = low; i < high; next += n - ++i)
			counts[i - low] = next - (i + 1);
		CountPairsOf(dci, low, high, counts);
		for (uint32_t i = low; i < high; i++)
		{
			for (uint32_t j = i + 1; j < n; j++)
				if (counts[i - low][j] >= job->spec->minsup)
					LevelsAddPair(levels, i, j, counts[i - low][j]);
			JobWork(job, n - i);
		}
		JobFree(job, counters);
	}
	JobFree(job, counts);
	DciPruneOnHost(dci, levels->next);
	return true;
}

/*
 * Batches of candidates as gpuDCI's kernels read them.
 */

/* How many groups a thread encodes at a time. */
#define ENCODED_AT_ONCE	512

/* Gives each device a share of the batch's groups.  All shares have about the same number of candidates. */
static void
DciShareBatch(const Dci *dci, const ItemsetBatch *batch, DciShare *shares)
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

/* How many candidates a load has at least: so few that each block of threads gets several loads. */
static uint32_t
CandidatesOfLoad(const Dci *dci, uint32_t n)
{
	return (uint32_t) GpuBetween(8, n / (dci->thread_blocks * 4 + 1), 1024);
}

/* A share in the form that kernels read, while the host writes it. */
typedef struct DciEncoding
{
	const Dci  *dci;
	const ItemsetLevel *level;
	const ItemsetBatch *batch;
	const DciShare *share;
	uint32_t   *loads;
	Operation  *operations;
	uint32_t   *items;
	uint32_t   *last;
	uint32_t   *counts;			/* not sent, only zeroed on the device */
} DciEncoding;

/* Cut the share's groups into loads.  A load ends when it has enough candidates. */
static void
EncodeLoads(const DciEncoding *encoding, DciShare *share)
{
	const ItemsetGroup *groups = encoding->batch->groups + share->first_group;
	uint32_t	load = CandidatesOfLoad(encoding->dci, share->n);
	uint32_t	in_load = load;

	for (uint32_t g = 0; g < share->ngroups; g++)
	{
		if (in_load >= load)
		{
			encoding->loads[share->nloads++] = g;
			in_load = 0;
		}
		in_load += groups[g].n;
	}
	encoding->loads[share->nloads] = share->ngroups;
}

/* How many items the prefixes of two groups have in common. */
static uint32_t
CommonPrefix(const ItemsetLevel *level, const ItemsetGroup *a, const ItemsetGroup *b)
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
	const ItemsetLevel *level = encoding->level;
	const DciShare *share = encoding->share;
	const uint32_t *map = encoding->dci->map;
	const ItemsetGroup *groups = encoding->batch->groups + share->first_group;
	uint32_t	end = (uint32_t) GpuLesser((part + 1) * ENCODED_AT_ONCE, share->ngroups);

	for (uint32_t g = part * ENCODED_AT_ONCE; g < end; g++)
	{
		const ItemsetGroup *group = &groups[g];
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
 * Encodes a share into dci->encoded: loads, operations, the rows of their items, the rows of
 * the last items, and room for the counts.  Sets share->on_device to where these parts will be
 * once they have been copied to "on_device".  Returns how many bytes are to be copied: all but
 * the counts.
 */
static size_t
DciEncodeShare(Dci *dci, const ItemsetLevel *level, const ItemsetBatch *batch, DciShare *share,
			   char *on_device)
{
	DciEncoding	encoding = {dci, level, batch, share};
	char	   *at = dci->encoded;

	encoding.loads = (uint32_t *) at;
	encoding.operations = (Operation *) (encoding.loads + share->ngroups + 1);
	encoding.items = (uint32_t *) (encoding.operations + share->ngroups);
	encoding.last = encoding.items + (size_t) share->ngroups * dci->k;
	encoding.counts = encoding.last + share->n;
	EncodeLoads(&encoding, share);
	OrLeave(HostRun(&dci->job->team, GpuBlocks(share->ngroups, ENCODED_AT_ONCE), EncodeOperations, &encoding));

	share->on_device.loads = (const uint32_t *) on_device;
	share->on_device.operations = (const Operation *) (on_device + ((char *) encoding.operations - at));
	share->on_device.items = (const uint32_t *) (on_device + ((char *) encoding.items - at));
	share->on_device.last = (const uint32_t *) (on_device + ((char *) encoding.last - at));
	share->on_device.counts = (uint32_t *) (on_device + ((char *) encoding.counts - at));
	share->on_device.k = dci->k;
	return (size_t) ((char *) encoding.counts - at);
}

/*
 * Memory of a job of gpuDCI: bitmaps, batches of candidates and caches of intersections.
 *
 * The functions leave by JobLeave() if something fails.
 */

/* Memory is set aside for this many thread blocks of each multiprocessor. */
#define DCI_THREAD_BLOCKS	16

/* The number of intersections that a thread block's cache has room for, if there is enough memory. */
#define CACHED_PREFIXES	12

/* The most bytes of a batch. */
#define MOST_BATCH_BYTES	((uint64_t) 8 << 20)

/* The fewest bytes that a batch may have: it must hold one candidate, however long candidates get. */
static uint64_t
DciLeastBatch(const Dci *dci)
{
	return 256 + sizeof(uint32_t) * ((uint64_t) dci->job->db->max_row + 8);
}

/*
 * Plan what to take of devices that have "room" bytes.  Bitmaps come first, all of them if they
 * fit.  What is left goes to their spare copy and to the caches.  Returns the bytes that are
 * needed, which may be more than "room".
 */
static uint64_t
Plan(void *of, uint64_t room)
{
	Dci		   *dci = (Dci *) of;
	ItemsetsJob *job = dci->job;
	Bitmaps    *bitmaps = &dci->bitmaps;
	uint64_t	fixed;
	uint64_t	bits;
	uint64_t	wanted;

	BitmapsPlanParcels(bitmaps, room);
	dci->batch_bytes = GpuBetween(DciLeastBatch(dci), room / 16, MOST_BATCH_BYTES);
	fixed = sizeof(uint32_t) * (uint64_t) bitmaps->nmap + BitmapsParcelsBytes(bitmaps) +
		2 * dci->batch_bytes + 4096;
	dci->cache_bytes = 0;
	dci->has_spare = false;
	bitmaps->resident = true;
	BitmapsPlan(job, bitmaps, UINT32_MAX);
	bits = BitmapsBytes(bitmaps, true);
	if (fixed + bits > room)
	{
		/* a quarter of what is left is for the caches */
		uint64_t	width = room > fixed ? (room - fixed) / 4 * 3 /
			(BITMAP_SLOTS * sizeof(uint4) * (uint64_t) GpuGreater(bitmaps->nrows, 1)) * BITMAP_CHUNK : 0;

		bitmaps->resident = false;
		BitmapsPlan(job, bitmaps, GpuLesser(width, UINT32_MAX));
		bits = BitmapsBytes(bitmaps, false);
		if (fixed + bits > room)
			return fixed + bits;
	}
	else if (fixed + 2 * bits <= room)
	{
		dci->has_spare = true;
		bits *= 2;
	}
	wanted = (uint64_t) job->team.devices[0]->processors * DCI_THREAD_BLOCKS * CACHED_PREFIXES *
		bitmaps->widest * sizeof(uint4);
	dci->cache_bytes = GpuLesser(wanted, room - fixed - bits);
	return fixed + bits + dci->cache_bytes;
}

/* Gives back what the job has on the devices. */
static void
DciFreeMemory(Dci *dci)
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
TakePlanned(void *of)
{
	Dci		   *dci = (Dci *) of;
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
		DciFreeMemory(dci);
	return enough;
}

/* Plans for all the memory that there is, and takes it on the devices and on the host. */
static void
DciTakeMemory(Dci *dci)
{
	BitmapsUser user = {Plan, TakePlanned, dci};

	BitmapsTakeMost(dci->job, &dci->bitmaps, &user);
	dci->encoded = (char *) JobAlloc(dci->job, dci->batch_bytes);
	dci->ready = true;
}

/* Rows of this many chunks and more are counted by thread blocks of 128 and 256 threads. */
#define LONG_ROW		512
#define VERY_LONG_ROW	8192

/*
 * If bitmaps stay on the devices, batches are small, so that the host forms one while another
 * is counted.
 */
#define BATCH_BYTES		((uint64_t) 2 << 20)

/*
 * Dropping transactions between levels.
 */

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

/*
 * Counting a level.
 */

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
		thread_blocks = (uint64_t) processors * DCI_THREAD_BLOCKS; /* there is nothing to be cached */
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
	 * a group takes an operation, its load and its items' rows; a candidate takes a last item
	 * and a count
	 */
	*group_bytes = sizeof(Operation) + sizeof(uint32_t) * (1 + (size_t) dci->k);
	*candidate_bytes = 2 * sizeof(uint32_t);
	*batch_bytes = dci->batch_bytes;
	if (dci->bitmaps.resident)
		*batch_bytes = GpuBetween(DciLeastBatch(dci), BATCH_BYTES, dci->batch_bytes);
	*batch_bytes -= 64;
}

/*
 * A batch.
 */

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
LaunchShare(void *of, int d, const BitView *view, uint32_t number, uint32_t nsheets)
{
	Dci		   *dci = (Dci *) of;
	GpuDevice  *device = dci->job->team.devices[d];
	DciShare   *share = &dci->current[d];
	uint32_t	all = dci->by_transactions ? share->ngroups : share->nloads;
	double		bits = (double) share->n * view->stride * BITMAP_CHUNK;
	double		each = bits / all > 0 ? bits / all : 1;
	double		amount = GpuLaunchAmount(device, each, GpuLesser(4096, share->n) * (bits / share->n));
	uint32_t	n = (uint32_t) GpuLesser(all - share->next, (uint64_t) (amount / each) + 1);
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
	return end < all;
}

static void
Send(void *of, const ItemsetLevels *levels, ItemsetBatch *batch)
{
	Dci		   *dci = (Dci *) of;
	ItemsetsJob *job = dci->job;
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

		OrLeave(GpuReceive(&dci->job->team, dci->job->team.devices[d], batch->counts + share->first,
						   share->on_device.counts, sizeof(uint32_t) * share->n, "returning supports"));
	}
}

static const LevelCounter dci_counter = {DciCountPairs, BeginLevel, Send, Count, Collect};

void
DciMine(ItemsetsJob *job)
{
	Dci		   *dci = (Dci *) JobAlloc(job, sizeof(Dci));

	memset(dci, 0, sizeof(Dci));
	dci->job = job;
	dci->transaction_wise = job->spec->head.strategy == FIM_GPU_DCI_TRANSACTION;
	TransactionsOfDatabase(job, &dci->bitmaps.from);
	dci->map = (uint32_t *) JobAlloc(job, sizeof(uint32_t) * ((size_t) job->nitems + 1));
	for (uint32_t i = 0; i < job->nitems; i++)
		dci->map[i] = i < job->skip ? GPU_NONE : i - job->skip;
	dci->bitmaps.map = dci->map;
	dci->bitmaps.nmap = job->nitems;
	dci->bitmaps.nrows = job->nitems - job->skip;
	LevelsMine(job, &dci_counter, dci);
}

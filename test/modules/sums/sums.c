/*-------------------------------------------------------------------------
 *
 * sums.c
 *	  The tiny family on the engine's floor.
 *
 *-------------------------------------------------------------------------
 */
#include "sums.h"

#include <string.h>

#define GREEDY_BLOCK	((size_t) 1 << 20)

/* More than any limit in the tests, more than half of it, and less than results take. */
#define TOO_MUCH		((size_t) 1 << 30)
#define CROWDED_BLOCK	((size_t) 20 << 20)
#define SMALL_BLOCK		((size_t) 64 << 10)

static size_t
AlignUp(size_t size)
{
	return (size + 7) / 8 * 8;
}

size_t
SumsSize(uint64_t nentries, uint32_t nitems, bool indexed)
{
	size_t		size = AlignUp(sizeof(SumsData)) + nentries * sizeof(double) +
		AlignUp(nentries * sizeof(uint32_t));

	return indexed ? size + (nitems + 1 + nentries) * sizeof(uint64_t) : size;
}

void
SumsLayout(SumsData *data, uint64_t nentries, uint32_t nitems)
{
	memset(data, 0, sizeof(SumsData));
	data->head.size = SumsSize(nentries, nitems, false);
	data->nentries = nentries;
	data->nitems = nitems;
	data->value_at = AlignUp(sizeof(SumsData));
	data->item_at = data->value_at + nentries * sizeof(double);
	data->start_at = data->head.size;
	data->order_at = data->start_at + (nitems + 1) * sizeof(uint64_t);
}

static size_t
CpuSize(const FimData *data)
{
	const SumsData *sums = (const SumsData *) data;

	return SumsSize(sums->nentries, sums->nitems, true);
}

/* Sort the entries by item, by counting. */
static bool
CpuPrepare(FimData *data, FimHost *host)
{
	SumsData   *sums = (SumsData *) data;
	const uint32_t *item = SUMS_ITEMS(sums);
	uint64_t   *start = (uint64_t *) ((char *) data + sums->start_at);
	uint64_t   *order = (uint64_t *) ((char *) data + sums->order_at);

	if (host->poll(host))
		return false;
	memset(start, 0, (sums->nitems + 1) * sizeof(uint64_t));
	for (uint64_t e = 0; e < sums->nentries; e++)
		start[item[e] + 1]++;
	for (uint32_t i = 0; i < sums->nitems; i++)
		start[i + 1] += start[i];
	for (uint64_t e = 0; e < sums->nentries; e++)
		order[start[item[e]]++] = e;
	memmove(start + 1, start, sums->nitems * sizeof(uint64_t));
	start[0] = 0;
	sums->indexed = true;
	data->size = CpuSize(data);
	return true;
}

static uint64_t
Units(const FimTask *task)
{
	return (((const SumsData *) task->data)->nitems + SUMS_UNIT - 1) / SUMS_UNIT;
}

static size_t
SummarySize(const FimTask *task)
{
	return task->spec->count_only ? sizeof(SumsSummary) : 0;
}

static void
SummaryAdd(const FimTask *task, void *into, const void *from)
{
	SumsSummary *sum = into;
	const SumsSummary *added = from;

	sum->items += added->items;
	sum->total += added->total;
}

/* A worker's share of a task. */
typedef struct Share
{
	const FimTask *task;
	FimHost    *host;
	FimSink    *sink;
	uint32_t	batch[FIM_BATCH_WORDS];
	size_t		used;
} Share;

static bool
Flush(Share *share)
{
	size_t		used = share->used;

	share->used = 0;
	return used == 0 || share->sink->write(share->sink, share->batch, used,
										   used / SUMS_RECORD_WORDS);
}

static bool
Stopped(const Share *share)
{
	return FimMustStop(share->task->shared, share->host);
}

static FimResult
WaitUntilStopped(const Share *share)
{
	while (!Stopped(share))
		;
	return FIM_STOPPED;
}

/* Until somebody has taken the next unit, if there is one. */
static FimResult
WaitForOthers(const Share *share, uint32_t unit)
{
	const FimShared *shared = share->task->shared;

	while (unit + 1 < shared->units &&
		   __atomic_load_n(&shared->next_unit, __ATOMIC_RELAXED) <= unit + 1)
		if (Stopped(share))
			return FIM_STOPPED;
	return FIM_DONE;
}

static FimResult
TakeAllMemory(const Share *share)
{
	while (share->host->alloc(share->host, GREEDY_BLOCK) != NULL)
		if (Stopped(share))
			return FIM_STOPPED;
	return FIM_OUT_OF_MEMORY;
}

/* Take memory and keep it until the task is stopped. */
static FimResult
TakeRoom(const Share *share)
{
	FimHost    *host = share->host;

	if (share->task->spec->strategy == SUMS_CROWDED_RESULTS)
	{
		while (host->alloc(host, SMALL_BLOCK) != NULL)
			;
	}
	else if (host->alloc(host, CROWDED_BLOCK) == NULL)
		return FIM_OUT_OF_MEMORY;
	__atomic_fetch_add(&share->task->shared->nodes, 1, __ATOMIC_RELEASE);
	(void) WaitUntilStopped(share);
	if (share->task->spec->strategy == SUMS_CROWDED_ERROR ||
		share->task->spec->strategy == SUMS_CROWDED_OWN_ERROR)
		(void) host->alloc(host, TOO_MUCH);
	return FIM_STOPPED;
}

/* Need memory once another process has taken its room. */
static FimResult
FindNoRoom(Share *share)
{
	while (__atomic_load_n(&share->task->shared->nodes, __ATOMIC_ACQUIRE) == 0)
		if (Stopped(share))
			return FIM_STOPPED;
	if (share->task->spec->strategy == SUMS_CROWDED_RESULTS)
		return Flush(share) ? FIM_DONE : FIM_STOPPED;
	return share->host->alloc(share->host, CROWDED_BLOCK) == NULL ? FIM_OUT_OF_MEMORY : FIM_DONE;
}

/* The second unit waits until there is a crowd; some results are written by then. */
static FimResult
EnterCrowd(Share *share, uint32_t unit)
{
	int			strategy = share->task->spec->strategy;
	bool		worker_finds_none = strategy == SUMS_CROWDED_WORKER ||
		strategy == SUMS_CROWDED_OWN_ERROR;

	if (unit == 2)
		return worker_finds_none ? FindNoRoom(share) : TakeRoom(share);
	if (strategy != SUMS_CROWDED_RESULTS && !Flush(share))
		return FIM_STOPPED;
	if (WaitForOthers(share, unit) == FIM_STOPPED)
		return FIM_STOPPED;
	return worker_finds_none ? TakeRoom(share) : FindNoRoom(share);
}

/* A process that has been in a crowd is alone the next time, and has room enough. */
static FimResult
Crowd(Share *share, uint32_t unit)
{
	static bool been_in_crowd = false;
	void	   *block;

	if (unit != 1 && unit != 2)
		return FIM_DONE;
	if (!been_in_crowd)
	{
		been_in_crowd = true;
		return EnterCrowd(share, unit);
	}
	if (unit == 2)
		been_in_crowd = false;
	block = share->host->alloc(share->host, CROWDED_BLOCK);
	if (block == NULL)
		return FIM_OUT_OF_MEMORY;
	share->host->free(share->host, block);
	return FIM_DONE;
}

/* The results until then are written first. */
static FimResult
TakeWhatIsKnown(Share *share)
{
	void	   *block[SUMS_KNOWN_BYTES / GREEDY_BLOCK];
	size_t		n = 0;
	size_t		most = sizeof(block) / sizeof(block[0]);

	if (!Flush(share))
		return FIM_STOPPED;
	while (n < most && (block[n] = share->host->alloc(share->host, GREEDY_BLOCK)) != NULL)
		n++;
	for (size_t i = 0; i < n; i++)
		share->host->free(share->host, block[i]);
	return n == most ? FIM_DONE : FIM_OUT_OF_MEMORY;
}

static FimResult
Dawdle(Share *share, uint32_t unit)
{
	switch (share->task->spec->strategy)
	{
		case SUMS_TOGETHER:
			return WaitForOthers(share, unit);
		case SUMS_KNOWN:
			return unit == 1 ? TakeWhatIsKnown(share) : FIM_DONE;
		case SUMS_KNOWN_ENDLESS:
		case SUMS_ENDLESS:
			return WaitUntilStopped(share);
		case SUMS_HANDOVER:
			return unit == 0 ? FIM_DONE : WaitUntilStopped(share);
		case SUMS_GREEDY:
			return TakeAllMemory(share);
		case SUMS_GREEDY_WORKER:
			return unit == 0 ? WaitUntilStopped(share) :
				share->host->alloc(share->host, TOO_MUCH) ? FIM_DONE : FIM_OUT_OF_MEMORY;
		case SUMS_CROWDED_WORKER:
		case SUMS_CROWDED_LEADER:
		case SUMS_CROWDED_RESULTS:
		case SUMS_CROWDED_ERROR:
		case SUMS_CROWDED_OWN_ERROR:
			return Crowd(share, unit);
		default:
			return FIM_DONE;
	}
}

static bool
GiveSum(Share *share, uint32_t item, double sum)
{
	SumsSummary *summary = share->task->summary;
	uint32_t   *record;

	__atomic_fetch_add(&share->task->shared->results, 1, __ATOMIC_RELAXED);
	if (summary != NULL)
	{
		summary->items++;
		summary->total += sum;
		return true;
	}
	if (share->used + SUMS_RECORD_WORDS > FIM_BATCH_WORDS && !Flush(share))
		return false;
	record = share->batch + share->used;
	record[0] = item;
	memcpy(record + 1, &sum, sizeof(sum));
	share->used += SUMS_RECORD_WORDS;
	return true;
}

static bool
SumItem(Share *share, uint32_t item)
{
	const SumsData *data = (const SumsData *) share->task->data;
	const double *value = SUMS_VALUES(data);
	const uint64_t *start = (const uint64_t *) ((const char *) data + data->start_at);
	const uint64_t *order = (const uint64_t *) ((const char *) data + data->order_at);
	double		sum = 0;

	for (uint64_t o = start[item]; o < start[item + 1]; o++)
		sum += value[order[o]];
	return GiveSum(share, item, sum);
}

static FimResult
SumUnit(Share *share, uint32_t unit)
{
	const SumsData *data = (const SumsData *) share->task->data;
	FimResult	result = Dawdle(share, unit);
	uint32_t	first = unit * SUMS_UNIT;

	for (uint32_t i = first; result == FIM_DONE && i < first + SUMS_UNIT && i < data->nitems; i++)
		if (!SumItem(share, i))
			result = FIM_STOPPED;
	if (result == FIM_DONE)
		FimUnitDone(share->task->shared);
	return result == FIM_DONE && Stopped(share) ? FIM_STOPPED : result;
}

static uint64_t
WorkerSize(const FimTask *task)
{
	return task->spec->strategy >= SUMS_KNOWN ? SUMS_KNOWN_BYTES : 0;
}

static FimResult
Mine(const FimTask *task, FimHost *host, FimSink *sink)
{
	Share	   *share = host->alloc(host, sizeof(Share));
	FimResult	result = FIM_DONE;
	int			strategy = task->spec->strategy;
	uint64_t	unit;

	if (share == NULL)
		return FIM_OUT_OF_MEMORY;
	share->task = task;
	share->host = host;
	share->sink = sink;
	share->used = 0;
	FimStrategyUsed(task->shared, strategy == SUMS_AUTO ? SUMS_PLAIN : strategy);
	while (result == FIM_DONE && FimTakeUnit(task->shared, sink, &unit))
		result = SumUnit(share, unit);
	if (result == FIM_DONE && !Flush(share))
		result = FIM_STOPPED;
	host->free(host, share);
	return result;
}

static const char *const strategies[] = {"auto", "plain", "together", "endless", "greedy",
"greedy_worker", "handover", "crowded_worker", "crowded_leader", "crowded_results",
"crowded_error", "crowded_own_error", "known", "known_endless", NULL};
static const char *const gpu_strategies[] = SUMS_GPU_STRATEGY_NAMES;

const FimFamily FimSumsFamily = {
	.name = "sums",
	.strategies = strategies,
	.gpu_strategies = gpu_strategies,
	.units = Units,
	.summary_size = SummarySize,
	.summary_add = SummaryAdd,
	.cpu_size = CpuSize,
	.cpu_prepare = CpuPrepare,
	.mine = Mine,
	.worker_size = WorkerSize
};

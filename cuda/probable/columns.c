/*-------------------------------------------------------------------------
 *
 * columns.c
 *	  Choosing the items that are mined, see columns.h.
 *
 * A device counts the items, since entries must be copied to devices anyway.  Where all
 * entries' items have room on the devices, they stay there until transactions are laid
 * out, and are not copied a second time.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "copies.h"
#include "probable/columns.h"

/* Entries that are sent and counted together.  While they are counted, the next ones are copied. */
#define SOME_ENTRIES	(UINT64_C(1) << 20)

/* Data with no more items than this are sent with 16 bits for each item, if they are kept. */
#define NARROW_ITEMS	65536

/* ---- counting ---- */

/*
 * Takes memory on each device for the items of all entries, or else of SOME_ENTRIES on the first device, which
 * alone counts.
 */
static cudaError_t
TakeItems(ProbableJob *job, bool all)
{
	uint64_t	room = job->data->entries;
	int			ndevices = all ? job->team.ndevices : 1;

	if (!all)
		room = GpuLesser(room, SOME_ENTRIES);
	job->items_kept = all;
	for (int d = 0; d < ndevices; d++)
		GPU_TRY(GpuAlloc(job->team.devices[d], sizeof(uint32_t) * room, "allocating memory for items",
						 (void **) &job->device_items[d]));
	return cudaSuccess;
}

/*
 * Takes memory on each device for SOME_ENTRIES items of 16 bits, if items are sent in that form;
 * otherwise sets the addresses to NULL.
 */
static cudaError_t
TakeNarrow(ProbableJob *job, void **narrow)
{
	memset(narrow, 0, sizeof(void *) * FIM_GPU_MAX_DEVICES);
	for (int d = 0; d < job->team.ndevices && job->items_kept && job->data->nitems <= NARROW_ITEMS; d++)
		GPU_TRY(GpuAlloc(job->team.devices[d], sizeof(uint16_t) * GpuLesser(job->data->entries, SOME_ENTRIES),
						 "allocating memory for items", &narrow[d]));
	return cudaSuccess;
}

/*
 * Sends n items from "first" on to to[d] on each device d where that is not NULL, by way of narrow[d] if that is
 * not NULL.
 */
static cudaError_t
SendSome(ProbableJob *job, void *const *narrow, void *const *to, uint64_t first, uint64_t n)
{
	const char *what = "counting items";

	if (narrow[0] == NULL)
		return GpuSendAll(&job->team, GPU_COUNT, to, job->items + first, sizeof(uint32_t) * n, what);
	GPU_TRY(GpuSendNarrow(&job->team, GPU_COUNT, narrow, job->items + first, n, what));
	for (int d = 0; d < job->team.ndevices; d++)
	{
		GPU_TRY(GpuUse(job->team.devices[d], what));
		GPU_TRY(LaunchWidenItems(job->team.devices[d], narrow[d], (uint32_t) n, to[d]));
	}
	return cudaSuccess;
}

/*
 * Sends the items of all entries to the devices that have memory for them, and has the first device add them to
 * "counts".
 */
static cudaError_t
CountEntries(ProbableJob *job, void *const *narrow, uint32_t *counts)
{
	const char *what = "counting items";
	GpuDevice  *device = job->team.devices[0];
	void	   *to[FIM_GPU_MAX_DEVICES];
	uint64_t	n;

	for (uint64_t first = 0; first < job->data->entries; first += n)
	{
		GpuTimer   *timer;

		n = GpuLesser(job->data->entries - first, SOME_ENTRIES);
		for (int d = 0; d < job->team.ndevices; d++)
			to[d] = job->items_kept ? job->device_items[d] + first : job->device_items[d];
		GPU_TRY(SendSome(job, narrow, to, first, n));
		GPU_TRY(GpuUse(device, what));
		GPU_TRY(GpuBegin(device, GPU_COUNT, FIM_GPU_BUILD, sizeof(uint32_t) * (double) n, &timer));
		GPU_TRY(LaunchCountItems(device, (uint32_t *) to[0], (uint32_t) n, counts, job->data->nitems));
		GPU_TRY(GpuEnd(device, GPU_COUNT, timer));
	}
	return cudaSuccess;
}

/* Sets counts[i] to the number of transactions that have item i. */
static cudaError_t
CountItems(ProbableJob *job, uint32_t *counts)
{
	const char *what = "counting items";
	GpuDevice  *device = job->team.devices[0];
	size_t		bytes = sizeof(uint32_t) * job->data->nitems;
	uint32_t   *on_device;
	void	   *narrow[FIM_GPU_MAX_DEVICES];

	GPU_TRY(TakeNarrow(job, narrow));
	GPU_TRY(GpuAlloc(device, bytes, what, (void **) &on_device));
	GPU_TRY(GpuUse(device, what));
	GPU_TRY(GpuCheck(device, cudaMemsetAsync(on_device, 0, bytes, device->streams[GPU_COUNT]), what));
	GPU_TRY(CountEntries(job, narrow, on_device));
	GPU_TRY(GpuReceive(&job->team, device, GPU_COUNT, counts, on_device, bytes, what));
	for (int d = 0; d < job->team.ndevices; d++)
		GPU_TRY(GpuFree(job->team.devices[d], narrow[d]));
	return GpuFree(device, on_device);
}

cudaError_t
ItemsFree(ProbableJob *job)
{
	job->items_kept = false;
	for (int d = 0; d < job->team.ndevices; d++)
	{
		GPU_TRY(GpuFree(job->team.devices[d], job->device_items[d]));
		job->device_items[d] = NULL;
	}
	return cudaSuccess;
}

/* ---- columns ---- */

typedef struct CountedItem
{
	uint32_t	count;
	uint32_t	item;
} CountedItem;

static int
CompareCounts(const void *a, const void *b)
{
	const CountedItem *x = a;
	const CountedItem *y = b;

	if (x->count != y->count)
		return x->count < y->count ? -1 : 1;
	return x->item < y->item ? -1 : 1;
}

/* Makes columns of the items that are in enough transactions, and of the required ones. */
static cudaError_t
NameColumns(ProbableJob *job, const uint32_t *counts)
{
	uint32_t	nitems = job->data->nitems;
	CountedItem *order;

	GPU_TRY(HostTake(job, sizeof(CountedItem) * nitems, (void **) &order));
	GPU_TRY(HostTake(job, sizeof(uint32_t) * nitems, (void **) &job->name));
	GPU_TRY(HostTake(job, sizeof(uint32_t) * nitems, (void **) &job->column_of));
	memset(job->column_of, 0xff, sizeof(uint32_t) * nitems);
	for (uint32_t i = job->asked->nrequired; i < nitems; i++)
		if (counts[i] >= job->least_count)
			order[job->nfree++] = (CountedItem) {counts[i], i};
	qsort(order, job->nfree, sizeof(CountedItem), CompareCounts);
	for (uint32_t c = 0; c < job->nfree; c++)
		job->name[c] = order[c].item;
	job->ncolumns = job->nfree + job->asked->nrequired;
	for (uint32_t i = 0; i < job->asked->nrequired; i++)
		job->name[job->nfree + i] = i;
	for (uint32_t c = 0; c < job->ncolumns; c++)
		job->column_of[job->name[c]] = c;
	GpuHostFree(&job->team, order);
	return HostWork(job, nitems);
}

/*
 * The least number of transactions in which an itemset can be selected, since neither its
 * support nor its expected support exceeds that number.  An expected support reaches its
 * threshold if it rounds to it, so the threshold is lowered a little.
 */
static uint32_t
LeastCount(const FimProbableJob *asked)
{
	double		least = ceil(asked->min_expected * (1 - 1e-12));

	if (!FimByExpectation(asked))
		return asked->minsup;
	return least < 1 ? 1 : least < UINT32_MAX ? (uint32_t) least : UINT32_MAX;
}

cudaError_t
ColumnsChoose(ProbableJob *job, bool keep)
{
	uint32_t   *counts;

	job->least_count = LeastCount(job->asked);
	GPU_TRY(HostTake(job, sizeof(uint32_t) * job->data->nitems, (void **) &counts));
	GPU_TRY(TakeItems(job, keep));
	GPU_TRY(CountItems(job, counts));
	if (!keep)
		GPU_TRY(ItemsFree(job));
	GPU_TRY(NameColumns(job, counts));
	GpuHostFree(&job->team, counts);
	return cudaSuccess;
}

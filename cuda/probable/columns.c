/*-------------------------------------------------------------------------
 *
 * columns.c
 *	  Choosing the items that are mined, see columns.h.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host_threads.h"
#include "probable/columns.h"

#define TABLE_WORDS		(UINT64_C(1) << 24)	/* of all threads' counts together */

/* Threads count the transactions of each item in parts of the data. */
typedef struct Counting
{
	const ProbableJob *job;
	uint32_t	nparts;
	uint32_t   *counts;			/* [nparts][data->nitems] */
} Counting;

static void
CountPart(void *of, uint32_t part, uint32_t thread)
{
	const Counting *counting = of;
	const ProbableJob *job = counting->job;
	uint32_t   *counts = counting->counts + (size_t) part * job->data->nitems;
	uint64_t	from = job->data->entries * part / counting->nparts;
	uint64_t	to = job->data->entries * (part + 1) / counting->nparts;

	(void) thread;
	memset(counts, 0, sizeof(uint32_t) * job->data->nitems);
	for (uint64_t e = from; e < to; e++)
		counts[job->items[e]]++;
}

/* Leaves the sums in the first part's counts. */
static void
AddParts(const Counting *counting)
{
	uint32_t	nitems = counting->job->data->nitems;

	for (uint32_t part = 1; part < counting->nparts; part++)
		for (uint32_t i = 0; i < nitems; i++)
			counting->counts[i] += counting->counts[(size_t) part * nitems + i];
}

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

/* Make columns of the items that are frequent enough, and of the required ones. */
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
 * Fewer transactions than this do not do: the support is not above their number, and
 * its expectation neither.  A threshold of expectation is met by what rounds to it.
 */
static uint32_t
LeastCount(const FimProbableJob *asked)
{
	double		least = ceil(asked->min_expected * (1 - 1e-12));

	if (!isnan(asked->minprob))
		return asked->minsup;
	return least < 1 ? 1 : least < UINT32_MAX ? (uint32_t) least : UINT32_MAX;
}

cudaError_t
ColumnsChoose(ProbableJob *job)
{
	uint64_t	most = GpuBetween(1, TABLE_WORDS / GpuGreater(job->data->nitems, 1), HostThreads());
	Counting	counting = {job, (uint32_t) (job->data->entries < 65536 ? 1 : most), NULL};

	job->least_count = LeastCount(job->asked);
	GPU_TRY(HostTake(job, sizeof(uint32_t) * (size_t) counting.nparts * job->data->nitems,
					 (void **) &counting.counts));
	GPU_TRY(HostRun(&job->team, counting.nparts, CountPart, &counting));
	AddParts(&counting);
	GPU_TRY(NameColumns(job, counting.counts));
	GpuHostFree(&job->team, counting.counts);
	return cudaSuccess;
}

/*-------------------------------------------------------------------------
 *
 * probable.c
 *	  The family of probable itemsets on devices: a job from its beginning to its end.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <string.h>

#include "engine/gpu.h"
#include "probable/columns.h"
#include "probable/papriori.h"
#include "probable/search.h"
#include "probable/tails.h"

/* For an estimate: bytes that candidates take, at the most that makes a difference and at the least. */
#define WORKING_MEMORY	(UINT64_C(512) << 20)
#define LEAST_WORKING	(UINT64_C(1) << 20)

/* Of what a device has, blocks of transactions leave one part in so many to candidates. */
#define WORKING_PART	4

static ProbableJob probable_job;	/* there is one at a time */

/* What is to be mined, and where it is in the data. */
static void
DescribeJob(ProbableJob *job, const FimTask *task)
{
	const char *base = (const char *) task->data;

	memset(job, 0, sizeof(*job));
	job->asked = (const FimProbableJob *) task->job;
	job->data = (const FimProbableData *) task->data;
	job->summary = (FimProbableSummary *) task->summary;
	job->starts = (const uint64_t *) (base + job->data->start_at);
	job->items = (const uint32_t *) (base + job->data->item_at);
	job->probabilities = (const double *) (base + job->data->probability_at);
}

static bool
IsFft(const FimProbableJob *asked)
{
	return asked->head.strategy == FIM_PROBABLE_GPU_FFT || asked->head.strategy == FIM_PROBABLE_GPU_FFT_LOOP;
}

/* Memory of each device to leave to candidates. */
static uint64_t
WorkingMemory(const ProbableJob *job)
{
	uint64_t	room = GpuLeastRoom(&job->team);

	if (IsFft(job->asked))
		return PaprioriLeast(job);
	return GpuLesser(room / WORKING_PART, GpuGreater(WORKING_MEMORY, TailsLeast(job)));
}

/*
 * Wanted is room for all transactions, while they are laid out, and for plenty of
 * candidates; the least are blocks of one slab, but for pApriori.  Items that turn out to be rare
 * make it less.
 */
static void
DeviceMemory(ProbableJob *job, uint64_t *wanted, uint64_t *least)
{
	uint64_t	all;

	job->ncolumns = job->data->nitems;
	all = TransactionsMemory(job, UINT32_MAX);
	*wanted = all + sizeof(uint32_t) * job->data->entries + GpuGreater(WORKING_MEMORY, TailsLeast(job));
	*least = TransactionsMemory(job, 1) * WORKING_PART / (WORKING_PART - 1) + LEAST_WORKING;
	if (IsFft(job->asked))
		*least = all + PaprioriLeast(job) + LEAST_WORKING;
	*wanted = GpuGreater(*wanted, *least + sizeof(uint32_t) * job->data->entries);
}

static cudaError_t
RunJob(void *of)
{
	ProbableJob *job = (ProbableJob *) of;
	Transactions transactions;
	uint64_t	wanted;
	uint64_t	least;

	DeviceMemory(job, &wanted, &least);
	GPU_TRY(ColumnsChoose(job, GpuLeastRoom(&job->team) >= wanted));
	if (job->nfree == 0 && job->asked->nrequired == 0)
		return cudaSuccess;
	GPU_TRY(TransactionsOpen(job, &transactions, WorkingMemory(job)));
	if (IsFft(job->asked))
		return PaprioriMine(job, &transactions);
	return Search(job, &transactions, &search_by_bounds, NULL);
}

static FimResult
Mine(const FimTask *task, FimHost *host, FimSink *sink)
{
	ProbableJob *job = &probable_job;

	DescribeJob(job, task);
	job->sink = sink;
	if (job->data->nrows == 0 || job->asked->max_length < job->asked->nrequired)
		return FIM_DONE;
	return GpuTeamMine(&job->team, task, host, IsFft(job->asked) ? job->asked->head.strategy : FIM_PROBABLE_GPU_BOUNDS,
					   RunJob, job);
}

static void
Estimate(const FimTask *task, uint64_t *wanted, uint64_t *least)
{
	ProbableJob job;

	DescribeJob(&job, task);
	DeviceMemory(&job, wanted, least);
}

/* Nothing is kept from one task to the next. */
static void
Release(void)
{
}

static const char *const strategies[] = FIM_PROBABLE_GPU_STRATEGY_NAMES;

extern const FimGpuFamily FimProbableGpuFamily;

const FimGpuFamily FimProbableGpuFamily = {
	.name = "probable",
	.strategies = strategies,
	.estimate = Estimate,
	.mine = Mine,
	.release = Release
};

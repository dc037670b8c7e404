/*-------------------------------------------------------------------------
 *
 * probable.c
 *	  The family of probable itemsets on devices: the memory that a job takes, its course from its
 *	  beginning to its end, and the table of functions by which the library calls it.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <string.h>

#include "ancestors/papriori/papriori.h"
#include "engine/gpu.h"
#include "probable/probable.h"

/* Bytes of a device for candidates: more than the first makes no difference, the second is the least. */
#define WORKING_MEMORY	(UINT64_C(512) << 20)
#define LEAST_WORKING	(UINT64_C(1) << 20)

/* Candidates get at most a quarter of a device's memory; sheets may take the rest. */
#define WORKING_PART	4

static ProbableJob probable_job; /* there is one at a time */

/* Initializes the job from the task, with pointers to the parts of its data. */
static void
DescribeJob(ProbableJob *job, const FimTask *task)
{
	const char *base = (const char *) task->data;

	memset(job, 0, sizeof(*job));
	job->spec = (const FimProbableSpec *) task->spec;
	job->data = (const FimProbableData *) task->data;
	job->summary = (FimProbableSummary *) task->summary;
	job->starts = (const uint64_t *) (base + job->data->start_at);
	job->items = (const uint32_t *) (base + job->data->item_at);
	job->probabilities = (const double *) (base + job->data->probability_at);
}

static bool
IsFft(const FimProbableSpec *spec)
{
	return spec->head.strategy == FIM_PROBABLE_GPU_FFT || spec->head.strategy == FIM_PROBABLE_GPU_FFT_LOOP;
}

/* The bytes of each device that sheets leave to candidates. */
static uint64_t
WorkingMemory(const ProbableJob *job)
{
	uint64_t	room = GpuLeastRoom(&job->team);

	if (IsFft(job->spec))
		return PaprioriLeast(job);
	return GpuLesser(room / WORKING_PART, GpuGreater(WORKING_MEMORY, TailsLeast(job)));
}

/*
 * The bytes of each device that the job wants, and the least that it can do with.  It wants room for
 * all transactions while they are laid out, and for plenty of candidates.  The least is room for
 * sheets of one slab; pApriori cannot do without all transactions.  Both are upper bounds, since all
 * items count here, and those that turn out to be rare take no memory.
 */
static void
DeviceMemory(ProbableJob *job, uint64_t *wanted, uint64_t *least)
{
	uint64_t	all;

	job->ncolumns = job->data->nitems;
	all = TransactionsMemory(job, UINT32_MAX);
	*wanted = all + sizeof(uint32_t) * job->data->entries + GpuGreater(WORKING_MEMORY, TailsLeast(job));
	*least = TransactionsMemory(job, 1) * WORKING_PART / (WORKING_PART - 1) + LEAST_WORKING;
	if (IsFft(job->spec))
		*least = all + PaprioriLeast(job) + LEAST_WORKING;
	*wanted = GpuGreater(*wanted, *least + sizeof(uint32_t) * job->data->entries);
}

static cudaError_t
GpuProbableRunJob(void *of)
{
	ProbableJob *job = (ProbableJob *) of;
	Transactions transactions;
	uint64_t	wanted;
	uint64_t	least;

	DeviceMemory(job, &wanted, &least);
	GPU_TRY(ColumnsChoose(job, GpuLeastRoom(&job->team) >= wanted));
	if (job->nfree == 0 && job->spec->nrequired == 0)
		return cudaSuccess;
	GPU_TRY(TransactionsOpen(job, &transactions, WorkingMemory(job)));
	if (IsFft(job->spec))
		return PaprioriMine(job, &transactions);
	return Search(job, &transactions, &search_by_bounds, NULL);
}

static FimResult
GpuProbableMine(const FimTask *task, FimHost *host, FimSink *sink)
{
	ProbableJob *job = &probable_job;

	DescribeJob(job, task);
	job->sink = sink;
	if (job->data->nrows == 0 || job->spec->max_length < job->spec->nrequired)
		return FIM_DONE;
	FimStrategyUsed(task->shared, IsFft(job->spec) ? job->spec->head.strategy : FIM_PROBABLE_GPU_BOUNDS);
	return GpuTeamMine(&job->team, task, host, GpuProbableRunJob, job);
}

static void
GpuProbableEstimate(const FimTask *task, uint64_t *wanted, uint64_t *least)
{
	ProbableJob job;

	DescribeJob(&job, task);
	DeviceMemory(&job, wanted, least);
}

/* Does nothing, since the family keeps nothing from one task to the next. */
static void
GpuProbableRelease(void)
{
}

static const char *const strategies[] = FIM_PROBABLE_GPU_STRATEGY_NAMES;

extern const FimGpuFamily FimProbableGpuFamily;

const FimGpuFamily FimProbableGpuFamily = {
	.name = "probable",
	.strategies = strategies,
	.estimate = GpuProbableEstimate,
	.mine = GpuProbableMine,
	.release = GpuProbableRelease
};

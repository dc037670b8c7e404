/*-------------------------------------------------------------------------
 *
 * sets.c
 *	  The family of products of sets on devices: a job from its beginning to its end.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "ancestors/batmap/batmap.h"
#include "engine/gpu.h"
#include "sets/bits.h"
#include "sets/plan.h"
#include "sets/prefix.h"
#include "sets/rows.h"
#include "sets/strips.h"
#include "sets/transfer.h"

/* For an estimate: bytes for matrices and for cells; more than this makes no difference. */
#define WORKING_MEMORY	(UINT64_C(2) << 30)

static SetsJob sets_job;		/* there is one at a time */

static void
DescribeJob(SetsJob *job, const FimTask *task)
{
	memset(job, 0, sizeof(*job));
	job->asked = (const FimSetsJob *) task->job;
	job->data = (const FimSetsData *) task->data;
	job->summary = (FimSetsSummary *) task->summary;
	job->rule = CellRuleOf(job->asked, job->data->one);
	job->listed = !job->asked->head.count_only;
	job->with_witnesses = job->asked->witnesses || job->asked->result == FIM_SETS_SIMILAR;
}

/* The strategy to run: "prefix" is for similar sets only, and is "rows" for other tasks. */
static int
StrategyOf(const FimSetsJob *asked)
{
	bool		other = asked->head.strategy == FIM_SETS_PREFIX && asked->result != FIM_SETS_SIMILAR;

	return other ? FIM_SETS_ROWS : asked->head.strategy;
}

/* Does the strategy need the right relation by key? */
static bool
GoesByKey(const FimSetsJob *asked)
{
	return StrategyOf(asked) == FIM_SETS_AUTO || StrategyOf(asked) == FIM_SETS_ROWS;
}

/* Mines the dense part by bit matrices, and the other cells row by row. */
static cudaError_t
MineParts(SetsJob *job, const DensePart *dense)
{
	job->summary->tiled_left = dense->left;
	job->summary->tiled_right = dense->right;
	GPU_TRY(StripsOpen(job));
	if (dense->left > 0 && dense->right > 0)
		GPU_TRY(BitsMine(job, dense));
	if (dense->left < job->data->left.nvalues || dense->right < job->data->right.nvalues)
		GPU_TRY(RowsMine(job, dense));
	return cudaSuccess;
}

static cudaError_t
RunBatmap(SetsJob *job)
{
	GPU_TRY(StripsOpen(job));
	return BatmapMine(job);
}

static cudaError_t
RunPrefix(SetsJob *job)
{
	GPU_TRY(StripsOpen(job));
	return PrefixMine(job);
}

static cudaError_t
RunRows(SetsJob *job)
{
	DensePart	none = {0, 0};

	GPU_TRY(RelationsByKey(job));
	return MineParts(job, &none);
}

/* Sorts the right relation by key only if that is needed: not if bits get all cells. */
static cudaError_t
RunAuto(SetsJob *job, const DensePart *all)
{
	DensePart	dense;
	bool		by_prefix = false;
	bool		planned;

	GPU_TRY(PlanAtOnce(job, &dense, &planned));
	if (planned && dense.left == all->left)
		return MineParts(job, all);
	GPU_TRY(RelationsByKey(job));
	if (!planned)
		GPU_TRY(PlanBySample(job, &dense, &by_prefix));
	return by_prefix ? RunPrefix(job) : MineParts(job, &dense);
}

static cudaError_t
RunStrategy(SetsJob *job)
{
	DensePart	all = {job->data->left.nvalues, job->data->right.nvalues};

	switch (StrategyOf(job->asked))
	{
		case FIM_SETS_ROWS:
			return RunRows(job);
		case FIM_SETS_BITS:
			return MineParts(job, &all);
		case FIM_SETS_BATMAP:
			return RunBatmap(job);
		case FIM_SETS_PREFIX:
			return RunPrefix(job);
		default:
			return RunAuto(job, &all);
	}
}

static cudaError_t
RunJob(void *of)
{
	SetsJob    *job = (SetsJob *) of;

	for (int d = 0; d < job->team.ndevices; d++)
		job->on[d].device = job->team.devices[d];
	GPU_TRY(RelationsOpen(job));
	return RunStrategy(job);
}

static FimResult
Mine(const FimTask *task, FimHost *host, FimSink *sink)
{
	SetsJob    *job = &sets_job;

	DescribeJob(job, task);
	job->sink = sink;
	task->shared->units = task->shared->units_done = 0;
	/* all values in the data have a key in common with the other side: with no values there is no result */
	if (job->data->left.nvalues == 0 || job->data->right.nvalues == 0)
		return FimIsCanceled(task->shared) ? FIM_STOPPED : FIM_DONE;
	return GpuTeamMine(&job->team, task, host, RunJob, job);
}

/* The job wants room for large matrices of witnesses and for plenty of cells, beside the least. */
static void
Estimate(const FimTask *task, uint64_t *wanted, uint64_t *least)
{
	const FimSetsJob *asked = (const FimSetsJob *) task->job;
	const FimSetsData *data = (const FimSetsData *) task->data;
	FimSetsStrategy strategy = StrategyOf(asked);
	bool		any = strategy == FIM_SETS_AUTO;
	uint64_t	of_strategy = 0;

	if (any || strategy == FIM_SETS_ROWS)
		of_strategy = RowsLeast(data);
	if (any || strategy == FIM_SETS_BITS)
		of_strategy = GpuGreater(of_strategy, BitsLeast(data));
	if (strategy == FIM_SETS_BATMAP)
		of_strategy = BatmapLeast(data);
	if (strategy == FIM_SETS_PREFIX || (any && asked->result == FIM_SETS_SIMILAR))
		of_strategy = GpuGreater(of_strategy, PrefixLeast(asked, data));
	/* strips take their part of the memory first */
	of_strategy += of_strategy / (ROOM_PART - 1);
	*least = RelationsMemory(data, GoesByKey(asked)) + StripsLeast(asked) + of_strategy;
	*wanted = *least + WORKING_MEMORY;
}

/* Does nothing, since the family keeps nothing from one task to the next. */
static void
Release(void)
{
}

static const char *const strategies[] = FIM_SETS_GPU_STRATEGY_NAMES;

extern const FimGpuFamily FimSetsGpuFamily;

const FimGpuFamily FimSetsGpuFamily = {
	.name = "sets",
	.strategies = strategies,
	.estimate = Estimate,
	.mine = Mine,
	.release = Release
};

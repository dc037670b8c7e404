/*-------------------------------------------------------------------------
 *
 * itemsets.c
 *	  Mining itemsets on devices: the job from its beginning to its end.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "ancestors/gminer/gminer.h"
#include "ancestors/gpudci/gpudci.h"
#include "engine/gpu.h"
#include "engine/parts.h"
#include "itemsets/itemsets.h"
#include "itemsets/tensor.h"

/* The estimate of the memory that a job wants adds this many bytes to those of its bitmaps. */
#define WORKING_MEMORY	(UINT64_C(128) << 20)

static void
MineByAncestor(ItemsetsJob *job, FimItemsetsGpuStrategy strategy)
{
	FimStrategyUsed(job->team.shared, strategy);
	if (strategy == FIM_GPU_TFL || strategy == FIM_GPU_HIL)
		GminerMine(job);
	else
		DciMine(job);
}

/* HIL mines what is too large for strategy "tensor", because it can stream bitmaps. */
static void
MineStrategy(ItemsetsJob *job)
{
	FimItemsetsGpuStrategy strategy = (FimItemsetsGpuStrategy) job->spec->head.strategy;

	if (strategy != FIM_GPU_AUTO && strategy != FIM_GPU_TENSOR)
		MineByAncestor(job, strategy);
	else if (!TensorMineJob(job))
		MineByAncestor(job, FIM_GPU_HIL);
}

static void
GpuItemsetsRunJob(ItemsetsJob *job)
{
	OutputInit(&job->miner);
	if (FimIsPart(&job->spec->head.part))
		job->part = PartOfJob(job);
	MineStrategy(job);
	OutputFlush(&job->miner);
	if (job->spec->head.count_only)
		OutputTally(&job->miner, job->tally);
	/* a canceled job is not done, even if there was nothing left to do */
	if (GpuPoll(&job->team))
		JobLeave(FIM_STOPPED);
}

/* Mine the job.  JobLeave() jumps here, with the result. */
static FimResult
GpuItemsetsTryJob(ItemsetsJob *job)
{
	FimResult	result = (FimResult) setjmp(job->miner.leave);

	if (result == FIM_DONE)
		GpuItemsetsRunJob(job);
	return result;
}

static FimResult
GpuItemsetsMine(const FimTask *task, FimHost *host, FimSink *sink)
{
	const FimItemsetsSpec *spec = (const FimItemsetsSpec *) task->spec;
	const FimDatabase *db = (const FimDatabase *) task->data;
	FimTally	tally = {FimTallyLengths(spec, db), (FimCount *) task->summary};
	ItemsetsJob *job = &itemsets_job;
	FimResult	result;

	if (spec->max_length < spec->nrequired)
		return FIM_DONE;
	memset(job, 0, sizeof(*job));
	JobDescribe(job, spec, db);
	job->sink = sink;
	job->tally = &tally;
	MinerInit(&job->miner, spec, db, task->shared, host, sink);
	result = GpuResult(GpuTeamBegin(&job->team, task->shared, host));
	if (result == FIM_DONE)
		result = GpuItemsetsTryJob(job);
	OutputFree(&job->miner);
	ArenaFree(&job->miner.arena);
	TensorRelease();
	GpuTeamEnd(&job->team);
	return result;
}

/*
 * What an ancestor's strategy takes of a device, in bytes: *wanted if all of it fits, and
 * *least if the narrowest sheets stream.
 */
static void
EstimateAncestor(const FimItemsetsSpec *spec, FimItemsetsGpuStrategy strategy, const FimDatabase *db,
				 uint64_t *wanted, uint64_t *least)
{
	ItemsetsJob	job;
	ItemsetTransactions from;
	uint64_t	bits;
	uint64_t	row;
	uint64_t	nrows;

	memset(&job, 0, sizeof(job));
	JobDescribe(&job, spec, db);
	TransactionsOfDatabase(&job, &from);
	row = (BitmapsWidth(&from) / BITMAP_CHUNK + 1) * BITMAP_CHUNK / 8;
	nrows = job.nitems - job.skip;
	bits = row * nrows;
	/* HIL has 31 rows for each five items, the others a second copy for compacting */
	*wanted = WORKING_MEMORY + (strategy == FIM_GPU_HIL ? bits / 5 * 31 : 2 * bits);
	*least = BITMAP_CHUNK / 8 * BITMAP_SLOTS * nrows * (from.weighted ? 8 : 1) +
		4 * BitmapsLeastParcel(&from) + sizeof(uint32_t) * (uint64_t) job.nitems + 8192;
	*least = GpuLesser(*least * 2, *wanted);
}

static void
GpuItemsetsEstimate(const FimTask *task, uint64_t *wanted, uint64_t *least)
{
	const FimItemsetsSpec *spec = (const FimItemsetsSpec *) task->spec;
	const FimDatabase *db = (const FimDatabase *) task->data;
	uint64_t	tensor_least;

	if (spec->head.strategy != FIM_GPU_AUTO && spec->head.strategy != FIM_GPU_TENSOR)
	{
		EstimateAncestor(spec, (FimItemsetsGpuStrategy) spec->head.strategy, db, wanted, least);
		return;
	}
	/* HIL mines where tensor has too little memory */
	EstimateAncestor(spec, FIM_GPU_HIL, db, wanted, least);
	TensorMemory(spec, db, &tensor_least, wanted);
	*least = GpuLesser(*least, tensor_least);
}

/* Nothing is kept from one task to the next. */
static void
GpuItemsetsRelease(void)
{
}

static const char *const strategies[] = FIM_ITEMSETS_GPU_STRATEGY_NAMES;

extern const FimGpuFamily FimItemsetsGpuFamily;

const FimGpuFamily FimItemsetsGpuFamily = {
	.name = "itemsets",
	.strategies = strategies,
	.estimate = GpuItemsetsEstimate,
	.mine = GpuItemsetsMine,
	.release = GpuItemsetsRelease
};

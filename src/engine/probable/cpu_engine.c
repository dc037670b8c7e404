/*-------------------------------------------------------------------------
 *
 * cpu_engine.c
 *	  The family of probable itemsets on the CPU.
 *
 *-------------------------------------------------------------------------
 */
#include "bounds_miner.h"
#include "columns.h"

static inline const FimProbableJob *
JobOf(const FimTask *task)
{
	return (const FimProbableJob *) task->job;
}

static inline const FimProbableData *
DataOf(const FimTask *task)
{
	return (const FimProbableData *) task->data;
}

/*
 * A unit of work is a prefix class: the itemsets whose first item is the same, the
 * required items left aside.  The first one is that of the required items alone.
 */
static uint32_t
Units(const FimTask *task)
{
	return 1 + DataOf(task)->nitems - JobOf(task)->nrequired;
}

static size_t
SummarySize(const FimTask *task)
{
	return sizeof(FimProbableSummary);
}

static void
SummaryAdd(const FimTask *task, void *into, const void *from)
{
	FimProbableSummary *sum = into;
	const FimProbableSummary *added = from;

	for (int rule = 0; rule < FIM_RULES; rule++)
		sum->settled[rule] += added->settled[rule];
	sum->values += added->values;
}

static FimResult
Mine(const FimTask *task, FimHost *host, FimSink *sink)
{
	ProbableMiner m;
	FimResult	result;

	if (JobOf(task)->max_length < JobOf(task)->nrequired)
		return FIM_DONE;
	ProbableInit(&m, task, host, sink);
	FimStrategyUsed(task->shared, FIM_PROBABLE_BOUNDS);
	result = MineByBounds(&m);
	ProbableEnd(&m);
	return result;
}

static const char *const strategies[] = {"auto", "bounds", NULL};
static const char *const gpu_strategies[] = FIM_PROBABLE_GPU_STRATEGY_NAMES;

const FimFamily FimProbableFamily = {
	.name = "probable",
	.strategies = strategies,
	.gpu_strategies = gpu_strategies,
	.units = Units,
	.summary_size = SummarySize,
	.summary_add = SummaryAdd,
	.cpu_size = ColumnsSize,
	.cpu_prepare = ColumnsMake,
	.mine = Mine
};

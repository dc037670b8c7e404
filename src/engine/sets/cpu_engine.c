/*-------------------------------------------------------------------------
 *
 * cpu_engine.c
 *	  The family of products of sets on the CPU.
 *
 *-------------------------------------------------------------------------
 */
#include "rows.h"

static uint32_t
Units(const FimTask *task)
{
	return ((const FimSetsData *) task->data)->nblocks;
}

static size_t
SummarySize(const FimTask *task)
{
	return sizeof(FimSetsSummary);
}

static void
SummaryAdd(const FimTask *task, void *into, const void *from)
{
	FimSetsSummary *sum = into;
	const FimSetsSummary *added = from;

	sum->pairs += added->pairs;
	for (int s = 0; s < FIM_SETS_STRATEGIES; s++)
		sum->found[s] += added->found[s];
}

static FimResult
Mine(const FimTask *task, FimHost *host, FimSink *sink)
{
	Joiner		j;
	FimResult	result;

	JoinerInit(&j, task, host, sink);
	j.strategy = FIM_SETS_ROWS;
	FimStrategyUsed(task->shared, FIM_SETS_ROWS);
	result = MineByRows(&j);
	JoinerEnd(&j);
	return result;
}

static const char *const strategies[] = {"auto", "rows", NULL};
static const char *const gpu_strategies[] = FIM_SETS_GPU_STRATEGY_NAMES;

const FimFamily FimSetsFamily = {
	.name = "sets",
	.strategies = strategies,
	.gpu_strategies = gpu_strategies,
	.units = Units,
	.summary_size = SummarySize,
	.summary_add = SummaryAdd,
	.cpu_size = ProductSize,
	.cpu_prepare = ProductPrepare,
	.mine = Mine
};

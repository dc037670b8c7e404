/*-------------------------------------------------------------------------
 *
 * cpu_engine.c
 *	  The family of serial episodes on the CPU.
 *
 *-------------------------------------------------------------------------
 */
#include "one_episode.h"
#include "propagate.h"

static inline const FimEpisodesJob *
JobOf(const FimTask *task)
{
	return (const FimEpisodesJob *) task->job;
}

static inline const FimEpisodesData *
DataOf(const FimTask *task)
{
	return (const FimEpisodesData *) task->data;
}

static uint32_t
Units(const FimTask *task)
{
	return JobOf(task)->episode_length > 0 ? 1 : PropagateUnits(DataOf(task));
}

static uint32_t
Counts(const FimTask *task)
{
	if (!task->job->count_only)
		return 0;
	return JobOf(task)->episode_length > 0 ? 1 : FimEpisodesLengths(JobOf(task), DataOf(task));
}

static size_t
SummarySize(const FimTask *task)
{
	return sizeof(uint64_t) * Counts(task);
}

static void
SummaryAdd(const FimTask *task, void *into, const void *from)
{
	uint64_t   *sum = into;
	const uint64_t *added = from;

	for (uint32_t c = 0; c < Counts(task); c++)
		sum[c] += added[c];
}

static FimResult
Mine(const FimTask *task, FimHost *host, FimSink *sink)
{
	Worker		w;
	FimResult	result;

	WorkerInit(&w, task, host, sink);
	FimStrategyUsed(task->shared, FIM_EPISODES_PROPAGATE);
	result = w.job->episode_length > 0 ? MineOneEpisode(&w) : MineByPropagation(&w);
	WorkerEnd(&w);
	return result;
}

static const char *const strategies[] = {"auto", "propagate", NULL};
static const char *const gpu_strategies[] = FIM_EPISODES_GPU_STRATEGY_NAMES;

const FimFamily FimEpisodesFamily = {
	.name = "episodes",
	.strategies = strategies,
	.gpu_strategies = gpu_strategies,
	.units = Units,
	.summary_size = SummarySize,
	.summary_add = SummaryAdd,
	.cpu_size = StreamSize,
	.cpu_prepare = StreamPrepare,
	.mine = Mine
};

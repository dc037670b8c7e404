/*-------------------------------------------------------------------------
 *
 * cpu_engine.c
 *	  The family of serial episodes on the CPU: its units of work, who mines a task, and the table of
 *	  functions by which the engine calls it.
 *
 *-------------------------------------------------------------------------
 */
#include "engine/ancestors/episodes/episodes.h"
#include "worker.h"

/* How strategies that mine level by level count their candidates; NULL for the other strategies. */
static const CountCandidates count_by[] = {
	[FIM_EPISODES_AUTO] = NULL,
	[FIM_EPISODES_PROPAGATE] = NULL,
	[FIM_EPISODES_STATE_MACHINE] = CountByStateMachine,
	[FIM_EPISODES_OCCURRENCE] = CountByOccurrence,
	[FIM_EPISODES_TWO_PASS] = CountInTwoPasses
};

static inline const FimEpisodesSpec *
SpecOf(const FimTask *task)
{
	return (const FimEpisodesSpec *) task->spec;
}

static inline const FimEpisodesData *
DataOf(const FimTask *task)
{
	return (const FimEpisodesData *) task->data;
}

/* The strategy may be one that only the GPU engine has: such strategies mine level by level.  They know of no parts. */
static bool
MinesByLevels(const FimSpec *spec)
{
	return !FimIsPart(&spec->part) && spec->strategy != FIM_EPISODES_AUTO && spec->strategy != FIM_EPISODES_PROPAGATE;
}

static uint64_t
EpisodesUnits(const FimTask *task)
{
	if (SpecOf(task)->surrogates > 0)
		return SpecOf(task)->surrogates;
	if (SpecOf(task)->episode_length > 0 || MinesByLevels(task->spec))
		return 1;
	return PropagateUnits(DataOf(task));
}

/* The number of uint64 in a summary. */
static uint64_t
Counts(const FimTask *task)
{
	if (!task->spec->count_only)
		return 0;
	if (SpecOf(task)->surrogates > 0)
		return (uint64_t) SpecOf(task)->nnodes * (sizeof(FimSurrogateCounts) / sizeof(uint64_t));
	return SpecOf(task)->episode_length > 0 ? 1 : FimEpisodesLengths(SpecOf(task), DataOf(task));
}

static size_t
EpisodesSummarySize(const FimTask *task)
{
	return sizeof(uint64_t) * Counts(task);
}

static void
EpisodesSummaryAdd(const FimTask *task, void *into, const void *from)
{
	uint64_t   *sum = into;
	const uint64_t *added = from;

	for (uint64_t c = 0; c < Counts(task); c++)
		sum[c] += added[c];
}

static uint64_t
EpisodesWorkerSize(const FimTask *task)
{
	return SpecOf(task)->surrogates > 0 ? SurrogatesWorkerSize(SpecOf(task), DataOf(task)) : 0;
}

static FimResult
EpisodesMine(const FimTask *task, FimHost *host, FimSink *sink)
{
	Worker		w;
	FimResult	result;
	bool		mines = SpecOf(task)->episode_length == 0 && SpecOf(task)->surrogates == 0;
	int			strategy = task->spec->strategy;

	if (!mines || !MinesByLevels(task->spec))
		strategy = FIM_EPISODES_PROPAGATE;
	/* surrogates are counted after mining, and the strategy to be reported is that of mining */
	if (SpecOf(task)->surrogates == 0)
		FimStrategyUsed(task->shared, strategy);
	WorkerInit(&w, task, host, sink);
	if (SpecOf(task)->surrogates > 0)
		result = MineSurrogates(&w);
	else if (SpecOf(task)->episode_length > 0)
		result = MineOneEpisode(&w);
	else if (strategy == FIM_EPISODES_PROPAGATE)
		result = MineByPropagation(&w);
	else
		result = MineByLevels(&w, count_by[strategy]);
	WorkerEnd(&w);
	return result;
}

static const char *const strategies[] = {
	"auto", "propagate", "state_machine", "occurrence", "two_pass", NULL
};
static const char *const gpu_strategies[] = FIM_EPISODES_GPU_STRATEGY_NAMES;

const FimFamily FimEpisodesFamily = {
	.name = "episodes",
	.strategies = strategies,
	.gpu_strategies = gpu_strategies,
	.units = EpisodesUnits,
	.summary_size = EpisodesSummarySize,
	.summary_add = EpisodesSummaryAdd,
	.cpu_size = StreamSize,
	.cpu_prepare = StreamPrepare,
	.mine = EpisodesMine,
	.worker_size = EpisodesWorkerSize
};

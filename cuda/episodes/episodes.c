/*-------------------------------------------------------------------------
 *
 * episodes.c
 *	  The family of serial episodes on devices: a job from its beginning to its end.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "engine/gpu.h"
#include "episodes/occurrence.h"
#include "episodes/one_episode.h"
#include "episodes/propagate.h"
#include "episodes/state_machine.h"
#include "episodes/surrogates.h"
#include "episodes/two_pass.h"
#include "episodes/walkers.h"

/* For an estimate: bytes that lists take, at the most that makes a difference. */
#define LIST_MEMORY		(UINT64_C(1) << 30)

static EpisodesJob episodes_job;	/* there is one at a time */

static void
DescribeJob(EpisodesJob *job, const FimTask *task)
{
	memset(job, 0, sizeof(*job));
	job->asked = (const FimEpisodesJob *) task->job;
	job->data = (const FimEpisodesData *) task->data;
	job->summary = task->job->count_only ? (uint64_t *) task->summary : NULL;
	job->longest = job->asked->max_length;
	job->deepest = job->longest;
	if (job->asked->kind != FIM_ALL && job->deepest != FIM_NO_LIMIT)
		job->deepest++;
}

/* The most events that one type has. */
static uint32_t
MostEvents(const FimEpisodesData *data)
{
	uint32_t	most = 0;

	for (uint32_t type = 0; type < data->ntypes; type++)
		most = (uint32_t) GpuGreater(most, FIM_EPISODES_COUNTS(data)[type]);
	return most;
}

/* Tables of types. */
static cudaError_t
DescribeTypes(EpisodesJob *job)
{
	const FimEpisodesData *data = job->data;

	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * ((size_t) data->ntypes + 1), (void **) &job->start));
	job->start[0] = 0;
	for (uint32_t type = 0; type < data->ntypes; type++)
		job->start[type + 1] = job->start[type] + FIM_EPISODES_COUNTS(data)[type];
	job->most_events = MostEvents(data);
	if (job->asked->episode_length > 0 || job->asked->nrequired == 0)
		return cudaSuccess;
	GPU_TRY(GpuHostTake(&job->team, data->ntypes, (void **) &job->required));
	memset(job->required, 0, data->ntypes);
	for (uint32_t r = 0; r < job->asked->nrequired; r++)
		job->required[job->asked->words[r]] = 1;
	return cudaSuccess;
}

/* The strategy that a job is done with.  There is one way to count given episodes. */
static int
StrategyOf(const FimEpisodesJob *asked)
{
	return asked->episode_length > 0 || asked->surrogates > 0 || asked->head.strategy == FIM_EPISODES_GPU_AUTO ?
		FIM_EPISODES_GPU_PROPAGATE : asked->head.strategy;
}

static StreamForm
FormOf(const FimEpisodesJob *asked)
{
	return StrategyOf(asked) == FIM_EPISODES_GPU_STATE_MACHINE || StrategyOf(asked) == FIM_EPISODES_GPU_TWO_PASS ?
		STREAM_BY_EVENT : STREAM_BY_PLACE;
}

static cudaError_t
MineStream(EpisodesJob *job, EventStream *stream)
{
	switch (StrategyOf(job->asked))
	{
		case FIM_EPISODES_GPU_STATE_MACHINE:
			return StateMachineMine(job, stream);
		case FIM_EPISODES_GPU_OCCURRENCE:
			return OccurrenceMine(job, stream, BY_ATOMICS);
		case FIM_EPISODES_GPU_OCCURRENCE_SCAN:
			return OccurrenceMine(job, stream, BY_SCAN);
		case FIM_EPISODES_GPU_TWO_PASS:
			return TwoPassMine(job, stream);
		default:
			return PropagateMine(job, stream);
	}
}

static cudaError_t
RunJob(EpisodesJob *job)
{
	EventStream stream;

	GPU_TRY(DescribeTypes(job));
	if (job->asked->surrogates > 0)
		GPU_TRY(CountOnSurrogates(job));
	else
	{
		GPU_TRY(StreamOpen(job, &stream, FormOf(job->asked)));
		if (job->asked->episode_length > 0)
			GPU_TRY(OneEpisode(job, &stream));
		else
			GPU_TRY(MineStream(job, &stream));
	}
	/* a canceled job is not done, although nothing may be left to do */
	return GpuPoll(&job->team) ? GPU_STOPPED : cudaSuccess;
}

static FimResult
Mine(const FimTask *task, FimHost *host, FimSink *sink)
{
	EpisodesJob *job = &episodes_job;
	cudaError_t error;

	DescribeJob(job, task);
	job->sink = sink;
	if (job->data->events == 0)
		return FimIsCanceled(task->shared) ? FIM_STOPPED : FIM_DONE;
	error = GpuTeamBegin(&job->team, task->shared, host);
	job->team.strategy = StrategyOf(job->asked);
	if (error == cudaSuccess)
		error = RunJob(job);
	GpuTeamEnd(&job->team);
	return job->team.no_memory ? FIM_OUT_OF_MEMORY : GpuResult(error);
}

/* What a strategy takes beside the stream, at the least. */
static uint64_t
CountingLeast(const EpisodesJob *job)
{
	uint32_t	most = MostEvents(job->data);

	if (job->asked->episode_length > 0)
		return OneEpisodeMemory(job->asked, job->data);
	switch (StrategyOf(job->asked))
	{
		case FIM_EPISODES_GPU_STATE_MACHINE:
			return WalkersLeast(most);
		case FIM_EPISODES_GPU_TWO_PASS:
			return GpuGreater(WalkersLeast(most), OccurrenceLeast(most));
		case FIM_EPISODES_GPU_OCCURRENCE:
		case FIM_EPISODES_GPU_OCCURRENCE_SCAN:
			return OccurrenceLeast(most);
		default:
			return PropagateLeast(most);
	}
}

/* Wanted is room for plenty of lists or chains. */
static void
Estimate(const FimTask *task, uint64_t *wanted, uint64_t *least)
{
	EpisodesJob job;

	DescribeJob(&job, task);
	*least = GpuGreater(StreamMemory(job.data, FormOf(job.asked), true),
						StreamMemory(job.data, FormOf(job.asked), false) + CountingLeast(&job));
	*wanted = *least + LIST_MEMORY;
	if (job.asked->surrogates > 0)
		SurrogatesMemory(job.asked, job.data, wanted, least);
}

/* Nothing is kept from one task to the next. */
static void
Release(void)
{
}

static const char *const strategies[] = FIM_EPISODES_GPU_STRATEGY_NAMES;

extern const FimGpuFamily FimEpisodesGpuFamily;

const FimGpuFamily FimEpisodesGpuFamily = {
	.name = "episodes",
	.strategies = strategies,
	.estimate = Estimate,
	.mine = Mine,
	.release = Release
};

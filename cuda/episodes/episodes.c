/*-------------------------------------------------------------------------
 *
 * episodes.c
 *	  The family of serial episodes on devices: a job from its beginning to its end.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "engine/gpu.h"
#include "episodes/one_episode.h"
#include "episodes/propagate.h"

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

static cudaError_t
RunJob(EpisodesJob *job)
{
	EventStream stream;

	GPU_TRY(DescribeTypes(job));
	GPU_TRY(StreamOpen(job, &stream, STREAM_BY_PLACE));
	if (job->asked->episode_length > 0)
		GPU_TRY(OneEpisode(job, &stream));
	else
		GPU_TRY(PropagateMine(job, &stream));
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
	job->team.strategy = FIM_EPISODES_GPU_PROPAGATE;
	if (error == cudaSuccess)
		error = RunJob(job);
	GpuTeamEnd(&job->team);
	return job->team.no_memory ? FIM_OUT_OF_MEMORY : GpuResult(error);
}

/*
 * The least is the stream, and then what counting takes beside it.  Wanted is room for
 * plenty of lists.
 */
static void
Estimate(const FimTask *task, uint64_t *wanted, uint64_t *least)
{
	EpisodesJob job;
	uint64_t	counting;

	DescribeJob(&job, task);
	counting = job.asked->episode_length > 0 ? OneEpisodeMemory(job.asked, job.data) :
		PropagateLeast(MostEvents(job.data));
	*least = GpuGreater(StreamMemory(job.data, STREAM_BY_PLACE, true), StreamMemory(job.data, STREAM_BY_PLACE, false) + counting);
	*wanted = *least + LIST_MEMORY;
	/* surrogates are counted on the CPU */
	if (job.asked->surrogates > 0)
		*wanted = *least = UINT64_MAX;
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

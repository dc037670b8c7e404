/*-------------------------------------------------------------------------
 *
 * episodes.c
 *	  The family of serial episodes on devices: the memory that a job takes, its course from its
 *	  beginning to its end, and the table of functions by which the library calls it.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "ancestors/episodes/episodes.h"
#include "engine/gpu.h"
#include "episodes/episodes.h"
#include "episodes/surrogates.h"

/* For the estimate: more memory than that for lists would make no difference. */
#define LIST_MEMORY		(UINT64_C(1) << 30)

static EpisodesJob episodes_job; /* there is one at a time */

/* The strategy that a job is done with.  Given episodes are always counted in the same way. */
static FimEpisodesGpuStrategy
StrategyOf(const FimEpisodesSpec *spec)
{
	return spec->episode_length > 0 || spec->surrogates > 0 || spec->head.strategy == FIM_EPISODES_GPU_AUTO ?
		FIM_EPISODES_GPU_PROPAGATE : (FimEpisodesGpuStrategy) spec->head.strategy;
}

static void
DescribeJob(EpisodesJob *job, const FimTask *task)
{
	memset(job, 0, sizeof(*job));
	job->spec = (const FimEpisodesSpec *) task->spec;
	job->data = (const FimEpisodesData *) task->data;
	job->summary = task->spec->count_only ? (uint64_t *) task->summary : NULL;
	job->longest = job->spec->max_length;
	job->deepest = job->longest;
	if (job->spec->kind != FIM_ALL && job->deepest != FIM_NO_LIMIT)
		job->deepest++;
	job->strategy = StrategyOf(job->spec);
	for (uint32_t type = 0; type < job->data->ntypes; type++)
		job->most_events = (uint32_t) GpuGreater(job->most_events, FIM_EPISODES_COUNTS(job->data)[type]);
}

/* Make the job's tables of types. */
static cudaError_t
DescribeTypes(EpisodesJob *job)
{
	const FimEpisodesData *data = job->data;

	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * ((size_t) data->ntypes + 1), (void **) &job->start));
	job->start[0] = 0;
	for (uint32_t type = 0; type < data->ntypes; type++)
		job->start[type + 1] = job->start[type] + FIM_EPISODES_COUNTS(data)[type];
	if (job->spec->episode_length > 0 || FimRequirements(job->spec) == 0)
		return cudaSuccess;
	GPU_TRY(GpuHostTake(&job->team, sizeof(uint32_t) * data->ntypes, (void **) &job->met_by));
	FimRequirementsOfTypes(job->spec, data->ntypes, job->met_by);
	return cudaSuccess;
}

static StreamForm
FormOf(const EpisodesJob *job)
{
	return job->strategy == FIM_EPISODES_GPU_STATE_MACHINE || job->strategy == FIM_EPISODES_GPU_TWO_PASS ?
		STREAM_BY_EVENT : STREAM_BY_PLACE;
}

/* The least bytes of a device that counting takes beside the stream, see CountingMemory. */
static uint64_t
CountingLeast(const EpisodesJob *job, uint32_t most_events)
{
	if (job->spec->episode_length > 0)
		return OneEpisodeMemory(job->spec, job->data);
	switch (job->strategy)
	{
		case FIM_EPISODES_GPU_STATE_MACHINE:
			return WalkersLeast(most_events);
		case FIM_EPISODES_GPU_TWO_PASS:
			return GpuGreater(WalkersLeast(most_events), OccurrenceLeast(most_events));
		case FIM_EPISODES_GPU_OCCURRENCE:
		case FIM_EPISODES_GPU_OCCURRENCE_SCAN:
			return OccurrenceLeast(most_events);
		default:
			return PropagateLeast(most_events);
	}
}

static cudaError_t
MineSections(EpisodesJob *job, Sections *sections)
{
	switch (job->strategy)
	{
		case FIM_EPISODES_GPU_STATE_MACHINE:
			return StateMachineMine(job, sections);
		case FIM_EPISODES_GPU_OCCURRENCE:
			return OccurrenceMine(job, sections, BY_ATOMICS);
		case FIM_EPISODES_GPU_OCCURRENCE_SCAN:
			return OccurrenceMine(job, sections, BY_SCAN);
		case FIM_EPISODES_GPU_TWO_PASS:
			return TwoPassMine(job, sections);
		default:
			return PropagateMine(job, sections);
	}
}

/* Whether the first device can do the job alone, which it begins with "bytes" bytes. */
static bool
CanBeDoneAlone(const EpisodesJob *job, uint64_t bytes)
{
	if (job->spec->episode_length > 0)
		return true;
	switch (job->strategy)
	{
		case FIM_EPISODES_GPU_OCCURRENCE:
		case FIM_EPISODES_GPU_OCCURRENCE_SCAN:
			return true;
		case FIM_EPISODES_GPU_PROPAGATE:
			return bytes <= GpuRoom(job->team.devices[0]);
		default:
			return false;
	}
}

static cudaError_t
GpuEpisodesRunJob(void *of)
{
	EpisodesJob *job = (EpisodesJob *) of;
	uint64_t	bytes = MemoryOfOne(job, FormOf(job), CountingLeast);
	Sections	sections;

	GPU_TRY(DescribeTypes(job));
	if (job->spec->surrogates > 0)
		return CountOnSurrogates(job);
	if (CanBeDoneAlone(job, bytes))
		GPU_TRY(GpuTeamHoldBack(&job->team, bytes));
	GPU_TRY(SectionsOpen(job, FormOf(job), CountingLeast, &sections));
	if (job->spec->episode_length > 0)
		return OneEpisode(job, &sections.stream);
	return MineSections(job, &sections);
}

static FimResult
GpuEpisodesMine(const FimTask *task, FimHost *host, FimSink *sink)
{
	EpisodesJob *job = &episodes_job;

	DescribeJob(job, task);
	job->sink = sink;
	if (job->data->events == 0)
		return FimIsCanceled(task->shared) ? FIM_STOPPED : FIM_DONE;
	/* surrogates are counted after mining, and the strategy to be reported is that of mining */
	if (job->spec->surrogates == 0)
		FimStrategyUsed(task->shared, job->strategy);
	return GpuTeamMine(&job->team, task, host, GpuEpisodesRunJob, job);
}

/* *wanted is enough for all of the stream and for plenty of lists or chains. */
static void
GpuEpisodesEstimate(const FimTask *task, uint64_t *wanted, uint64_t *least)
{
	EpisodesJob job;

	DescribeJob(&job, task);
	*least = MemoryOfMany(&job, FormOf(&job), CountingLeast);
	*wanted = MemoryOfOne(&job, FormOf(&job), CountingLeast) + LIST_MEMORY;
	if (job.spec->surrogates > 0)
		SurrogatesMemory(job.spec, job.data, wanted, least);
}

/* Nothing is kept from one task to the next. */
static void
GpuEpisodesRelease(void)
{
}

static const char *const strategies[] = FIM_EPISODES_GPU_STRATEGY_NAMES;

extern const FimGpuFamily FimEpisodesGpuFamily;

const FimGpuFamily FimEpisodesGpuFamily = {
	.name = "episodes",
	.strategies = strategies,
	.estimate = GpuEpisodesEstimate,
	.mine = GpuEpisodesMine,
	.release = GpuEpisodesRelease
};

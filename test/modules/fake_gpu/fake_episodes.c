/*-------------------------------------------------------------------------
 *
 * fake_episodes.c
 *	  The family of serial episodes in the stand-in for the GPU library.
 *
 *-------------------------------------------------------------------------
 */
#include "engine/episodes/episodes.h"
#include "fake_gpu.h"

#include <string.h>

static const char *const strategies[] = FIM_EPISODES_GPU_STRATEGY_NAMES;

/*
 * Strategies have the same number on the CPU, except for one that the CPU does not have.  Only
 * the CPU engine knows whether the task has a strategy to be reported.
 */
static FimResult
Mine(const FimTask *task, FimHost *host, FimSink *sink)
{
	bool		scan = task->job->strategy == FIM_EPISODES_GPU_OCCURRENCE_SCAN;
	const FimEpisodesJob *job = (const FimEpisodesJob *) task->job;
	bool		mines = job->episode_length == 0 && job->surrogates == 0;
	FimJob	   *cpu_job = host->alloc(host, task->job->size);
	FimResult	result;

	if (cpu_job == NULL)
		return FIM_OUT_OF_MEMORY;
	memcpy(cpu_job, task->job, task->job->size);
	if (scan)
		cpu_job->strategy = FIM_EPISODES_OCCURRENCE;
	result = FakeMine(task, &FimEpisodesFamily, cpu_job, scan && mines ? FIM_EPISODES_GPU_OCCURRENCE_SCAN : 0, host, sink);
	host->free(host, cpu_job);
	return result;
}

static void
Release(void)
{
}

const FimGpuFamily FimEpisodesGpuFamily = {
	.name = "episodes",
	.strategies = strategies,
	.estimate = FakeEstimate,
	.mine = Mine,
	.release = Release
};

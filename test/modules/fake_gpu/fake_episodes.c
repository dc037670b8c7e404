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
	bool		scan = task->spec->strategy == FIM_EPISODES_GPU_OCCURRENCE_SCAN;
	const FimEpisodesSpec *spec = (const FimEpisodesSpec *) task->spec;
	bool		mines = spec->episode_length == 0 && spec->surrogates == 0;
	FimSpec	   *cpu_spec = host->alloc(host, task->spec->size);
	FimResult	result;

	if (cpu_spec == NULL)
		return FIM_OUT_OF_MEMORY;
	memcpy(cpu_spec, task->spec, task->spec->size);
	if (scan)
		cpu_spec->strategy = FIM_EPISODES_OCCURRENCE;
	result = FakeMine(task, &FimEpisodesFamily, cpu_spec, scan && mines ? FIM_EPISODES_GPU_OCCURRENCE_SCAN : 0, host, sink);
	host->free(host, cpu_spec);
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

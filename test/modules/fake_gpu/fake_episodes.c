/*-------------------------------------------------------------------------
 *
 * fake_episodes.c
 *	  The family of serial episodes in the stand-in for the GPU library.
 *
 *-------------------------------------------------------------------------
 */
#include "engine/episodes/episodes.h"
#include "fake_gpu.h"

/* The CPU engine reads the job where it lies: it is of no fixed size. */
static const char *const strategies[] = FIM_EPISODES_GPU_STRATEGY_NAMES;

static FimResult
Mine(const FimTask *task, FimHost *host, FimSink *sink)
{
	int			strategy = task->job->strategy;

	/* the others have the same number on the CPU */
	if (strategy == FIM_EPISODES_GPU_OCCURRENCE_SCAN)
		strategy = FIM_EPISODES_OCCURRENCE;
	return FakeMine(task, &FimEpisodesFamily, task->job, strategy, host, sink);
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

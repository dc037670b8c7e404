/*-------------------------------------------------------------------------
 *
 * episodes.c
 *	  The family of serial episodes on devices, which has no strategy yet: so
 *	  no engine choice falls on it.
 *
 *-------------------------------------------------------------------------
 */
#include "engine/gpu.h"
#include "engine/episodes/episodes.h"

static FimResult
Mine(const FimTask *task, FimHost *host, FimSink *sink)
{
	return FIM_DEVICE_FAULT;
}

static void
Estimate(const FimTask *task, uint64_t *wanted, uint64_t *least)
{
	*wanted = *least = 0;
}

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

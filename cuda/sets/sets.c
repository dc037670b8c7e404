/*-------------------------------------------------------------------------
 *
 * sets.c
 *	  The family of products of sets on devices, which has no strategy yet: so
 *	  no engine choice falls on it.
 *
 *-------------------------------------------------------------------------
 */
#include "engine/gpu.h"
#include "engine/sets/sets.h"

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

static const char *const strategies[] = FIM_SETS_GPU_STRATEGY_NAMES;

extern const FimGpuFamily FimSetsGpuFamily;

const FimGpuFamily FimSetsGpuFamily = {
	.name = "sets",
	.strategies = strategies,
	.estimate = Estimate,
	.mine = Mine,
	.release = Release
};

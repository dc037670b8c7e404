/*-------------------------------------------------------------------------
 *
 * probable.c
 *	  The family of probable itemsets on devices, which has no strategy yet: so
 *	  no engine choice falls on it.
 *
 *-------------------------------------------------------------------------
 */
#include "engine/gpu.h"
#include "engine/probable/probable.h"

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

static const char *const strategies[] = FIM_PROBABLE_GPU_STRATEGY_NAMES;

extern const FimGpuFamily FimProbableGpuFamily;

const FimGpuFamily FimProbableGpuFamily = {
	.name = "probable",
	.strategies = strategies,
	.estimate = Estimate,
	.mine = Mine,
	.release = Release
};

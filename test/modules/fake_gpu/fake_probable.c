/*-------------------------------------------------------------------------
 *
 * fake_probable.c
 *	  The family of probable itemsets in the stand-in for the GPU library.
 *
 *-------------------------------------------------------------------------
 */
#include "engine/probable/probable.h"
#include "fake_gpu.h"

static const char *const strategies[] = FIM_PROBABLE_GPU_STRATEGY_NAMES;

static FimResult
Mine(const FimTask *task, FimHost *host, FimSink *sink)
{
	FimProbableSpec cpu_spec = *(const FimProbableSpec *) task->spec;
	int			strategy = task->spec->strategy;

	cpu_spec.head.strategy = FIM_PROBABLE_AUTO;
	return FakeMine(task, &FimProbableFamily, &cpu_spec.head,
					strategy == FIM_PROBABLE_GPU_AUTO ? FIM_PROBABLE_GPU_BOUNDS : strategy, host, sink);
}

static void
Release(void)
{
}

const FimGpuFamily FimProbableGpuFamily = {
	.name = "probable",
	.strategies = strategies,
	.estimate = FakeEstimate,
	.mine = Mine,
	.release = Release
};

/*-------------------------------------------------------------------------
 *
 * fake_sets.c
 *	  The family of products of sets in the stand-in for the GPU library.
 *
 *-------------------------------------------------------------------------
 */
#include "engine/sets/sets.h"
#include "fake_gpu.h"

/* The CPU engine reads the job where it lies: it is of no fixed size. */
static const char *const strategies[] = FIM_SETS_GPU_STRATEGY_NAMES;

static FimResult
Mine(const FimTask *task, FimHost *host, FimSink *sink)
{
	return FakeMine(task, &FimSetsFamily, task->spec, 0, host, sink);
}

static void
Release(void)
{
}

const FimGpuFamily FimSetsGpuFamily = {
	.name = "sets",
	.strategies = strategies,
	.estimate = FakeEstimate,
	.mine = Mine,
	.release = Release
};

/*-------------------------------------------------------------------------
 *
 * fake_sums.c
 *	  The tiny family on the device floor, in the stand-in for the GPU library.
 *
 *-------------------------------------------------------------------------
 */
#include "../fake_gpu/fake_gpu.h"
#include "sums.h"

#include <stdio.h>

static const char *const strategies[] = SUMS_GPU_STRATEGY_NAMES;

/* What the CPU engine does for each. */
static const SumsStrategy stands_for[] = {SUMS_PLAIN, SUMS_PLAIN, SUMS_ENDLESS, SUMS_GREEDY,
SUMS_PLAIN};

static FimResult
Mine(const FimTask *task, FimHost *host, FimSink *sink)
{
	SumsSpec		cpu_spec = *(const SumsSpec *) task->spec;

	cpu_spec.head.strategy = stands_for[task->spec->strategy];
	return FakeMine(task, &FimSumsFamily, &cpu_spec.head,
					task->spec->strategy == 0 ? 1 : task->spec->strategy, host, sink);
}

/* Leave a trace in the data directory, for the test. */
static void
Release(void)
{
	FILE	   *file = fopen("fake_sums.released", "w");

	if (file != NULL)
		fclose(file);
}

const FimGpuFamily FimSumsGpuFamily = {
	.name = "sums",
	.strategies = strategies,
	.estimate = FakeEstimate,
	.mine = Mine,
	.release = Release
};

/*-------------------------------------------------------------------------
 *
 * fake_itemsets.c
 *	  The family of frequent itemsets in the stand-in for the GPU library.
 *
 *-------------------------------------------------------------------------
 */
#include "engine/itemsets/itemsets.h"
#include "fake_gpu.h"

#include <unistd.h>

#define PAIRS_FILE		"fake_gpu.pairs"

static const char *const strategies[] = FIM_ITEMSETS_GPU_STRATEGY_NAMES;

/* What the CPU engine does for each: every one of its own serves somewhere. */
static const FimItemsetsStrategy stands_for[] = {
	[FIM_GPU_AUTO] = FIM_AUTO,
	[FIM_GPU_TENSOR] = FIM_BITMAP,
	[FIM_GPU_DCI_TRANSACTION] = FIM_PROJECTED,
	[FIM_GPU_DCI_CANDIDATE] = FIM_BITMAP,
	[FIM_GPU_TFL] = FIM_PROJECTED,
	[FIM_GPU_HIL] = FIM_AUTO
};

static FimResult
Mine(const FimTask *task, FimHost *host, FimSink *sink)
{
	FimItemsetsSpec cpu_spec = *(const FimItemsetsSpec *) task->spec;
	int			strategy = task->spec->strategy;

	cpu_spec.head.strategy = stands_for[strategy];
	if (access(PAIRS_FILE, F_OK) == 0)
		cpu_spec.min_length = cpu_spec.max_length = 2;
	return FakeMine(task, &FimItemsetsFamily, &cpu_spec.head,
					strategy == FIM_GPU_AUTO ? FIM_GPU_TENSOR : strategy, host, sink);
}

static void
Release(void)
{
}

const FimGpuFamily FimItemsetsGpuFamily = {
	.name = "itemsets",
	.strategies = strategies,
	.estimate = FakeEstimate,
	.mine = Mine,
	.release = Release
};

/*-------------------------------------------------------------------------
 *
 * episode_faults.c
 *	  Faults that are injected while a GPU mines serial episodes, see episode_faults.h.
 *
 *-------------------------------------------------------------------------
 */
#include <stdlib.h>
#include <string.h>

#include "engine/episodes/episodes.h"
#include "episode_faults.h"
#include "faults.h"
#include "gpu_library.h"
#include "../unit/harness.h"

#define EVENTS	20000
#define TYPES	8

static const FaultCase fault_cases[] = {
	{"no fault", {0, 0, 0}, 0, FIM_DONE, false, NULL},
	{"the allocation of lists of pairs fails", {17, 0, 0}, 0, FIM_DEVICE_FAULT, false, "propagate"},
	{"all allocations fail", {-1, 0, 0}, 0, FIM_DEVICE_FAULT, false, NULL},
	{"all later allocations fail", {-6, 0, 0}, 0, FIM_DEVICE_FAULT, false, NULL},
	{"a limit that nothing fits", {0, 0, 0}, 1024, FIM_DEVICE_FAULT, false, NULL},
	{"a launch fails", {0, 1, 0}, 0, FIM_DEVICE_FAULT, true, NULL},
	{"a later launch fails", {0, 4, 0}, 0, FIM_DEVICE_FAULT, true, NULL},
	{"the device is lost", {0, 0, 2}, 0, FIM_DEVICE_FAULT, true, NULL},
	{"the device is lost later", {0, 0, 6}, 0, FIM_DEVICE_FAULT, true, NULL}
};

static FimEpisodesData *
MakeEvents(void)
{
	Rng			rng = {42};
	FimGap		gap = {{.integer = 1}, {.integer = 9}};
	size_t		size = FimEpisodesBound(EVENTS, 1, TYPES, 1);
	FimEpisodesData *data = malloc(size);

	FimEpisodesBegin(data, size, EVENTS, 1, TYPES, &gap, 1, false);
	for (int i = 0; i < EVENTS; i++)
		FimEpisodesAdd(data, RngBelow(&rng, TYPES), (FimTime) {.integer = i});
	FimEpisodesFinish(data);
	return data;
}

/* Counts, so that nothing is written. */
static FimResult
MineSome(int strategy)
{
	FimEpisodesData *data = MakeEvents();
	FimEpisodesSpec spec = {.head = {sizeof(spec), strategy, true}, .minsup = EVENTS / 40, .min_length = 1, .max_length = 4};
	FimTask		task = FimEpisodesTask(&spec, data, NULL);
	TestHost	host;
	FimResult	result;

	HostInit(&host);
	task.shared = calloc(1, FimSharedSize(&task));
	task.summary = calloc(1, FimSummarySize(&task));
	FimSharedInit(&task);
	result = MineOnGpu(&task, &host.base, NULL);
	free(task.shared);
	free(task.summary);
	free(data);
	return host.live == 0 ? result : FIM_OUT_OF_MEMORY;
}

int
CheckEpisodeFaults(void)
{
	static const char *const strategies[] = FIM_EPISODES_GPU_STRATEGY_NAMES;

	return CheckFaults(&FimEpisodesFamily, strategies, fault_cases,
					   sizeof(fault_cases) / sizeof(fault_cases[0]), MineSome);
}

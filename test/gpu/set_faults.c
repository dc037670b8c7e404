/*-------------------------------------------------------------------------
 *
 * set_faults.c
 *	  Faults that are injected while a GPU multiplies sets, see set_faults.h.
 *
 *-------------------------------------------------------------------------
 */
#include <stdlib.h>
#include <string.h>

#include "engine/sets/sets.h"
#include "faults.h"
#include "gpu_library.h"
#include "set_faults.h"
#include "../unit/harness.h"

#define VALUES	2000
#define KEYS	500
#define PAIRS	20000

static const FaultCase fault_cases[] = {
	{"no fault", {0, 0, 0}, 0, FIM_DONE, false, NULL},
	{"the first allocation fails", {1, 0, 0}, 0, FIM_DEVICE_FAULT, false, NULL},
	{"the allocation of strips fails", {5, 0, 0}, 0, FIM_DEVICE_FAULT, false, NULL},
	{"all allocations fail", {-1, 0, 0}, 0, FIM_DEVICE_FAULT, false, NULL},
	{"all later allocations fail", {-6, 0, 0}, 0, FIM_DEVICE_FAULT, false, NULL},
	{"a limit that nothing fits", {0, 0, 0}, 1024, FIM_DEVICE_FAULT, false, NULL},
	{"a launch fails", {0, 1, 0}, 0, FIM_DEVICE_FAULT, true, NULL},
	{"a later launch fails", {0, 2, 0}, 0, FIM_DEVICE_FAULT, true, NULL},
	{"the device is lost", {0, 0, 2}, 0, FIM_DEVICE_FAULT, true, NULL},
	{"the device is lost later", {0, 0, 4}, 0, FIM_DEVICE_FAULT, true, NULL}
};

static FimSetsData *
MakeRelation(FimHost *host)
{
	Rng			rng = {42};
	FimSetsSize size = {.left_pairs = PAIRS, .left_values = VALUES, .keys = KEYS, .one = true};
	size_t		bound = FimSetsBound(&size);
	FimSetsData *data = malloc(bound);

	FimSetsBegin(data, bound, &size);
	for (int i = 0; i < PAIRS; i++)
		FimSetsAddLeft(data, RngBelow(&rng, KEYS), RngBelow(&rng, VALUES));
	if (FimSetsFinish(data, host) != FIM_DONE)
		abort();
	return data;
}

static FimResult
Mine(FimSetsSpec spec, FimSink *sink)
{
	TestHost	host;
	FimSetsData *data;
	FimSetsSummary summary = {0};
	FimTask		task;
	FimResult	result;

	HostInit(&host);
	data = MakeRelation(&host.base);
	task = FimSetsTask(&spec, data, &summary);
	task.shared = calloc(1, FimSharedSize(&task));
	result = MineOnGpu(&task, &host.base, sink);
	free(task.shared);
	free(data);
	return host.live == 0 ? result : FIM_OUT_OF_MEMORY;
}

/* Counts, so that nothing is written. */
static FimResult
MineSimilar(int strategy)
{
	return Mine((FimSetsSpec) {.head = {sizeof(FimSetsSpec), strategy, true}, .result = FIM_SETS_SIMILAR, .witnesses = true,
		.min_witnesses = 1, .measure = FIM_JACCARD, .threshold = 0.2}, NULL);
}

static FimResult
MineBest(int strategy)
{
	WordSink	sink;
	FimResult	result;

	WordSinkInit(&sink);
	result = Mine((FimSetsSpec) {.head = {sizeof(FimSetsSpec), strategy}, .result = FIM_SETS_BEST, .witnesses = true,
		.min_witnesses = 1, .measure = FIM_LIFT, .most_partners = 5, .transactions = KEYS}, &sink.base);
	free(sink.words);
	return result;
}

int
CheckSetFaults(void)
{
	static const char *const strategies[] = FIM_SETS_GPU_STRATEGY_NAMES;
	static const MineFaulty tasks[] = {MineSimilar, MineBest};
	int			failed = 0;

	for (int t = 0; t < 2; t++)
		failed |= CheckFaults(&FimSetsFamily, strategies, fault_cases, sizeof(fault_cases) / sizeof(fault_cases[0]), tasks[t]);
	return failed;
}

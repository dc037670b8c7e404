/*-------------------------------------------------------------------------
 *
 * probable_faults.c
 *	  Faults that are injected while a GPU mines probable itemsets, see probable_faults.h.
 *
 *-------------------------------------------------------------------------
 */
#include <stdlib.h>

#include "faults.h"
#include "probable_faults.h"
#include "probable_runs.h"
#include "uncertain_rows.h"

static const FaultCase fault_cases[] = {
	{"no fault", {0, 0, 0}, 0, FIM_DONE, false, NULL},
	{"all allocations fail", {-1, 0, 0}, 0, FIM_DEVICE_FAULT, false, NULL},
	{"all later allocations fail", {-9, 0, 0}, 0, FIM_DEVICE_FAULT, false, NULL},
	{"a limit that nothing fits", {0, 0, 0}, 1024, FIM_DEVICE_FAULT, false, NULL},
	{"a launch fails", {0, 1, 0}, 0, FIM_DEVICE_FAULT, true, NULL},
	{"a later launch fails", {0, 6, 0}, 0, FIM_DEVICE_FAULT, true, NULL},
	{"the device is lost", {0, 0, 2}, 0, FIM_DEVICE_FAULT, true, NULL},
	{"the device is lost later", {0, 0, 4}, 0, FIM_DEVICE_FAULT, true, NULL}
};

static FimResult
MineSome(int strategy)
{
	Rng			rng = {42};
	UncertainRows of = {.nrows = 3000,.nitems = 6};
	FimProbableSpec spec = {.head = {.size = sizeof(spec),.strategy = strategy},.minprob = 0.5,.exact = true,
	.min_length = 1,.max_length = 3};
	FimProbableData *data;
	ProbableRun run;

	RandomRows(&of, &rng, 0, UNIFORM);
	data = BuildData(&of);
	FreeRows(&of);
	spec.minsup = data->nrows / 8;
	RunProbable(MineOnGpu, &spec, data, false, &run);
	FreeProbableRun(&run);
	free(data);
	return run.result;
}

int
CheckProbableFaults(void)
{
	static const char *const strategies[] = FIM_PROBABLE_GPU_STRATEGY_NAMES;

	return CheckFaults(&FimProbableFamily, strategies, fault_cases,
					   sizeof(fault_cases) / sizeof(fault_cases[0]), MineSome);
}

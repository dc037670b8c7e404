/*-------------------------------------------------------------------------
 *
 * itemset_faults.c
 *	  Faults that are injected while a GPU mines itemsets, see itemset_faults.h.
 *
 *-------------------------------------------------------------------------
 */
#include "faults.h"
#include "itemset_faults.h"
#include "itemset_runs.h"
#include "../unit/tables.h"

static const FaultCase fault_cases[] = {
	{"no fault", {0, 0, 0}, 0, FIM_DONE, false, NULL},
	{"one allocation fails", {1, 0, 0}, 0, FIM_DONE, false, NULL},
	{"a later allocation fails", {4, 0, 0}, 0, FIM_DONE, false, NULL},
	{"all allocations fail", {-1, 0, 0}, 0, FIM_DEVICE_FAULT, false, NULL},
	/* strategy tensor has a block of memory by then, and goes on with that */
	{"all later allocations fail", {-3, 0, 0}, 0, FIM_DEVICE_FAULT, false, "tensor"},
	{"a limit that nothing fits", {0, 0, 0}, 1024, FIM_DEVICE_FAULT, false, NULL},
	{"a launch fails", {0, 1, 0}, 0, FIM_DEVICE_FAULT, true, NULL},
	{"a later launch fails", {0, 3, 0}, 0, FIM_DEVICE_FAULT, true, NULL},
	{"the device is lost", {0, 0, 2}, 0, FIM_DEVICE_FAULT, true, NULL},
	{"the device is lost later", {0, 0, 11}, 0, FIM_DEVICE_FAULT, true, NULL}
};

static FimResult
MineSome(int strategy)
{
	Rng			rng = {42};
	Table		table;
	FimDatabase *db;
	FimItemsetsSpec spec = {.kind = FIM_ALL,.head = {.strategy = strategy},.min_length = 1,.max_length = 4};
	ItemsetRun	run;

	RandomTable(&table, &rng, LARGE);
	while (table.nrows < 200)
	{
		TableFree(&table);
		RandomTable(&table, &rng, LARGE);
	}
	db = BuildDatabase(&table);
	TableFree(&table);
	spec.minsup = (uint32_t) db->transactions / 8 + 1;
	RunItemsets(MineOnGpu, &spec, db, NEVER, false, &run);
	FreeItemsetRun(&run);
	FreeDatabase(db);
	return run.result;
}

int
CheckItemsetFaults(void)
{
	static const char *const strategies[] = FIM_ITEMSETS_GPU_STRATEGY_NAMES;

	return CheckFaults(&FimItemsetsFamily, strategies, fault_cases,
					   sizeof(fault_cases) / sizeof(fault_cases[0]), MineSome);
}

/*-------------------------------------------------------------------------
 *
 * check_gpu.c
 *	  The GPU engine against the CPU engine.
 *
 * Without a file: random databases of many shapes, each mined by every strategy
 * with random kinds, limits, prefixes, parts and memory limits, down to the least that
 * the library's own estimate asks for, so that transactions are streamed in many
 * blocks.  Some have items in all transactions, up to more than could be listed, some
 * very many items, and some very many transactions.  A listing must give each itemset
 * of the CPU engine's once and no other, a count the same numbers by length.  Before
 * them comes a database that is made for one part of strategy tensor.
 *
 * With a file of transactions: mines it and prints how many itemsets there are
 * and what it took; with -x the results are compared with the CPU engine's.
 *
 * With -F: faults are injected into every strategy, each in a process of its own.
 *
 * Usage:
 *	  check_gpu [-l LIBRARY] [-s seed] [-n databases] [-t seconds] [-d number]
 *				[-S strategy] [-g devices]
 *	  check_gpu [-l LIBRARY] -f FILE -m minsup [-S strategy] [-k kind] [-b max_length]
 *				[-M memory_limit] [-g devices] [-o] [-x] [-r repetitions] [-T seconds]
 *	  check_gpu [-l LIBRARY] -F
 *
 * -g 2 takes two devices; -o lists and discards the itemsets instead of counting;
 * -T gives a run up that takes longer, and its strategy with it.
 *
 *-------------------------------------------------------------------------
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "gpu_library.h"
#include "itemset_cases.h"
#include "itemset_faults.h"
#include "itemset_runs.h"
#include "itemset_timing.h"
#include "random_cases.h"
#include "tensor_steps.h"

static const FimGpuFamily *gpu; /* the library's itemsets */

/* ---- random databases ---- */

static void
DescribeCase(const RandomCases *cases, uint32_t number, const FimItemsetsSpec *spec, uint64_t limit,
			 const char *error)
{
	printf("FAILED: %s: -s %llu -d %u -S %s, %s, minsup %u, prefix %u, lengths %u to %u, part %u of %u, %s, limit %llu\n",
		   error, (unsigned long long) cases->seed, number, gpu->strategies[spec->head.strategy],
		   KindName(spec->kind), spec->minsup, spec->nrequired, spec->min_length, spec->max_length,
		   spec->head.part.number, spec->head.part.of, spec->head.count_only ? "counted" : "listed", (unsigned long long) limit);
}

/* The limit of memory that a strategy is given for a database. */
static uint64_t
RandomLimit(Rng *rng, uint32_t number, const FimItemsetsSpec *spec, const FimDatabase *db)
{
	FimTask		task = FimItemsetsTask(spec, db, NULL);
	uint64_t	limit = RandomMemoryLimit(rng, gpu, &task);

	if (limit > 0 && limit < ReasonableMemory(number))
		return ReasonableMemory(number);
	return limit;
}

static bool
CheckStrategy(const RandomCases *cases, uint32_t number, const FimItemsetsSpec *spec, const FimDatabase *db,
			  uint64_t limit, ItemsetRun *expected)
{
	ItemsetRun	found;
	const char *error;

	SetMemoryLimit(limit);
	RunItemsets(MineOnGpu, spec, db, NEVER, true, &found);
	error = CompareRuns(spec, expected, &found);
	if (error != NULL)
		DescribeCase(cases, number, spec, limit, error);
	FreeItemsetRun(&found);
	return error == NULL;
}

static bool
CheckDatabase(const RandomCases *cases, uint32_t number)
{
	Rng			rng = CaseRng(cases, number);
	FimItemsetsSpec spec;
	FimDatabase *db = RandomItemsetCase(&spec, &rng, number);
	ItemsetRun	expected;
	bool		passed = true;

	RunItemsets(FimMine, &spec, db, NEVER, true, &expected);
	for (int s = 0; gpu->strategies[s] != NULL; s++)
	{
		uint64_t	limit;

		spec.head.strategy = s;
		limit = RandomLimit(&rng, number, &spec, db);
		if (cases->strategy < 0 || s == cases->strategy)
			passed &= CheckStrategy(cases, number, &spec, db, limit, &expected);
	}
	FreeItemsetRun(&expected);
	FreeDatabase(db);
	return passed;
}

/* ---- arguments ---- */

int
main(int argc, char **argv)
{
	static const char *const strategies[] = FIM_ITEMSETS_GPU_STRATEGY_NAMES;
	static const char *const kinds[] = {"all", "closed", "maximal", NULL};
	RandomCases cases = DefaultCases();
	ItemsetTiming timing = {.minsup = "0.1",.repetitions = 1,
		.spec = {.head = {.strategy = -1,.count_only = true},.min_length = 1,.max_length = FIM_NO_LIMIT}};
	bool		faults = false;
	bool		failed = false;
	int			option;

	while ((option = getopt(argc, argv, CASE_OPTIONS "S:k:f:m:b:M:oxr:T:F")) != -1)
		switch (option)
		{
			case 'S':
				cases.strategy = timing.spec.head.strategy = OneOf(optarg, strategies);
				break;
			case 'k':
				timing.spec.kind = (FimKind) OneOf(optarg, kinds);
				break;
			case 'f':
				timing.file = optarg;
				break;
			case 'm':
				timing.minsup = optarg;
				break;
			case 'b':
				timing.spec.max_length = (uint32_t) atoi(optarg);
				break;
			case 'M':
				timing.memory_limit = strtoull(optarg, NULL, 10);
				break;
			case 'o':
				timing.spec.head.count_only = false;
				break;
			case 'x':
				timing.compare = true;
				break;
			case 'r':
				timing.repetitions = atoi(optarg);
				break;
			case 'T':
				most_seconds = atof(optarg);
				break;
			case 'F':
				faults = true;
				break;
			default:
				if (!TakeCaseOption(&cases, option, optarg))
					return 2;
		}
	if (faults)
		return CheckItemsetFaults();
	gpu = LoadLibrary(&FimItemsetsFamily);
	if (timing.file != NULL)
		return TimeItemsets(gpu, &timing);
	if (cases.from == 0 && (cases.strategy < 0 || cases.strategy == FIM_GPU_TENSOR))
		failed = CheckTensorSteps();
	return CheckCases(&cases, CheckDatabase) || failed;
}

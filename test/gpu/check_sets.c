/*-------------------------------------------------------------------------
 *
 * check_sets.c
 *	  Products of sets and best partners on GPUs against looking at every pair of values, and against the
 *	  CPU engine where relations are too large for that.
 *
 * Without -F and -T: random relations of all shapes, with random tasks and memory limits, by every
 * strategy; some of them are stopped.
 *
 * With -L: relations that are too large for looking at every pair, too.
 *
 * With -F: faults are injected into every strategy, each in a process of its own.
 *
 * With -T: how long products take, see set_timing.h.
 *
 * Usage:
 *	  check_sets [-l LIBRARY] [-s seed] [-n relations] [-t seconds] [-d number]
 *				 [-S strategy] [-g devices] [-L]
 *	  check_sets [-l LIBRARY] -F
 *	  check_sets [-l LIBRARY] [-S strategy] [-g devices] [-r RUNS] -T WHAT
 *
 *-------------------------------------------------------------------------
 */
#include <stdlib.h>
#include <unistd.h>

#include "gpu_library.h"
#include "random_cases.h"
#include "set_faults.h"
#include "set_timing.h"
#include "../unit/best_checks.h"

static const FimGpuFamily *gpu; /* the library's sets */
static Rng	limits;				/* of memory, at random ... */
static bool limited;			/* ... where there are any: batmaps of hundreds of values take long with the least */
static bool large;				/* check large relations, too */

static void
SetOptions(const FimTask *task)
{
	SetMemoryLimit(limited ? RandomMemoryLimit(&limits, gpu, task) : 0);
}

static const char *const strategies[] = FIM_SETS_GPU_STRATEGY_NAMES;
/* Splitting saves milliseconds, of which devices need few for all else. */
static SetsEngine gpu_engine = {.strategies = strategies, .strategy = -1, .one_worker = true,
	.split = {2000, 60000, 0.1, 2, 0.05}, .prepare = SetOptions, .mine = MineOnGpu};

static bool
CheckLarge(uint64_t seed)
{
	return CheckGapRelations(&gpu_engine) && CheckSplitRelations(&gpu_engine, seed) &&
		CheckWideRelations(&gpu_engine, seed) && CheckHeavyRelations(&gpu_engine, seed) &&
		CheckBestOfWide(&gpu_engine, seed);
}

static bool
CheckNumber(const RandomCases *cases, uint32_t number)
{
	uint64_t	seed = CaseSeed(cases, number);

	limits = CaseRng(cases, number);
	limited = false;
	if (number == 0 && !CheckCountedRelations(&gpu_engine, seed))
		return false;
	limited = true;
	if (large && number == 0 && !CheckLarge(seed))
		return false;
	if (number == 0 && !(CheckBestOfMany(&gpu_engine, seed) && CheckBestOfThin(&gpu_engine, seed)))
		return false;
	return CheckRandomRelations(&gpu_engine, seed) && CheckBestOfRandom(&gpu_engine, seed);
}

int
main(int argc, char **argv)
{
	RandomCases cases = DefaultCases();
	const char *only = NULL;
	const char *timed = NULL;
	int			runs = 5;
	bool		faults = false;
	int			option;

	while ((option = getopt(argc, argv, CASE_OPTIONS "S:LFT:r:")) != -1)
		switch (option)
		{
			case 'S':
				only = optarg;
				break;
			case 'L':
				large = true;
				break;
			case 'F':
				faults = true;
				break;
			case 'T':
				timed = optarg;
				break;
			case 'r':
				runs = atoi(optarg);
				break;
			default:
				if (!TakeCaseOption(&cases, option, optarg))
					return 2;
		}
	if (faults)
		return CheckSetFaults();
	gpu = LoadLibrary(&FimSetsFamily);
	if (only != NULL)
		gpu_engine.strategy = OneOf(only, strategies);
	if (timed != NULL)
		return TimeSets(gpu, gpu_engine.strategy, timed, runs);
	return CheckCases(&cases, CheckNumber);
}

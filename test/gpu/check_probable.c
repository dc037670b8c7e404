/*-------------------------------------------------------------------------
 *
 * check_probable.c
 *	  Probable itemsets on GPUs against brute force, and how long they take.
 *
 * Without a file: random uncertain databases of both kinds, with probabilities of many
 * shapes and thresholds that are reached exactly, mined by every strategy with random
 * kinds, limits, required items, numbers of devices and memory limits.  Of every subset
 * of the items, a long-double dynamic programme says whether it is to be found and with
 * which values.  Some databases have several items only, but so many transactions that
 * a distribution is convolved on many levels.  Others have so many items that pairs are counted
 * as a product of matrices; these are mined by the CPU engine, too.
 *
 * With a file of transactions: gives them random probabilities, mines them and prints
 * what it took; -c takes a strategy of the CPU engine.
 *
 * With -V: convolves that many random itemsets of so many transactions, for their values.
 *
 * With -F: faults are injected into every strategy, each in a process of its own.
 *
 * Usage:
 *	  check_probable [-l LIBRARY] [-s seed] [-n databases] [-t seconds] [-d number]
 *					 [-S strategy] [-g devices]
 *	  check_probable [-l LIBRARY] -f FILE -m minsup [-q minprob] [-p uniform | MEAN,VARIANCE]
 *					 [-a] [-R rows] [-S strategy | -c strategy] [-D] [-b max_length] [-M memory_limit]
 *					 [-g devices] [-r repetitions]
 *	  check_probable [-l LIBRARY] -V values -R rows [-r repetitions]
 *	  check_probable [-l LIBRARY] -F
 *
 * -q nan selects by expectation, -a gives each entry a probability, -R takes so many
 * of the file's rows at random, and -D wants decisions only.
 *
 *-------------------------------------------------------------------------
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu_library.h"
#include "probable_cases.h"
#include "probable_faults.h"
#include "probable_runs.h"
#include "probable_timing.h"
#include "random_cases.h"
#include "uncertain_rows.h"

/* A database with many items, one in so many. */
#define WIDE_PART	40

static const FimGpuFamily *gpu; /* the library's probable itemsets */

/* ---- random data ---- */

static void
DescribeCase(const RandomCases *cases, uint32_t number, const FimProbableSpec *spec,
			 const FimProbableData *data, uint64_t limit, const char *error)
{
	printf("FAILED: %s: -s %llu -d %u -S %s, kind %d, %s, %s, minsup %u, minprob %.17g, expected %.17g, "
		   "required %u, lengths %u to %u, part %u of %u, %u rows, %u items, limit %llu\n", error,
		   (unsigned long long) cases->seed, number, gpu->strategies[spec->head.strategy], (int) spec->kind,
		   data->by_entry ? "attribute" : "tuple", spec->exact ? "exact" : "decisions", spec->minsup,
		   spec->minprob, spec->min_expected, spec->nrequired, spec->min_length, spec->max_length, spec->head.part.number, spec->head.part.of, data->nrows,
		   data->nitems, (unsigned long long) limit);
}

/* The truth is what brute force found, or another engine's run. */
static bool
CheckStrategy(const RandomCases *cases, uint32_t number, const FimProbableSpec *spec,
			  const FimProbableData *data, const Truth *truth, const ProbableRun *other, uint64_t limit)
{
	ProbableRun run;
	const char *error;

	SetMemoryLimit(limit);
	RunProbable(MineOnGpu, spec, data, true, &run);
	error = other != NULL ? CompareProbableRuns(spec, &run, other) : CheckProbableRun(spec, data, truth, &run);
	if (error != NULL)
		DescribeCase(cases, number, spec, data, limit, error);
	FreeProbableRun(&run);
	return error == NULL;
}

static bool
CheckStrategies(const RandomCases *cases, uint32_t number, Rng *rng, FimProbableSpec *spec,
				const FimProbableData *data, const Truth *truth, const ProbableRun *other)
{
	bool		passed = true;

	for (int s = 0; gpu->strategies[s] != NULL; s++)
	{
		FimTask		task = FimProbableTask(spec, data, NULL);
		uint64_t	limit;

		spec->head.strategy = s;
		limit = RandomMemoryLimit(rng, gpu, &task);
		if (cases->strategy < 0 || s == cases->strategy)
			passed &= CheckStrategy(cases, number, spec, data, truth, other, limit);
	}
	return passed;
}

/* What the CPU engine finds. */
static void
RunOnCpu(const FimProbableSpec *spec, const FimProbableData *data, ProbableRun *run)
{
	FimProbableData *copy = Take(data->head.size);

	memcpy(copy, data, data->head.size);
	copy = PrepareForCpu(copy);
	RunProbable(FimMine, spec, copy, true, run);
	free(copy);
}

/* Too many items for brute force. */
static bool
CheckWideDatabase(const RandomCases *cases, uint32_t number, Rng *rng)
{
	FimProbableSpec spec;
	FimProbableData *data = RandomWideCase(&spec, rng);
	ProbableRun other;
	bool		passed;

	RunOnCpu(&spec, data, &other);
	passed = CheckStrategies(cases, number, rng, &spec, data, NULL, &other);
	FreeProbableRun(&other);
	free(data);
	return passed;
}

static bool
CheckDatabase(const RandomCases *cases, uint32_t number)
{
	Rng			rng = CaseRng(cases, number);
	FimProbableSpec spec;
	Truth	   *truth;
	FimProbableData *data;
	bool		passed;

	if (number % WIDE_PART == WIDE_PART / 4)
		return CheckWideDatabase(cases, number, &rng);
	data = RandomProbableCase(&spec, &rng, number, &truth);
	passed = truth == NULL || CheckStrategies(cases, number, &rng, &spec, data, truth, NULL);
	free(truth);
	free(data);
	return passed;
}

/* ---- arguments ---- */

/* Takes an option of what is timed, how and how often, with its argument.  Returns false if it is another one. */
static bool
TakeTimingOption(ProbableTiming *timing, int option, const char *argument)
{
	switch (option)
	{
		case 'c':
			timing->on_cpu = true;
			timing->strategy = argument;
			return true;
		case 'S':
			timing->strategy = argument;
			return true;
		case 'f':
			timing->file = argument;
			return true;
		case 'm':
			timing->minsup = atof(argument);
			return true;
		case 'q':
			timing->spec.minprob = atof(argument);
			return true;
		case 'p':
			timing->drawing = DrawingOf(argument);
			return true;
		case 'a':
			timing->by_entry = true;
			return true;
		case 'R':
			timing->rows = (uint32_t) atoi(argument);
			return true;
		case 'D':
			timing->spec.exact = false;
			return true;
		case 'b':
			timing->spec.max_length = (uint32_t) atoi(argument);
			return true;
		case 'M':
			timing->memory_limit = strtoull(argument, NULL, 10);
			return true;
		case 'r':
			timing->repetitions = atoi(argument);
			return true;
		default:
			return false;
	}
}

int
main(int argc, char **argv)
{
	static const char *const strategies[] = FIM_PROBABLE_GPU_STRATEGY_NAMES;
	RandomCases cases = DefaultCases();
	ProbableTiming timing = {.minsup = 0.1,.drawing = {.uniform = true},.repetitions = 1,
		.spec = {.head = {.size = sizeof(timing.spec)},.minprob = 0.5,.exact = true,.min_length = 1,
		.max_length = FIM_NO_LIMIT}};
	uint32_t	values = 0;
	int			option;

	while ((option = getopt(argc, argv, CASE_OPTIONS "S:c:f:m:q:p:aR:Db:M:r:V:F")) != -1)
		switch (option)
		{
			case 'V':
				values = (uint32_t) atoi(optarg);
				break;
			case 'F':
				return CheckProbableFaults();
			default:
				if (!TakeTimingOption(&timing, option, optarg) && !TakeCaseOption(&cases, option, optarg))
					return 2;
		}
	if (!timing.on_cpu)
		gpu = LoadLibrary(&FimProbableFamily);
	if (values > 0)
		return TimeValues(gpu, &timing, values, timing.rows);
	if (timing.file != NULL)
		return TimeProbable(gpu, &timing);
	if (timing.strategy != NULL)
		cases.strategy = OneOf(timing.strategy, strategies);
	return CheckCases(&cases, CheckDatabase);
}

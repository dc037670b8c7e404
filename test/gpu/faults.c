/*-------------------------------------------------------------------------
 *
 * faults.c
 *	  Faults that are injected while a database is mined, see faults.h.
 *
 *-------------------------------------------------------------------------
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faults.h"
#include "gpu_library.h"

static FimResult
MineWith(const FimGpuOptions *options, int strategy, MineFaulty mine)
{
	library->set_options(options);
	return mine(strategy);
}

/* In a process of its own: a sticky fault ends it. */
static bool
TryFault(const FimGpuFamily *gpu, int strategy, const FaultCase *fault, MineFaulty mine)
{
	bool		survives = fault->survivor != NULL && strcmp(gpu->strategies[strategy], fault->survivor) == 0;
	FimGpuOptions options = Options(fault->limit);
	FimResult	result;
	bool		passed;

	options.inject = fault->inject;
	/* what is allocated once on each device comes before those that fail */
	if (options.inject.allocation < -1)
		options.inject.allocation -= device_count - 1;
	result = MineWith(&options, strategy, mine);
	passed = result == (survives ? FIM_DONE : fault->result);
	if (result == FIM_DEVICE_FAULT)
		passed &= library->fault()->sticky == fault->sticky;

	/* what comes after: the same answer for ever, or none of it */
	options = Options(0);
	result = MineWith(&options, strategy, mine);
	passed &= result == (fault->sticky ? FIM_DEVICE_FAULT : FIM_DONE);
	passed &= library->open(&options) == !fault->sticky;
	library->close();
	return passed;
}

/* Whether a process of its own finds what is expected. */
static bool
PassesApart(const FimFamily *family, int strategy, const FaultCase *fault, MineFaulty mine)
{
	pid_t		child;
	int			status;

	fflush(stdout);
	child = fork();
	if (child == 0)
		exit(TryFault(LoadLibrary(family), strategy, fault, mine) ? 0 : 1);
	return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

int
CheckFaults(const FimFamily *family, const char *const *strategies, const FaultCase *cases, size_t ncases,
			MineFaulty mine)
{
	int			failed = 0;

	if (device_count == 0)
		device_count = 1;
	/* the first one is "auto" */
	for (int s = 1; strategies[s] != NULL; s++)
		for (size_t i = 0; i < ncases; i++)
			if (!PassesApart(family, s, &cases[i], mine))
			{
				printf("FAILED: strategy %s, %s\n", strategies[s], cases[i].name);
				failed = 1;
			}
	printf("faults: %s\n", failed ? "failed" : "passed");
	return failed;
}

/*-------------------------------------------------------------------------
 *
 * random_cases.c
 *	  Random databases, one after the other, see random_cases.h.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "gpu_library.h"
#include "random_cases.h"

#define MOST_FAILURES	10

RandomCases
DefaultCases(void)
{
	/* programs that are started in the same second get other seeds, too */
	uint64_t	seed = (uint64_t) time(NULL) * 100000 + (uint64_t) getpid() % 100000;

	return (RandomCases) {.seed = seed,.n = DEFAULT_CASES,.seconds = HUGE_VAL,.strategy = -1};
}

bool
TakeCaseOption(RandomCases *cases, int option, const char *argument)
{
	switch (option)
	{
		case 'l':
			library_name = argument;
			return true;
		case 's':
			cases->seed = strtoull(argument, NULL, 10);
			return true;
		case 'n':
			cases->n = (uint32_t) atoi(argument);
			return true;
		case 't':
			cases->seconds = atof(argument);
			return true;
		case 'd':
			cases->from = (uint32_t) atoi(argument);
			cases->n = 1;
			return true;
		case 'g':
			device_count = atoi(argument);
			return true;
		default:
			return false;
	}
}

bool
CheckCases(const RandomCases *cases, CheckCase check)
{
	uint32_t	failed = 0;
	uint32_t	done;
	double		start = WallSeconds();

	printf("# seed %llu\n", (unsigned long long) cases->seed);
	for (done = 0; done < cases->n && failed < MOST_FAILURES && WallSeconds() - start < cases->seconds; done++)
		failed += !check(cases, cases->from + done);
	printf("# %u random databases, %u failed, %.1f s\n", done, failed, WallSeconds() - start);
	return failed > 0;
}

uint64_t
CaseSeed(const RandomCases *cases, uint32_t number)
{
	return cases->seed * UINT64_C(1000003) + number;
}

Rng
CaseRng(const RandomCases *cases, uint32_t number)
{
	return (Rng) {CaseSeed(cases, number)};
}

FimPart
RandomPart(Rng *rng)
{
	FimPart		part = {0, 1};

	if (RngChance(rng, PART_CHANCE))
	{
		part.of = 2 + RngBelow(rng, 8);
		part.number = RngBelow(rng, part.of);
	}
	return part;
}

uint64_t
RngFewBytes(Rng *rng)
{
	return RngBelow(rng, 1u << RngBelow(rng, 13));
}

uint64_t
RandomMemoryLimit(Rng *rng, const FimGpuFamily *gpu, const FimTask *task)
{
	uint64_t	wanted;
	uint64_t	least;

	gpu->estimate(task, &wanted, &least);
	if (least > wanted)
		Die("the least memory is more than the most");
	switch (RngBelow(rng, 5))
	{
		case 0:
			return 0;
		case 1:
			return least;
		case 2:
			return least + RngFewBytes(rng);
		default:
			return least + (uint64_t) (pow(RngUnit(rng), 3) *
									   (double) (wanted > 8 * least ? wanted : 8 * least));
	}
}

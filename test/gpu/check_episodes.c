/*-------------------------------------------------------------------------
 *
 * check_episodes.c
 *	  Serial episodes on GPUs against exhaustive search, and against the CPU engine where
 *	  streams are too long for that.
 *
 * Without -F: random streams of all kinds of times, gaps and partitions, mined by every
 * strategy with random kinds, limits, required types and memory limits; episodes counted
 * and their occurrences listed, and counted on surrogates.  bench/episodes measures how long mining takes.
 *
 * With -L: two streams of millions of events, too.  With -M: memory is always short.
 *
 * With -F: faults are injected into every strategy, each in a process of its own.
 *
 * Usage:
 *	  check_episodes [-l LIBRARY] [-s seed] [-n streams] [-t seconds] [-d number]
 *					 [-S strategy] [-g devices] [-L] [-M]
 *	  check_episodes [-l LIBRARY] -F
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "episode_faults.h"
#include "gpu_library.h"
#include "random_cases.h"
#include "../unit/episode_checks.h"
#include "../unit/fixed_streams.h"
#include "../unit/long_streams.h"

#define STREAMS_A_LONG_ONE	100	/* which take about as long as the long one */

/* Types of these have events enough for several warps to extend one list. */
#define LEAST_LONG_EVENTS	4000
#define MOST_LONG_EVENTS	12000

/* Of these there are enough to be copied to the device by several threads. */
#define LEAST_BURSTS		30000
#define MOST_BURSTS			120000

/*
 * More events of a type than a launch of "propagate" looks at, in two streams: in one many
 * candidates are counted at a time, in the other few.
 */
#define VERY_LONG_EVENTS	4000000
#define MANY_TYPES			5
#define FEW_TYPES			2

#define DEEP_STREAMS		4		/* for each long one */

/* Bytes for lists in the family's estimate of what is wanted, and the most of them that few lists get. */
#define WANTED_FOR_LISTS	(UINT64_C(1) << 30)
#define MOST_FOR_FEW		(UINT64_C(1) << 22)

static const FimGpuFamily *gpu; /* the library's episodes */
static Rng	limits;				/* of memory, at random */
static bool very_long;			/* check streams that are, too */
static bool short_memory;		/* always, so that streams are cut into sections */
static bool few_lists;			/* there is memory for all of a stream, but for few lists */

/* Memory decides how many surrogates are counted at a time: any number of them is as likely. */
static uint64_t
SurrogatesLimit(const FimTask *task)
{
	uint64_t	wanted;
	uint64_t	least;

	gpu->estimate(task, &wanted, &least);
	return RngChance(&limits, 0.2) ? 0 : least + (uint64_t) (RngUnit(&limits) * (double) (wanted - least));
}

static void
SetOptions(const FimTask *task)
{
	const FimEpisodesSpec *spec = (const FimEpisodesSpec *) task->spec;
	uint64_t	limit = spec->surrogates > 0 ? SurrogatesLimit(task) : RandomMemoryLimit(&limits, gpu, task);
	uint64_t	wanted;

	if (short_memory)
	{
		gpu->estimate(task, &wanted, &limit);
		limit += RngFewBytes(&limits);
	}
	if (few_lists)
	{
		gpu->estimate(task, &wanted, &limit);
		limit = wanted - WANTED_FOR_LISTS + (uint64_t) (pow(RngUnit(&limits), 3) * MOST_FOR_FEW);
	}
	call_at_once = RngChance(&limits, 0.5);
	SetMemoryLimit(limit);
}

static const char *const strategies[] = FIM_EPISODES_GPU_STRATEGY_NAMES;
static EpisodeEngine gpu_engine = {.strategies = strategies, .strategy = -1, .one_worker = true,
	.prepare = SetOptions, .mine = MineOnGpu};

/* Once: these take as long as thousands of others. */
static bool
CheckVeryLong(uint64_t seed)
{
	if (gpu_engine.strategy > FIM_EPISODES_GPU_PROPAGATE)
		return true;
	return CheckVeryLongStream(&gpu_engine, FIM_EPISODES_GPU_PROPAGATE, seed, VERY_LONG_EVENTS, MANY_TYPES) &&
		CheckVeryLongStream(&gpu_engine, FIM_EPISODES_GPU_PROPAGATE, seed, VERY_LONG_EVENTS, FEW_TYPES);
}

/* Some lists are kept then, others are made again, a part of a batch at a time. */
static bool
CheckFewLists(uint64_t seed, uint32_t events)
{
	bool		good = true;

	few_lists = true;
	for (uint32_t i = 0; i < DEEP_STREAMS && good; i++)
		good = CheckDeepStream(&gpu_engine, FIM_EPISODES_GPU_PROPAGATE, seed + i, events);
	few_lists = false;
	return good;
}

/*
 * Streams too long for exhaustive search, by all strategies, or by "propagate" only.  With
 * little memory they would be cut into sections that are not long any more.
 */
static bool
CheckLong(const RandomCases *cases, uint32_t number)
{
	uint64_t	seed = CaseSeed(cases, number);
	uint32_t	events = LEAST_LONG_EVENTS + RngBelow(&limits, MOST_LONG_EVENTS - LEAST_LONG_EVENTS);
	uint32_t	bursts = LEAST_BURSTS + RngBelow(&limits, MOST_BURSTS - LEAST_BURSTS);

	if (!CheckLongStream(&gpu_engine, seed))
		return false;
	return gpu_engine.strategy > FIM_EPISODES_GPU_PROPAGATE || short_memory ||
		(CheckVeryLongStream(&gpu_engine, FIM_EPISODES_GPU_PROPAGATE, seed, events, 2 + RngBelow(&limits, 4)) &&
		 CheckFewLists(seed, events) &&
		 CheckTurns(&gpu_engine, FIM_EPISODES_GPU_PROPAGATE, seed, events) &&
		 CheckBursts(&gpu_engine, FIM_EPISODES_GPU_PROPAGATE, seed, bursts) &&
		 CheckLongSurrogates(&gpu_engine, seed, events) &&
		 CheckBurstSurrogates(&gpu_engine, seed, events));
}

static bool
CheckNumber(const RandomCases *cases, uint32_t number)
{
	uint64_t	seed = CaseSeed(cases, number);

	limits = CaseRng(cases, number);
	if (number == 0 && !CheckFixedStreams(&gpu_engine))
		return false;
	if (very_long && number == 0 && !CheckVeryLong(seed))
		return false;
	if (gpu_engine.strategy <= FIM_EPISODES_GPU_PROPAGATE && !CheckSurrogates(&gpu_engine, seed))
		return false;
	return CheckStream(&gpu_engine, seed) &&
		(number % STREAMS_A_LONG_ONE != 0 || CheckLong(cases, number));
}

int
main(int argc, char **argv)
{
	RandomCases cases = DefaultCases();
	const char *only = NULL;
	bool		faults = false;
	int			option;

	while ((option = getopt(argc, argv, CASE_OPTIONS "S:LMF")) != -1)
		switch (option)
		{
			case 'S':
				only = optarg;
				break;
			case 'L':
				very_long = true;
				break;
			case 'M':
				short_memory = true;
				break;
			case 'F':
				faults = true;
				break;
			default:
				if (!TakeCaseOption(&cases, option, optarg))
					return 2;
		}
	if (faults)
		return CheckEpisodeFaults();
	gpu = LoadLibrary(&FimEpisodesFamily);
	if (only != NULL)
		gpu_engine.strategy = OneOf(only, strategies);
	return CheckCases(&cases, CheckNumber);
}

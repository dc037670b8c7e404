/*-------------------------------------------------------------------------
 *
 * check_episodes.c
 *	  Episodes of random streams, by every strategy of the CPU engine and several workers,
 *	  compared with exhaustive search.
 *
 * Usage: check_episodes [seed [streams]]; or FIM_SEED and FIM_DATABASES.
 *
 *-------------------------------------------------------------------------
 */
#include <stdio.h>
#include <stdlib.h>

#include "episode_checks.h"
#include "fixed_streams.h"
#include "long_streams.h"

#define DEFAULT_STREAMS		3000
#define STREAMS_A_LONG_ONE	50

int
main(int argc, char **argv)
{
	uint64_t	seed = ArgumentOr(argc, argv, 1, "FIM_SEED", 1);
	uint64_t	streams = ArgumentOr(argc, argv, 2, "FIM_DATABASES", DEFAULT_STREAMS);

	if (!CheckFixedStreams(&cpu_engine))
		return 1;
	for (uint64_t i = 0; i < streams; i++)
		if (!CheckStream(&cpu_engine, seed * UINT64_C(1000003) + i) ||
			(i % STREAMS_A_LONG_ONE == 0 && !CheckLongStream(&cpu_engine, seed * UINT64_C(1000003) + i)))
			return 1;
	printf("# %llu random streams, seed %llu\n", (unsigned long long) streams, (unsigned long long) seed);
	return 0;
}

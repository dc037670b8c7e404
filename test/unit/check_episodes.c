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
#include "streams.h"

#define DEFAULT_STREAMS		3000
#define STREAMS_A_LONG_ONE	50

/* So many events that getting them ready polls more than once for each edge of a gap. */
#define MANY_EVENTS			((1 << 20) + 1)

/* Who waits for a stream to be got ready can leave, although the first event reaches all others. */
static bool
CheckStoppedPreparing(void)
{
	FimGap		gap = {{.integer = 1}, {.integer = MANY_EVENTS}};
	size_t		bound = FimEpisodesBound(MANY_EVENTS, 1, 1, 1);
	FimEpisodesData *built = OddAlloc(bound);
	FimEpisodesData *data;
	TestHost	host;
	bool		good;

	FimEpisodesBegin(built, bound, MANY_EVENTS, 1, 1, &gap, 1, false);
	for (int64_t i = 0; i < MANY_EVENTS; i++)
		FimEpisodesAdd(built, 0, (FimTime) {.integer = i});
	data = CompleteData(built);
	HostInit(&host);
	/* the positions of events once, and each edge twice */
	good = FimEpisodesFamily.cpu_prepare(&data->head, &host.base) && host.polls >= 1 + 2 * (uint64_t) data->nedges;
	for (uint64_t at = host.polls; at > 0 && good; at--)
	{
		HostInit(&host);
		host.stop_at = at;
		good = !FimEpisodesFamily.cpu_prepare(&data->head, &host.base) && host.polls == at;
	}
	OddFree(data);
	return good || Complain("a long stream cannot be left while it is got ready");
}

int
main(int argc, char **argv)
{
	uint64_t	seed = ArgumentOr(argc, argv, 1, "FIM_SEED", 1);
	uint64_t	streams = ArgumentOr(argc, argv, 2, "FIM_DATABASES", DEFAULT_STREAMS);

	if (!CheckFixedStreams(&cpu_engine) || !CheckStoppedPreparing())
		return 1;
	for (uint64_t i = 0; i < streams; i++)
		if (!CheckStream(&cpu_engine, seed * UINT64_C(1000003) + i) ||
			(i % STREAMS_A_LONG_ONE == 0 && !CheckLongStream(&cpu_engine, seed * UINT64_C(1000003) + i)))
			return 1;
	printf("# %llu random streams, seed %llu\n", (unsigned long long) streams, (unsigned long long) seed);
	return 0;
}

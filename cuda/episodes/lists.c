/*-------------------------------------------------------------------------
 *
 * lists.c
 *	  Cutting extensions into launches, see lists.h.
 *
 *-------------------------------------------------------------------------
 */
#include "episodes/lists.h"

/* Events that the first launch looks at. */
#define FIRST_EVENTS	1e9

/* How many times all events of an extension's type are looked at. */
static inline double
TimesOf(const ExtensionRun *run)
{
	return (1.0 + run->repeats) / (run->sharing > 0 ? run->sharing : 1);
}

/* The next extensions: as many as take about as long as launches may. */
static void
ChooseExtensions(const EpisodesJob *job, ExtensionRun *run, double wanted)
{
	double		events = 0;
	uint32_t	most = 0;

	for (run->end = run->first; run->end < run->n && events < wanted; run->end++)
	{
		uint32_t	n = EventsOf(job, run->extensions[run->end].type);

		events += n * TimesOf(run);
		most = n > most ? n : most;
	}
	run->round = 0;
	run->rounds = GpuBlocks(GpuGreater(most, 1), EVENTS_A_ROUND);
}

/* The events that the next launch looks at. */
static double
EventsOfRound(const EpisodesJob *job, const ExtensionRun *run)
{
	uint64_t	begin = (uint64_t) run->round * EVENTS_A_ROUND;
	double		events = 0;

	for (uint32_t i = run->first; i < run->end; i++)
	{
		uint32_t	n = EventsOf(job, run->extensions[i].type);

		events += n > begin ? (double) GpuLesser(n - begin, EVENTS_A_ROUND) : 0;
	}
	return events * TimesOf(run);
}

static bool
IsDone(const ExtensionRun *run)
{
	return run->round == run->rounds && run->end == run->n;
}

static cudaError_t
LaunchNext(EpisodesJob *job, ExtensionRun *run)
{
	uint32_t	repeated = run->repeats + 1;
	GpuTimer   *timer;

	GPU_TRY(GpuThrottle(&job->team, run->device, "extending lists"));
	if (run->round == run->rounds)
	{
		run->first = run->end;
		ChooseExtensions(job, run, GpuLaunchAmount(run->device, 1, FIRST_EVENTS));
	}
	GPU_TRY(GpuBegin(run->device, GPU_COUNT, FIM_GPU_COUNT, EventsOfRound(job, run), &timer));
	GPU_TRY(LaunchExtensions(run->device, &run->extending, run->first * repeated, run->end * repeated,
							 run->round));
	run->round++;
	GPU_TRY(GpuEnd(run->device, GPU_COUNT, timer));
	return HostWork(job, 2 * (run->end - run->first));
}

cudaError_t
RunExtensions(EpisodesJob *job, ExtensionRun *runs, int nruns)
{
	bool		more = true;

	for (int r = 0; r < nruns; r++)
		runs[r].first = runs[r].end = runs[r].round = runs[r].rounds = 0;
	while (more)
	{
		more = false;
		for (int r = 0; r < nruns; r++)
			if (!IsDone(&runs[r]))
			{
				GPU_TRY(LaunchNext(job, &runs[r]));
				more |= !IsDone(&runs[r]);
			}
	}
	return cudaSuccess;
}

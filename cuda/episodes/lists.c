/*-------------------------------------------------------------------------
 *
 * lists.c
 *	  Cutting extensions into launches, see lists.h.
 *
 *-------------------------------------------------------------------------
 */
#include "episodes/lists.h"

/*
 * A launch may always go through so many events of all extensions together, and, if the extensions are few,
 * so many of each: no device takes as long for that as a launch may take.
 */
#define LEAST_IN_ALL		(UINT64_C(1) << 27)
#define LEAST_OF_ONE		(1u << 16)

/*
 * The most events that a launch goes through of one extension, so that a warp does not take too long for it;
 * and the most where there is room for MANY_CHUNKS chunks or more of each extension.
 */
#define MOST_OF_ONE			(UINT64_C(1) << 18)
#define MOST_BY_CHUNKS		(UINT64_C(1) << 20)
#define MANY_CHUNKS			64

/*
 * The least number of events or entries of a chunk, a multiple of 32; and how many chunks there are for each
 * warp that a device can run.
 */
#define LEAST_CHUNK			288
#define CHUNKS_A_WARP		4
#define WARPS_A_PROCESSOR	64

/* How many extensions there are on the device for each one on the host. */
static uint32_t
Copies(const ExtensionRun *run)
{
	return run->repeats + 1;
}

/* Some of the host's extensions under way that have the same events. */
typedef struct Alike
{
	uint32_t	n;				/* extensions */
	uint32_t	events;			/* of the type that come into question for each */
} Alike;

/* How many Alike there are. */
static uint32_t
CountAlike(const ExtensionRun *run)
{
	return run->ends != NULL ? run->nends : run->end - run->first;
}

static Alike
AlikeAt(const EpisodesJob *job, const ExtensionRun *run, uint32_t i)
{
	if (run->ends != NULL)
	{
		const EpisodeEnd *end = &run->ends[i];

		return (Alike) {run->uses[i], end->place != NULL ? end->nplaces : EventsOf(job, end->type)};
	}
	else
	{
		const Extension *extension = &run->extensions[run->first + i];

		return (Alike) {1, extension->place != NULL ? extension->nplaces : EventsOf(job, extension->type)};
	}
}

/* The events that each copy on the device has; where copies share the type's events, that is the average. */
static uint32_t
EventsOfCopy(const ExtensionRun *run, uint32_t events)
{
	return events / (uint32_t) GpuGreater(run->sharing, 1);
}

/* Go on to the next extensions, as many as may be under way together. */
static void
ChooseExtensions(const EpisodesJob *job, ExtensionRun *run)
{
	uint64_t	n = GpuGreater(EXTENSIONS_AT_ONCE / Copies(run), 1);

	run->first = run->end;
	run->end = (uint32_t) GpuLesser(run->first + n, run->n);
	run->begin = run->most = 0;
	run->events = 0;
	for (uint32_t i = 0; i < CountAlike(run); i++)
	{
		Alike		alike = AlikeAt(job, run, i);

		run->most = (uint32_t) GpuGreater(run->most, alike.n > 0 ? alike.events : 0);
		run->events += (uint64_t) alike.n * alike.events;
	}
}

static bool
IsDone(const ExtensionRun *run)
{
	return run->begin >= run->most && run->end == run->n;
}

/* How many extensions on the device have events that they have not come to. */
static uint32_t
CountUnderWay(const EpisodesJob *job, const ExtensionRun *run)
{
	uint32_t	n = 0;

	if (run->begin == 0)
		return (run->end - run->first) * Copies(run);
	for (uint32_t i = 0; i < CountAlike(run); i++)
	{
		Alike		alike = AlikeAt(job, run, i);

		n += EventsOfCopy(run, alike.events) > run->begin ? alike.n : 0;
	}
	return n * Copies(run);
}

/* The events that all extensions together go through in a launch, if each goes on by "events" events. */
static double
EventsOfLaunch(const EpisodesJob *job, const ExtensionRun *run, uint32_t events)
{
	double		sum = 0;

	if (run->begin == 0 && events >= run->most)
		return (double) run->events * Copies(run) / (double) GpuGreater(run->sharing, 1);
	for (uint32_t i = 0; i < CountAlike(run); i++)
	{
		Alike		alike = AlikeAt(job, run, i);
		uint32_t	n = EventsOfCopy(run, alike.events);

		sum += n > run->begin ? (double) alike.n * (double) GpuLesser(n - run->begin, events) : 0;
	}
	return sum * Copies(run);
}

/* How many chunks there is room for, of each of the extensions under way. */
static uint32_t
RoomForChunks(const ExtensionRun *run)
{
	return run->extending.chunks != NULL ? CHUNK_ROOM / ((run->end - run->first) * Copies(run)) : 1;
}

/* By how many events of each extension the next launch goes on, a multiple of 32. */
static uint32_t
EventsOfEach(const EpisodesJob *job, const ExtensionRun *run)
{
	uint64_t	n = GpuGreater(CountUnderWay(job, run), 1);
	uint64_t	least = GpuLesser(LEAST_IN_ALL, n * LEAST_OF_ONE);
	uint64_t	events = (uint64_t) (GpuLaunchAmount(run->device, (double) least, (double) least) / (double) n);

	events = GpuLesser(events, RoomForChunks(run) < MANY_CHUNKS ? MOST_OF_ONE : MOST_BY_CHUNKS);
	return (uint32_t) GpuLesser(events, run->most - run->begin) / 32 * 32 + 32;
}

/*
 * The most chunks of each extension in a launch that goes on by "events" events for each, and by "amount" for
 * all: enough to keep the device busy.  If this is 1, one warp does an extension.
 */
static uint32_t
MostChunks(const ExtensionRun *run, uint32_t events, double amount)
{
	uint64_t	warps = (uint64_t) run->device->processors * WARPS_A_PROCESSOR * CHUNKS_A_WARP;
	uint64_t	size = GpuGreater((uint64_t) (amount / (double) warps), LEAST_CHUNK);

	return (uint32_t) GpuLesser(RoomForChunks(run), (events + size - 1) / size);
}

/*
 * Extensions by types with many events take longer than the others, so at their end few are under way.  Only
 * how far a launch goes depends on how quick launches were, and not how many extensions it has.  If launches
 * became shorter by having fewer extensions, each of them would still take as long as its longest extension.
 */
static cudaError_t
LaunchNext(EpisodesJob *job, ExtensionRun *run)
{
	uint32_t	events;
	uint32_t	chunks;
	double		amount;
	GpuTimer   *timer;

	GPU_TRY(GpuThrottle(&job->team, run->device, "extending lists"));
	if (run->begin >= run->most)
		ChooseExtensions(job, run);
	events = EventsOfEach(job, run);
	amount = EventsOfLaunch(job, run, events);
	chunks = MostChunks(run, events, amount);
	GPU_TRY(GpuBegin(run->device, GPU_COUNT, FIM_GPU_COUNT, amount, &timer));
	if (chunks > 1)
		GPU_TRY(LaunchChunks(run->device, &run->extending, run->first * Copies(run), run->end * Copies(run), run->begin,
							 events, LEAST_CHUNK, chunks));
	else
		GPU_TRY(LaunchExtensions(run->device, &run->extending, run->first * Copies(run), run->end * Copies(run),
								 run->begin, events));
	run->begin = (uint32_t) GpuLesser((uint64_t) run->begin + events, run->most);
	GPU_TRY(GpuEnd(run->device, GPU_COUNT, timer));
	return HostWork(job, 4 * (uint64_t) CountAlike(run));
}

cudaError_t
RunExtensions(EpisodesJob *job, ExtensionRun *runs, int nruns)
{
	bool		more = true;

	for (int r = 0; r < nruns; r++)
		runs[r].first = runs[r].end = runs[r].begin = runs[r].most = 0;
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

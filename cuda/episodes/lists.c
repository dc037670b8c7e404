/*-------------------------------------------------------------------------
 *
 * lists.c
 *	  Cutting extensions into launches, the lists that are kept, and making lists again; see lists.h.
 *
 * A launch goes through some events or entries of each extension, so that it takes about as long as
 * a launch should however long the lists are.  Blocks of lists are kept on each device that has the
 * memory.  A list that is not kept is made again, with others, by extensions from type to type.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "episodes/episodes.h"
#include "episodes/lists.h"
#include "team.h"

/* ---- launches ---- */

/* The most extensions that are under way together, unless the copies of a single one are more. */
#define EXTENSIONS_AT_ONCE	(1u << 18)

/*
 * A launch may always go through so many events of all extensions together, and, if the extensions are few,
 * so many of each: no device takes as long for that as a launch may take.
 */
#define LEAST_IN_ALL		(UINT64_C(1) << 27)
#define LEAST_OF_ONE		(1u << 16)

/*
 * The most events that a launch goes through of one extension, so that a warp does not take too long for it;
 * and the most where there is room for MANY_LEGS legs or more of each extension.
 */
#define MOST_OF_ONE			(UINT64_C(1) << 18)
#define MOST_BY_LEGS		(UINT64_C(1) << 20)
#define MANY_LEGS			64

/*
 * The least number of events or entries of a leg, a multiple of 32; and how many legs there are for each
 * warp that a device can run.
 */
#define LEAST_LEG			288
#define LEGS_A_WARP		4
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

/* How many legs there is room for, of each of the extensions under way. */
static uint32_t
RoomForLegs(const ExtensionRun *run)
{
	return run->extending.legs != NULL ? LEG_ROOM / ((run->end - run->first) * Copies(run)) : 1;
}

/* By how many events of each extension the next launch goes on, a multiple of 32. */
static uint32_t
EventsOfEach(const EpisodesJob *job, const ExtensionRun *run)
{
	uint64_t	n = GpuGreater(CountUnderWay(job, run), 1);
	uint64_t	least = GpuLesser(LEAST_IN_ALL, n * LEAST_OF_ONE);
	uint64_t	events = (uint64_t) (GpuLaunchAmount(run->device, (double) least, (double) least) / (double) n);

	events = GpuLesser(events, RoomForLegs(run) < MANY_LEGS ? MOST_OF_ONE : MOST_BY_LEGS);
	return (uint32_t) GpuLesser(events, run->most - run->begin) / 32 * 32 + 32;
}

/*
 * The most legs of each extension in a launch that goes on by "events" events for each, and by "amount" for
 * all: enough to keep the device busy.  If this is 1, one warp does an extension.
 */
static uint32_t
MostLegs(const ExtensionRun *run, uint32_t events, double amount)
{
	uint64_t	warps = (uint64_t) run->device->processors * WARPS_A_PROCESSOR * LEGS_A_WARP;
	uint64_t	size = GpuGreater((uint64_t) (amount / (double) warps), LEAST_LEG);

	return (uint32_t) GpuLesser(RoomForLegs(run), (events + size - 1) / size);
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
	uint32_t	legs;
	double		amount;
	GpuTimer   *timer;

	GPU_TRY(GpuThrottle(&job->team, run->device, "extending lists"));
	if (run->begin >= run->most)
		ChooseExtensions(job, run);
	events = EventsOfEach(job, run);
	amount = EventsOfLaunch(job, run, events);
	legs = MostLegs(run, events, amount);
	GPU_TRY(GpuBegin(run->device, GPU_COUNT, FIM_GPU_COUNT, amount, &timer));
	if (legs > 1)
		GPU_TRY(LaunchLegs(run->device, &run->extending, run->first * Copies(run), run->end * Copies(run), run->begin,
							 events, LEAST_LEG, legs));
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

/* ---- lists that are kept ---- */

static const char *const what = "copying lists to another device";

cudaError_t
KeepList(EpisodesJob *job, KeptLists *lists, const KeptList *list)
{
	GPU_TRY(GpuHostRoom(&job->team, (void **) &lists->list, lists->n, (uint64_t) lists->n + 1, &lists->room,
						sizeof(KeptList)));
	lists->list[lists->n++] = *list;
	return cudaSuccess;
}

cudaError_t
AddListShelf(EpisodesJob *job, KeptLists *lists, uint64_t entries)
{
	GPU_TRY(GpuHostRoom(&job->team, (void **) &lists->shelf, lists->nshelves, (uint64_t) lists->nshelves + 1,
						&lists->shelf_room, sizeof(ListShelf)));
	lists->shelf[lists->nshelves++] = (ListShelf) {.entries = entries};
	return cudaSuccess;
}

/* Give a device one of the shelves, as TakeListShelf() does. */
static cudaError_t
TakeShelf(EpisodesJob *job, ListShelf *shelf, int d, uint64_t reserve)
{
	GpuDevice  *device = job->team.devices[d];

	if (shelf->entries > GpuRoom(device) / PLACED_ENTRY || shelf->entries * PLACED_ENTRY + reserve > GpuRoom(device))
		return cudaSuccess;
	GPU_TRY(GpuUse(device, what));
	return GpuTryAlloc(device, shelf->entries * PLACED_ENTRY, "allocating lists of occurrences",
					   (void **) &shelf->address[d]);
}

cudaError_t
TakeListShelf(EpisodesJob *job, KeptLists *lists, int d, uint64_t reserve)
{
	return TakeShelf(job, &lists->shelf[lists->nshelves - 1], d, reserve);
}

cudaError_t
CopyLists(EpisodesJob *job, KeptLists *lists, int d, uint64_t reserve)
{
	for (uint32_t b = 0; b < lists->nshelves; b++)
	{
		if (lists->shelf[b].address[0] == NULL)
			continue;
		GPU_TRY(TakeShelf(job, &lists->shelf[b], d, reserve));
		if (lists->shelf[b].address[d] != NULL)
			GPU_TRY(GpuCopyAcross(&job->team, job->team.devices[d], lists->shelf[b].address[d], job->team.devices[0],
								  lists->shelf[b].address[0], lists->shelf[b].entries * PLACED_ENTRY, what));
	}
	for (uint32_t i = 0; i < lists->n; i++)
	{
		KeptList   *list = &lists->list[i];

		if ((list->on & 1) != 0 && lists->shelf[list->shelf].address[d] != NULL)
			list->on |= UINT32_C(1) << d;
		GPU_TRY(HostWork(job, 4));
	}
	return cudaSuccess;
}

uint64_t
BytesOfLists(const KeptLists *lists)
{
	uint64_t	bytes = 0;

	for (uint32_t b = 0; b < lists->nshelves; b++)
		if (lists->shelf[b].address[0] != NULL)
			bytes += lists->shelf[b].entries * PLACED_ENTRY;
	return bytes;
}

cudaError_t
DropLists(EpisodesJob *job, KeptLists *lists)
{
	for (; lists->nshelves > 0; lists->nshelves--)
		for (int d = 0; d < job->team.ndevices; d++)
			GPU_TRY(GpuFree(job->team.devices[d], lists->shelf[lists->nshelves - 1].address[d]));
	lists->n = 0;
	return cudaSuccess;
}

/* ---- lists that are made again ---- */

#define REMAKE_ROOM		(1u << 16)	/* lists that are made together */

#define ARRAYS		(REMAKE_ROOM * (uint64_t) (2 * sizeof(DeviceList) + sizeof(Extension)))
#define SPARE_BYTES	(UINT64_C(1) << 16)

/* Entries of each half that are enough to keep a device busy.  Taking more memory would take long. */
#define ENOUGH_ENTRIES	(UINT64_C(1) << 27)

static const char *const making_again = "making lists again";

uint64_t
RemakeLeast(uint32_t most_events)
{
	return 2 * LIST_ENTRY * (uint64_t) most_events + ARRAYS + SPARE_BYTES;
}

void
RemakeBegin(Remaking *r, int d, Pause *pauses, Leg *legs)
{
	r->d = d;
	r->pauses = pauses;
	r->legs = legs;
	r->used = 0;
	r->n = 0;
}

/*
 * Take the tables, and at most half of the device's free memory for the two halves, but at least what the
 * longest list takes.
 */
static cudaError_t
TakeMemory(EpisodesJob *job, Remaking *r)
{
	GpuDevice  *device = job->team.devices[r->d];
	GpuTeam    *team = &job->team;
	uint64_t	least = job->most_events;
	uint64_t	entries;

	GPU_TRY(GpuAlloc(device, sizeof(Extension) * REMAKE_ROOM, making_again, (void **) &r->extensions));
	for (int half = 0; half < 2; half++)
		GPU_TRY(GpuAlloc(device, sizeof(DeviceList) * REMAKE_ROOM, making_again, (void **) &r->stage[half]));
	GPU_TRY(GpuHostTake(team, sizeof(Remade) * REMAKE_ROOM, (void **) &r->remade));
	GPU_TRY(GpuHostTake(team, sizeof(DeviceList) * REMAKE_ROOM, (void **) &r->host_lists));
	GPU_TRY(GpuHostTake(team, sizeof(Extension) * REMAKE_ROOM, (void **) &r->host_extensions));
	entries = GpuBetween(least, GpuRoom(device) / LIST_ENTRY / 4, ENOUGH_ENTRIES);
	GPU_TRY(GpuTryAlloc(device, entries * LIST_ENTRY, making_again, (void **) &r->half[0]));
	if (r->half[0] == NULL)
		GPU_TRY(GpuAlloc(device, (entries = least) * LIST_ENTRY, making_again, (void **) &r->half[0]));
	r->room = entries;
	return GpuAlloc(device, entries * LIST_ENTRY, making_again, (void **) &r->half[1]);
}

/* The most entries that the list of an episode or of any of its prefixes can have. */
static uint64_t
MostEntries(const EpisodesJob *job, const EpisodeLevels *levels, uint32_t length, uint32_t number)
{
	uint64_t	most = 0;

	for (uint32_t k = length; k > 0; k--)
	{
		most = GpuGreater(most, EventsOf(job, levels->level[k].type[number]));
		number = levels->level[k].prefix[number];
	}
	return most;
}

/* Where the list of the prefix of so many types goes. */
static DeviceList
ListInHalf(const Remaking *r, const Remade *remade, uint32_t length)
{
	uint32_t   *end = r->half[length % 2] + 2 * remade->at;

	return (DeviceList) {end, end + remade->most, 0};
}

cudaError_t
RemakeAdd(EpisodesJob *job, Remaking *r, const EpisodeLevels *levels, uint32_t length, uint32_t number,
		  uint32_t to, DeviceList *list, bool *fits)
{
	uint64_t	most = MostEntries(job, levels, length, number);

	if (r->half[1] == NULL)
		GPU_TRY(TakeMemory(job, r));
	*fits = r->n < REMAKE_ROOM && r->used + most <= r->room;
	if (!*fits)
		return cudaSuccess;
	r->remade[r->n] = (Remade) {number, to, r->used, most};
	*list = ListInHalf(r, &r->remade[r->n], length);
	r->used += most;
	r->n++;
	return cudaSuccess;
}

/* An episode's prefix of so many types. */
static uint32_t
PrefixOf(const EpisodeLevels *levels, uint32_t length, uint32_t number, uint32_t wanted)
{
	for (; length > wanted; length--)
		number = levels->level[length].prefix[number];
	return number;
}

static cudaError_t
SendLists(EpisodesJob *job, Remaking *r, uint32_t length)
{
	return GpuSend(&job->team, job->team.devices[r->d], GPU_COUNT, r->stage[length % 2], r->host_lists,
				   sizeof(DeviceList) * r->n, making_again);
}

/* Begin with the lists of the episodes' first types, which are parts of the stream. */
static cudaError_t
FirstLists(EpisodesJob *job, Remaking *r, const DeviceStream *stream, const EpisodeLevels *levels,
		   uint32_t length)
{
	for (uint32_t i = 0; i < r->n; i++)
		r->host_lists[i] = ListOfType(job, stream, levels->level[1].type[PrefixOf(levels, length, r->remade[i].number, 1)]);
	return SendLists(job, r, 1);
}

/* Make the lists of the prefixes of k types from those of k - 1 types. */
static cudaError_t
NextLists(EpisodesJob *job, Remaking *r, const DeviceStream *stream, const EpisodeLevels *levels,
		  uint32_t length, uint32_t k, DeviceList *lists)
{
	GpuDevice  *device = job->team.devices[r->d];
	ExtensionRun run = {.device = device, .extensions = r->host_extensions, .n = r->n,
		.extending = {.mode = WRITE_EXTENSIONS, .stream = *stream, .lists = r->stage[(k - 1) % 2],
			.extensions = r->extensions, .pauses = r->pauses, .made = k == length ? lists : r->stage[k % 2],
			.legs = r->legs}};

	for (uint32_t i = 0; i < r->n; i++)
	{
		const Remade *remade = &r->remade[i];
		uint32_t	prefix = PrefixOf(levels, length, remade->number, k);

		r->host_lists[i] = ListInHalf(r, remade, k);
		r->host_extensions[i] = (Extension) {i, levels->level[k].type[prefix], levels->level[k].gap[prefix],
			k == length ? remade->to : i};
	}
	if (k < length)
		GPU_TRY(SendLists(job, r, k));
	GPU_TRY(GpuSend(&job->team, device, GPU_COUNT, r->extensions, r->host_extensions, sizeof(Extension) * r->n, making_again));
	return RunExtensions(job, &run, 1);
}

cudaError_t
RemakeAll(EpisodesJob *job, Remaking *r, const EventStream *stream, const EpisodeLevels *levels,
		  uint32_t length, DeviceList *lists)
{
	const DeviceStream *on = &stream->on[r->d];

	if (r->n == 0)
		return cudaSuccess;
	GPU_TRY(FirstLists(job, r, on, levels, length));
	for (uint32_t k = 2; k <= length; k++)
		GPU_TRY(NextLists(job, r, on, levels, length, k, lists));
	return cudaSuccess;
}

cudaError_t
RemakeFree(EpisodesJob *job, Remaking *r)
{
	void	   *on_device[] = {r->extensions, r->stage[0], r->stage[1], r->half[0], r->half[1]};
	void	   *on_host[] = {r->remade, r->host_lists, r->host_extensions};

	for (size_t i = 0; i < sizeof(on_device) / sizeof(on_device[0]); i++)
		GPU_TRY(GpuFree(job->team.devices[r->d], on_device[i]));
	for (size_t i = 0; i < sizeof(on_host) / sizeof(on_host[0]); i++)
		GpuHostFree(&job->team, on_host[i]);
	memset(r, 0, sizeof(*r));
	return cudaSuccess;
}

/*-------------------------------------------------------------------------
 *
 * pairs.c
 *	  Upper bounds of the supports of pairs of types, see lists.h.
 *
 * A device counts pairs of events or, where there is memory for that, the entries of the pairs'
 * lists.  The host receives the pairs that may be frequent, and has their lists made.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "episodes/lists.h"
#include "team.h"

/* Counting a pair of events takes as long as extending a list by so many events. */
#define COST_OF_PAIR	4

/* The most counters that are worth having, and the most events of a scope. */
#define MOST_COUNTERS	(UINT64_C(1) << 26)
#define WIDEST_SCOPE	(1 << 14)

/* Counters and the pairs chosen, and then lists, take at most one part in so many of the device's free memory. */
#define MEMORY_PART		4

/* How many of the pairs chosen are copied together with the number of all of them. */
#define FIRST_BOUNDS	4096
#define FIRST_BYTES		(sizeof(BoundList) + sizeof(PairBound) * FIRST_BOUNDS)

/* About how many pairs of events a launch counts. */
#define PAIRS_A_LAUNCH	(UINT64_C(1) << 30)

/* The most entries of all lists of pairs: an entry has three words, and words are numbered in 32 bits. */
#define MOST_ENTRIES	(UINT64_C(1) << 30)

/*
 * The most events of a type whose pairs get lists by a walk along the scopes.  A thread adds up all stripes of a
 * type, which is estimated to take 20 ms for 10^8 events.
 */
#define MOST_OF_TYPE	(UINT32_C(1) << 27)

static const char *const what = "counting pairs of events";

static uint64_t
CountersOf(const EpisodesJob *job)
{
	return (uint64_t) job->data->ntypes * job->data->ngaps * job->data->ntypes;
}

/*
 * The largest scopes for which counters do not overflow 32 bits, and counting takes less time than it may
 * save.
 */
static ScopeSizes
MostThatPays(const EpisodesJob *job, uint32_t nfrequent)
{
	uint64_t	extended = (uint64_t) nfrequent * job->data->ngaps * job->section.events;

	return (ScopeSizes) {extended / COST_OF_PAIR, GpuLesser(WIDEST_SCOPE, UINT32_MAX / job->most_events)};
}

/* How many stripes the places of a type are cut into. */
static uint32_t
StripesOfType(const EpisodesJob *job, uint32_t type)
{
	return GpuBlocks(EventsOf(job, type), STRIPE_PLACES);
}

static uint32_t
CountStripes(const EpisodesJob *job)
{
	uint32_t	n = 0;

	for (uint32_t type = 0; type < job->data->ntypes; type++)
		n += StripesOfType(job, type);
	return n;
}

/* Send the first stripe of each type. */
static cudaError_t
SendStripes(EpisodesJob *job, const PairCounters *c)
{
	size_t		bytes = sizeof(uint32_t) * ((size_t) c->ntypes + 1);
	uint32_t   *stripe;

	GPU_TRY(GpuHostTake(&job->team, bytes, (void **) &stripe));
	stripe[0] = 0;
	for (uint32_t type = 0; type < c->ntypes; type++)
		stripe[type + 1] = stripe[type] + StripesOfType(job, type);
	GPU_TRY(GpuSend(&job->team, job->team.devices[0], GPU_COUNT, c->stripe, stripe, bytes, what));
	GpuHostFree(&job->team, stripe);
	return HostWork(job, c->ntypes);
}

/*
 * Take the arrays on the device, in one block of memory, with those for lists if c->nstripes is not 0.  c->counts
 * becomes NULL if there is too little memory.
 */
static cudaError_t
TakeCounters(GpuDevice *device, PairCounters *c)
{
	uint64_t	keys = (uint64_t) c->ntypes * c->ngaps;
	const GpuArray arrays[] = {
		{(void **) &c->counts, sizeof(uint32_t) * (uint64_t) c->n},
		{(void **) &c->list, sizeof(BoundList) + sizeof(PairBound) * (uint64_t) GpuGreater(c->n, FIRST_BOUNDS)},
		{&c->scratch, c->scratch_bytes},
		{(void **) &c->at, c->nstripes > 0 ? sizeof(uint32_t) * (uint64_t) c->n : 0},
		{(void **) &c->before, sizeof(uint32_t) * c->nstripes * keys},
		{(void **) &c->stripe, c->nstripes > 0 ? sizeof(uint32_t) * ((uint64_t) c->ntypes + 1) : 0}
	};
	int			narrays = sizeof(arrays) / sizeof(arrays[0]);
	uint64_t	bytes = GpuArraysBytes(arrays, narrays);
	void	   *memory;

	c->counts = NULL;
	if (bytes > GpuRoom(device) / MEMORY_PART)
		return cudaSuccess;
	GPU_TRY(GpuTryAlloc(device, bytes, what, &memory));
	if (memory == NULL)
		return cudaSuccess;
	GpuPlaceArrays(arrays, narrays, memory);
	if (c->nstripes == 0)
		c->at = NULL;
	/* set the counts and the first part of the list to 0, and what rounding leaves between them */
	bytes = (uint64_t) ((char *) c->list - (char *) c->counts) + FIRST_BYTES;
	return GpuCheck(device, cudaMemsetAsync(c->counts, 0, bytes, device->streams[GPU_COUNT]), what);
}

/* As CountAll(), where lists are to be made. */
static cudaError_t
CountEntries(EpisodesJob *job, const DeviceStream *stream, const ScopeSizes *most, const PairCounters *counters)
{
	GpuDevice  *device = job->team.devices[0];
	GpuTimer   *timer;

	GPU_TRY(SendStripes(job, counters));
	GPU_TRY(GpuBegin(device, GPU_COUNT, FIM_GPU_COUNT, (double) job->section.events, &timer));
	GPU_TRY(CountListed(device, stream, counters, most, job->least));
	GPU_TRY(GpuEnd(device, GPU_COUNT, timer));
	return SelectBounds(device, counters, job->least);
}

/*
 * Count, unless scopes turn out to be too wide: the device decides that, so that the host need not wait for
 * it.
 */
static cudaError_t
CountAll(EpisodesJob *job, const DeviceStream *stream, const ScopeSizes *most, const PairCounters *counters)
{
	GpuDevice  *device = job->team.devices[0];
	uint64_t	launches = most->total / PAIRS_A_LAUNCH + 1;
	uint64_t	places = job->section.events / launches + 1;

	GPU_TRY(MeasureScopes(device, stream, job->data->ngaps, &counters->list->sizes));
	if (counters->at != NULL)
		return CountEntries(job, stream, most, counters);
	for (uint64_t first = 0; first < job->section.events; first += places)
	{
		uint64_t	end = GpuLesser(first + places, job->section.events);
		GpuTimer   *timer;

		GPU_TRY(GpuThrottle(&job->team, device, what));
		GPU_TRY(GpuBegin(device, GPU_COUNT, FIM_GPU_COUNT, (double) (end - first), &timer));
		GPU_TRY(CountEventPairs(device, stream, counters, most, (uint32_t) first, (uint32_t) end));
		GPU_TRY(GpuEnd(device, GPU_COUNT, timer));
	}
	return SelectBounds(device, counters, job->least);
}

/* Take the bounds of a list, of which the first have come already, and receive the others. */
static cudaError_t
TakeBounds(EpisodesJob *job, GpuDevice *device, const PairCounters *c, const BoundList *list, PairBounds *bounds)
{
	uint32_t	first = (uint32_t) GpuLesser(list->n, FIRST_BOUNDS);

	bounds->n = list->n;
	GPU_TRY(GpuHostTake(&job->team, sizeof(PairBound) * list->n, (void **) &bounds->bound));
	memcpy(bounds->bound, list->bound, sizeof(PairBound) * first);
	return GpuReceive(&job->team, device, bounds->bound + first, c->list->bound + first,
					  sizeof(PairBound) * (list->n - first), what);
}

/* Receive the bounds, and the number of entries of the lists.  Most often a single copy brings all of it. */
static cudaError_t
ReceiveBounds(EpisodesJob *job, GpuDevice *device, const PairCounters *c, const ScopeSizes *most, PairBounds *bounds,
			  uint64_t *entries)
{
	BoundList  *list;

	GPU_TRY(GpuHostTake(&job->team, FIRST_BYTES, (void **) &list));
	GPU_TRY(GpuReceive(&job->team, device, list, c->list, FIRST_BYTES, what));
	bounds->known = list->sizes.total <= most->total && list->sizes.widest <= most->widest;
	*entries = list->entries;
	if (bounds->known)
		GPU_TRY(TakeBounds(job, device, c, list, bounds));
	GpuHostFree(&job->team, list);
	return cudaSuccess;
}

/* Make the lists of the pairs that may be frequent, if there is plenty of memory for them. */
static cudaError_t
MakePairLists(EpisodesJob *job, const DeviceStream *stream, const PairCounters *c, uint64_t entries,
			  KeptLists *lists, uint32_t **address)
{
	GpuDevice  *device = job->team.devices[0];
	GpuTimer   *timer;

	if (entries == 0 || entries > GpuRoom(device) / MEMORY_PART / PLACED_ENTRY || entries > MOST_ENTRIES)
		return cudaSuccess;
	GPU_TRY(AddListShelf(job, lists, entries));
	GPU_TRY(TakeListShelf(job, lists, 0, RemakeLeast(job->most_events)));
	*address = lists->shelf[lists->nshelves - 1].address[0];
	if (*address == NULL)
		return cudaSuccess;
	GPU_TRY(GpuBegin(device, GPU_COUNT, FIM_GPU_COUNT, (double) entries, &timer));
	GPU_TRY(WriteListed(device, stream, c, job->least, *address));
	return GpuEnd(device, GPU_COUNT, timer);
}

/* The number of stripes if lists are to be made by a walk along the scopes; otherwise 0. */
static uint32_t
StripesToList(const EpisodesJob *job, const ScopeSizes *most)
{
	if (job->team.ndevices > 1 || most->total > PAIRS_A_LAUNCH || job->most_events > MOST_OF_TYPE ||
		(uint64_t) job->data->ntypes * job->data->ngaps > MOST_LISTED)
		return 0;
	return CountStripes(job);
}

cudaError_t
BoundPairs(EpisodesJob *job, const EventStream *stream, uint32_t nfrequent, PairBounds *bounds, KeptLists *lists,
		   uint32_t **address)
{
	GpuDevice  *device = job->team.devices[0];
	PairCounters c = {.ntypes = job->data->ntypes, .ngaps = job->data->ngaps, .n = (uint32_t) CountersOf(job)};
	ScopeSizes	most = MostThatPays(job, nfrequent);
	uint64_t	entries;

	*bounds = (PairBounds) {false, 0, NULL};
	*address = NULL;
	if (CountersOf(job) > MOST_COUNTERS)
		return cudaSuccess;
	GPU_TRY(GpuUse(device, what));
	GPU_TRY(GpuCheck(device, BoundsScratch(c.n, &c.scratch_bytes), what));
	c.nstripes = lists != NULL ? StripesToList(job, &most) : 0;
	GPU_TRY(TakeCounters(device, &c));
	if (c.counts == NULL && c.nstripes > 0)
	{
		c.nstripes = 0;
		GPU_TRY(TakeCounters(device, &c));
	}
	if (c.counts == NULL)
		return cudaSuccess;
	GPU_TRY(CountAll(job, &stream->on[0], &most, &c));
	GPU_TRY(ReceiveBounds(job, device, &c, &most, bounds, &entries));
	if (bounds->known && c.at != NULL)
		GPU_TRY(MakePairLists(job, &stream->on[0], &c, entries, lists, address));
	return GpuFree(device, c.counts);
}

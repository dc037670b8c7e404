/*-------------------------------------------------------------------------
 *
 * pairs.c
 *	  Upper bounds of the supports of pairs of types, see pairs.h.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "copies.h"
#include "episodes/pairs.h"
#include "episodes/pairs_device.h"

/* To count a pair of events takes as long as to extend a list by so many events. */
#define COST_OF_PAIR	4

/* Counters that are worth having, and the events that one thread may look at. */
#define MOST_COUNTERS	(UINT64_C(1) << 26)
#define WIDEST_WINDOW	(1 << 14)

/* Counters, and those that are chosen, take at most one part in so many of the memory that there is. */
#define MEMORY_PART		4

/* So many of those that are chosen are copied together with how many there are. */
#define FIRST_BOUNDS	4096
#define FIRST_BYTES		(sizeof(BoundList) + sizeof(PairBound) * FIRST_BOUNDS)

/* Pairs that a launch counts, about. */
#define PAIRS_A_LAUNCH	(UINT64_C(1) << 30)

static const char *const what = "counting pairs of events";

static uint64_t
CountersOf(const EpisodesJob *job)
{
	return (uint64_t) job->data->ntypes * job->data->ngaps * job->data->ntypes;
}

/* The widest windows with which counters of 32 bits hold all, and counting takes less than what it may save. */
static WindowSizes
MostThatPays(const EpisodesJob *job, uint32_t nfrequent)
{
	uint64_t	extended = (uint64_t) nfrequent * job->data->ngaps * job->section.events;

	return (WindowSizes) {extended / COST_OF_PAIR, GpuLesser(WIDEST_WINDOW, UINT32_MAX / job->most_events)};
}

/* Arrays on the device, in one block; counts are NULL if there is too little memory. */
static cudaError_t
TakeCounters(GpuDevice *device, PairCounters *c)
{
	const GpuArray arrays[] = {
		{(void **) &c->counts, sizeof(uint32_t) * (uint64_t) c->n},
		{(void **) &c->list, sizeof(BoundList) + sizeof(PairBound) * (uint64_t) GpuGreater(c->n, FIRST_BOUNDS)},
		{&c->scratch, c->scratch_bytes}
	};
	int			narrays = sizeof(arrays) / sizeof(arrays[0]);
	uint64_t	bytes = GpuArraysBytes(arrays, narrays);
	void	   *block;

	c->counts = NULL;
	if (bytes > GpuRoom(device) / MEMORY_PART)
		return cudaSuccess;
	GPU_TRY(GpuTryAlloc(device, bytes, what, &block));
	if (block == NULL)
		return cudaSuccess;
	GpuPlaceArrays(arrays, narrays, block);
	/* what lies between the counts and the list becomes 0, too */
	bytes = (uint64_t) ((char *) c->list - (char *) c->counts) + FIRST_BYTES;
	return GpuCheck(device, cudaMemsetAsync(c->counts, 0, bytes, device->streams[GPU_COUNT]), what);
}

/* Counts unless windows turn out to be too wide, which the host does not wait to know. */
static cudaError_t
CountAll(EpisodesJob *job, const DeviceStream *stream, const WindowSizes *most, const PairCounters *counters)
{
	GpuDevice  *device = job->team.devices[0];
	uint64_t	launches = most->total / PAIRS_A_LAUNCH + 1;
	uint64_t	places = job->section.events / launches + 1;

	GPU_TRY(MeasureWindows(device, stream, job->data->ngaps, &counters->list->sizes));
	for (uint64_t first = 0; first < job->section.events; first += places)
	{
		uint64_t	end = GpuLesser(first + places, job->section.events);
		GpuTimer   *timer;

		GPU_TRY(GpuThrottle(&job->team, device, what));
		GPU_TRY(GpuBegin(device, GPU_COUNT, FIM_GPU_COUNT, (double) (end - first), &timer));
		GPU_TRY(CountPairs(device, stream, counters, most, (uint32_t) first, (uint32_t) end));
		GPU_TRY(GpuEnd(device, GPU_COUNT, timer));
	}
	return SelectBounds(device, counters, job->least);
}

/* Take the bounds of a list that has come with the first ones. */
static cudaError_t
TakeBounds(EpisodesJob *job, GpuDevice *device, const PairCounters *c, const BoundList *list, PairBounds *bounds)
{
	uint32_t	first = (uint32_t) GpuLesser(list->n, FIRST_BOUNDS);

	bounds->n = list->n;
	GPU_TRY(GpuHostTake(&job->team, sizeof(PairBound) * list->n, (void **) &bounds->bound));
	memcpy(bounds->bound, list->bound, sizeof(PairBound) * first);
	return GpuReceive(&job->team, device, GPU_COUNT, bounds->bound + first, c->list->bound + first,
					  sizeof(PairBound) * (list->n - first), what);
}

/* Most often a single copy brings all that the host has to know. */
static cudaError_t
ReceiveBounds(EpisodesJob *job, GpuDevice *device, const PairCounters *c, const WindowSizes *most, PairBounds *bounds)
{
	BoundList  *list;

	GPU_TRY(GpuHostTake(&job->team, FIRST_BYTES, (void **) &list));
	GPU_TRY(GpuReceive(&job->team, device, GPU_COUNT, list, c->list, FIRST_BYTES, what));
	bounds->known = list->sizes.total <= most->total && list->sizes.widest <= most->widest;
	if (bounds->known)
		GPU_TRY(TakeBounds(job, device, c, list, bounds));
	GpuHostFree(&job->team, list);
	return cudaSuccess;
}

cudaError_t
BoundPairs(EpisodesJob *job, const EventStream *stream, uint32_t nfrequent, PairBounds *bounds)
{
	GpuDevice  *device = job->team.devices[0];
	PairCounters c = {.ntypes = job->data->ntypes, .ngaps = job->data->ngaps, .n = (uint32_t) CountersOf(job)};
	WindowSizes most = MostThatPays(job, nfrequent);

	*bounds = (PairBounds) {false, 0, NULL};
	if (CountersOf(job) > MOST_COUNTERS)
		return cudaSuccess;
	GPU_TRY(GpuUse(device, what));
	GPU_TRY(GpuCheck(device, BoundsScratch(c.n, &c.scratch_bytes), what));
	GPU_TRY(TakeCounters(device, &c));
	if (c.counts == NULL)
		return cudaSuccess;
	GPU_TRY(CountAll(job, &stream->on[0], &most, &c));
	GPU_TRY(ReceiveBounds(job, device, &c, &most, bounds));
	return GpuFree(device, c.counts);
}

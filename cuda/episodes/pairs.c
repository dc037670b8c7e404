/*-------------------------------------------------------------------------
 *
 * pairs.c
 *	  Upper bounds of the supports of pairs of types, see pairs.h.
 *
 *-------------------------------------------------------------------------
 */
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

/* Pairs that a launch counts, about. */
#define PAIRS_A_LAUNCH	(UINT64_C(1) << 30)

static const char *const what = "counting pairs of events";

static uint64_t
CountersOf(const EpisodesJob *job)
{
	return (uint64_t) job->data->ntypes * job->data->ngaps * job->data->ntypes;
}

/* Without memory for it, windows count as too wide. */
static cudaError_t
Measure(EpisodesJob *job, const DeviceStream *stream, WindowSizes *sizes)
{
	GpuDevice  *device = job->team.devices[0];
	void	   *on_device;

	*sizes = (WindowSizes) {UINT64_MAX, UINT64_MAX};
	GPU_TRY(GpuTryAlloc(device, sizeof(WindowSizes), what, &on_device));
	if (on_device == NULL)
		return cudaSuccess;
	GPU_TRY(GpuCheck(device, cudaMemsetAsync(on_device, 0, sizeof(WindowSizes), device->streams[GPU_COUNT]), what));
	GPU_TRY(MeasureWindows(device, stream, job->data->ngaps, (WindowSizes *) on_device));
	GPU_TRY(GpuReceive(&job->team, device, GPU_COUNT, sizes, on_device, sizeof(WindowSizes), what));
	return GpuFree(device, on_device);
}

static cudaError_t
CountAll(EpisodesJob *job, const DeviceStream *stream, const WindowSizes *sizes, uint32_t *counts)
{
	const FimEpisodesData *data = job->data;
	GpuDevice  *device = job->team.devices[0];
	uint64_t	launches = sizes->total / PAIRS_A_LAUNCH + 1;
	uint64_t	places = job->section.events / launches + 1;

	for (uint64_t first = 0; first < job->section.events; first += places)
	{
		uint64_t	end = GpuLesser(first + places, job->section.events);
		GpuTimer   *timer;

		GPU_TRY(GpuThrottle(&job->team, device, what));
		GPU_TRY(GpuBegin(device, GPU_COUNT, FIM_GPU_COUNT, (double) (end - first), &timer));
		GPU_TRY(CountPairs(device, stream, data->ntypes, data->ngaps, (uint32_t) first, (uint32_t) end, counts));
		GPU_TRY(GpuEnd(device, GPU_COUNT, timer));
	}
	return cudaSuccess;
}

/* Whether counters of 32 bits hold all, and counting takes less than what it may save. */
static bool
Pays(const EpisodesJob *job, const WindowSizes *sizes, uint32_t nfrequent)
{
	uint64_t	extended = (uint64_t) nfrequent * job->data->ngaps * job->section.events;

	return sizes->widest <= WIDEST_WINDOW && sizes->widest * job->most_events <= UINT32_MAX &&
		sizes->total <= extended / COST_OF_PAIR;
}

/* Arrays on the device, in one block; counts are NULL if there is too little memory. */
static cudaError_t
TakeCounters(const EpisodesJob *job, GpuDevice *device, PairCounters *c)
{
	const GpuArray arrays[] = {
		{(void **) &c->counts, sizeof(uint32_t) * c->n},
		{(void **) &c->bound, sizeof(PairBound) * c->n},
		{(void **) &c->nbounds, sizeof(uint32_t)},
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
	return GpuCheck(device, cudaMemsetAsync(c->counts, 0, sizeof(uint32_t) * c->n, device->streams[GPU_COUNT]), what);
}

static cudaError_t
ReceiveBounds(EpisodesJob *job, GpuDevice *device, const PairCounters *c, PairBounds *bounds)
{
	size_t		bytes;

	GPU_TRY(GpuReceive(&job->team, device, GPU_COUNT, &bounds->n, c->nbounds, sizeof(bounds->n), what));
	bytes = sizeof(PairBound) * bounds->n;
	GPU_TRY(GpuHostTake(&job->team, bytes, (void **) &bounds->bound));
	return GpuReceive(&job->team, device, GPU_COUNT, bounds->bound, c->bound, bytes, what);
}

cudaError_t
BoundPairs(EpisodesJob *job, const EventStream *stream, uint32_t nfrequent, PairBounds *bounds)
{
	GpuDevice  *device = job->team.devices[0];
	PairCounters c = {.n = (uint32_t) CountersOf(job)};
	WindowSizes sizes;

	*bounds = (PairBounds) {false, 0, NULL};
	if (CountersOf(job) > MOST_COUNTERS)
		return cudaSuccess;
	GPU_TRY(GpuUse(device, what));
	GPU_TRY(Measure(job, &stream->on[0], &sizes));
	if (!Pays(job, &sizes, nfrequent))
		return cudaSuccess;
	GPU_TRY(GpuCheck(device, BoundsScratch(c.n, &c.scratch_bytes), what));
	GPU_TRY(TakeCounters(job, device, &c));
	if (c.counts == NULL)
		return cudaSuccess;
	GPU_TRY(CountAll(job, &stream->on[0], &sizes, c.counts));
	GPU_TRY(SelectBounds(device, &c, job->least));
	GPU_TRY(ReceiveBounds(job, device, &c, bounds));
	bounds->known = true;
	return GpuFree(device, c.counts);
}

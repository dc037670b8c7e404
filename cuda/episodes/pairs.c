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

/* Counters and types take at most one part in so many of the memory that there is. */
#define MEMORY_PART		4

/* Pairs that a launch counts, about. */
#define PAIRS_A_LAUNCH	(UINT64_C(1) << 30)

static const char *const what = "counting pairs of events";

static uint64_t
CountersOf(const EpisodesJob *job)
{
	return (uint64_t) job->data->ntypes * job->data->ngaps * job->data->ntypes;
}

/* Memory that is 0. */
static cudaError_t
TakeZeroes(GpuDevice *device, size_t bytes, void **to)
{
	*to = NULL;
	if (bytes > GpuRoom(device) / MEMORY_PART)
		return cudaSuccess;
	GPU_TRY(GpuTryAlloc(device, bytes, what, to));
	if (*to == NULL)
		return cudaSuccess;
	return GpuCheck(device, cudaMemsetAsync(*to, 0, bytes, device->streams[GPU_COUNT]), what);
}

static cudaError_t
Measure(EpisodesJob *job, const DeviceStream *stream, WindowSizes *sizes)
{
	GpuDevice  *device = job->team.devices[0];
	void	   *on_device;

	*sizes = (WindowSizes) {UINT64_MAX, UINT64_MAX};
	GPU_TRY(TakeZeroes(device, sizeof(WindowSizes), &on_device));
	if (on_device == NULL)
		return cudaSuccess;
	GPU_TRY(MeasureWindows(device, stream, job->data->ngaps, (WindowSizes *) on_device));
	GPU_TRY(GpuReceive(&job->team, device, GPU_COUNT, sizes, on_device, sizeof(WindowSizes), what));
	return GpuFree(device, on_device);
}

static cudaError_t
CountAll(EpisodesJob *job, const DeviceStream *stream, const WindowSizes *sizes, const uint32_t *types,
		 uint32_t *counts)
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
		GPU_TRY(CountPairs(device, stream, types, data->ntypes, data->ngaps, (uint32_t) first, (uint32_t) end, counts));
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

cudaError_t
BoundPairs(EpisodesJob *job, const EventStream *stream, uint32_t nfrequent, uint32_t **bounds)
{
	GpuDevice  *device = job->team.devices[0];
	size_t		type_bytes = sizeof(uint32_t) * (size_t) job->section.events;
	size_t		count_bytes = sizeof(uint32_t) * CountersOf(job);
	WindowSizes sizes;
	void	   *types;
	void	   *counts;

	*bounds = NULL;
	GPU_TRY(GpuUse(device, what));
	GPU_TRY(Measure(job, &stream->on[0], &sizes));
	if (CountersOf(job) > MOST_COUNTERS || !Pays(job, &sizes, nfrequent))
		return cudaSuccess;
	GPU_TRY(TakeZeroes(device, type_bytes, &types));
	GPU_TRY(TakeZeroes(device, count_bytes, &counts));
	if (types != NULL && counts != NULL)
	{
		GPU_TRY(GpuSend(&job->team, device, GPU_COUNT, types,
						FIM_EPISODES_TYPES(job->data) + job->section.first_event, type_bytes, what));
		GPU_TRY(CountAll(job, &stream->on[0], &sizes, (const uint32_t *) types, (uint32_t *) counts));
		GPU_TRY(GpuHostTake(&job->team, count_bytes, (void **) bounds));
		GPU_TRY(GpuReceive(&job->team, device, GPU_COUNT, *bounds, counts, count_bytes, what));
	}
	GPU_TRY(GpuFree(device, types));
	return GpuFree(device, counts);
}

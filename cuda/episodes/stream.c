/*-------------------------------------------------------------------------
 *
 * stream.c
 *	  Putting the events on the devices, see stream.h.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "copies.h"
#include "episodes/stream.h"
#include "episodes/stream_device.h"

#define EVENTS_A_LAUNCH	(UINT32_C(1) << 24)
#define SPARE_BYTES		(UINT64_C(1) << 20) /* what arrays are rounded up by, all together, and small ones */

/* Arrays that are only there while the stream is made. */
typedef struct Making
{
	uint32_t   *type[2];
	uint32_t   *event[2];
	uint32_t   *by_place;		/* that of the two which has the events in their places */
	void	   *scratch;
	FimTime    *time;
	uint32_t   *partition;
	uint64_t   *edge;
} Making;

static const char *const what = "allocating events";

uint64_t
StreamMemory(const FimEpisodesData *data, const Section *section, StreamForm form, bool making)
{
	uint64_t	events = section->events;
	uint64_t	back = sizeof(uint32_t) * (form == STREAM_BY_PLACE ? data->nedges : 2 * data->nedges + 1) * events;
	uint64_t	tables = sizeof(uint32_t) * (uint64_t) data->ntypes + sizeof(FimGapEdges) * (uint64_t) data->ngaps +
		SPARE_BYTES;
	uint64_t	sorting = 4 * sizeof(uint32_t) * events;
	uint64_t	searching = (sizeof(FimTime) + 2 * sizeof(uint32_t)) * events +
		sizeof(uint32_t) * (uint64_t) section->partitions + back;

	return tables + (making ? GpuGreater(sorting, searching) : back);
}

static cudaError_t
AllocAll(EpisodesJob *job, size_t bytes, size_t stride, void *first)
{
	for (int d = 0; d < job->team.ndevices; d++)
		GPU_TRY(GpuAlloc(job->team.devices[d], bytes > 0 ? bytes : 1, what,
						 (void **) ((char *) first + stride * (size_t) d)));
	return cudaSuccess;
}

/* The same to an array on each device; the arrays' addresses are so many bytes apart. */
static cudaError_t
SendAll(EpisodesJob *job, size_t stride, void *first, const void *from, size_t bytes)
{
	void	   *to[FIM_GPU_MAX_DEVICES];

	for (int d = 0; d < job->team.ndevices; d++)
	{
		to[d] = *(void **) ((char *) first + stride * (size_t) d);
		/* to copy little is quicker than to start threads for it */
		if (bytes <= GPU_PIECE)
			GPU_TRY(GpuSend(&job->team, job->team.devices[d], GPU_COUNT, to[d], from, bytes,
							"copying events to the device"));
	}
	if (bytes <= GPU_PIECE)
		return cudaSuccess;
	return GpuSendAll(&job->team, GPU_COUNT, to, from, bytes, "copying events to the device");
}

static cudaError_t
TakeAndSend(EpisodesJob *job, size_t stride, void *first, const void *from, size_t bytes)
{
	GPU_TRY(AllocAll(job, bytes, stride, first));
	return SendAll(job, stride, first, from, bytes);
}

static cudaError_t
WaitForAll(EpisodesJob *job)
{
	for (int d = 0; d < job->team.ndevices; d++)
		GPU_TRY(GpuWait(&job->team, job->team.devices[d], GPU_COUNT, "waiting for events"));
	return cudaSuccess;
}

/* ---- places ---- */

static cudaError_t
SortOn(EpisodesJob *job, GpuDevice *device, Making *making)
{
	TypeSort	sort = {.events = job->section.events, .ntypes = job->data->ntypes};

	GPU_TRY(GpuUse(device, "sorting events by type"));
	GPU_TRY(GpuCheck(device, TypeSortScratch(sort.events, sort.ntypes, &sort.scratch_bytes),
					 "sorting events by type"));
	GPU_TRY(GpuAlloc(device, sort.scratch_bytes > 0 ? sort.scratch_bytes : 1, what, &making->scratch));
	for (int half = 0; half < 2; half++)
	{
		sort.type[half] = making->type[half];
		sort.event[half] = making->event[half];
	}
	sort.scratch = making->scratch;
	return SortByType(device, &sort, &making->by_place);
}

static cudaError_t
FindPlaces(EpisodesJob *job, Making *making)
{
	size_t		bytes = sizeof(uint32_t) * (size_t) job->section.events;

	GPU_TRY(TakeAndSend(job, sizeof(Making), &making->type[0],
						FIM_EPISODES_TYPES(job->data) + job->section.first_event, bytes));
	GPU_TRY(AllocAll(job, bytes, sizeof(Making), &making->type[1]));
	for (int half = 0; half < 2; half++)
		GPU_TRY(AllocAll(job, bytes, sizeof(Making), &making->event[half]));
	for (int d = 0; d < job->team.ndevices; d++)
		GPU_TRY(SortOn(job, job->team.devices[d], &making[d]));
	GPU_TRY(WaitForAll(job));
	for (int d = 0; d < job->team.ndevices; d++)
	{
		GpuDevice  *device = job->team.devices[d];

		GPU_TRY(GpuFree(device, making[d].type[0]));
		GPU_TRY(GpuFree(device, making[d].type[1]));
		GPU_TRY(GpuFree(device, making[d].scratch));
		GPU_TRY(GpuFree(device, making[d].event[making[d].by_place == making[d].event[0]]));
	}
	return cudaSuccess;
}

/* ---- edges ---- */

/* Find back[nedges][events] for each place, or, if "event" is NULL, for each event. */
static cudaError_t
SearchOn(EpisodesJob *job, GpuDevice *device, const Making *making, const uint32_t *event, uint32_t *back)
{
	const FimEpisodesData *data = job->data;
	uint32_t	events = job->section.events;
	BackSearch	search = {.time = making->time, .partition = making->partition, .edge = making->edge,
	.event = event, .back = back, .partitions = job->section.partitions, .events = events,
	.nedges = data->nedges, .real = data->real != 0};
	GpuTimer   *timer;

	GPU_TRY(GpuUse(device, "finding how far back gaps reach"));
	GPU_TRY(GpuBegin(device, GPU_COUNT, FIM_GPU_BUILD, (double) data->nedges * events * sizeof(uint32_t), &timer));
	for (uint32_t first = 0; first < events;)
	{
		uint32_t	n = (uint32_t) GpuLesser(EVENTS_A_LAUNCH, events - first);

		GPU_TRY(FindBack(device, &search, first, first + n));
		first += n;
	}
	return GpuEnd(device, GPU_COUNT, timer);
}

/* Where the partitions begin, in events of the section.  Of the first one and the last one there may be more. */
static cudaError_t
SendPartitions(EpisodesJob *job, Making *making)
{
	const Section *section = &job->section;
	const uint32_t *first_of = FIM_EPISODES_PARTITIONS(job->data) + section->first_partition;
	size_t		bytes = sizeof(uint32_t) * ((size_t) section->partitions + 1);
	uint32_t   *moved;

	if (section->first_event == 0)
		return TakeAndSend(job, sizeof(Making), &making->partition, first_of, bytes);
	GPU_TRY(GpuHostTake(&job->team, bytes, (void **) &moved));
	for (uint32_t p = 0; p <= section->partitions; p++)
		moved[p] = first_of[p] - (uint32_t) GpuLesser(first_of[p], section->first_event);
	GPU_TRY(TakeAndSend(job, sizeof(Making), &making->partition, moved, bytes));
	GpuHostFree(&job->team, moved);
	return HostWork(job, section->partitions);
}

static cudaError_t
FindEdges(EpisodesJob *job, EventStream *stream, StreamForm form, Making *making)
{
	const FimEpisodesData *data = job->data;
	size_t		back = sizeof(uint32_t) * data->nedges * (size_t) job->section.events;

	GPU_TRY(TakeAndSend(job, sizeof(Making), &making->time, FIM_EPISODES_TIMES(data) + job->section.first_event,
						sizeof(FimTime) * (size_t) job->section.events));
	GPU_TRY(SendPartitions(job, making));
	GPU_TRY(TakeAndSend(job, sizeof(Making), &making->edge, FIM_EPISODES_EDGES(data),
						sizeof(uint64_t) * data->nedges));
	GPU_TRY(AllocAll(job, back, sizeof(DeviceStream), &stream->on[0].back));
	for (int d = 0; d < job->team.ndevices; d++)
		GPU_TRY(SearchOn(job, job->team.devices[d], &making[d], making[d].by_place, stream->on[d].back));
	if (form == STREAM_BY_EVENT)
	{
		GPU_TRY(AllocAll(job, back, sizeof(DeviceStream), &stream->on[0].back_of));
		for (int d = 0; d < job->team.ndevices; d++)
			GPU_TRY(SearchOn(job, job->team.devices[d], &making[d], NULL, stream->on[d].back_of));
	}
	GPU_TRY(WaitForAll(job));
	for (int d = 0; d < job->team.ndevices; d++)
	{
		GpuDevice  *device = job->team.devices[d];

		GPU_TRY(GpuFree(device, making[d].time));
		GPU_TRY(GpuFree(device, making[d].partition));
		GPU_TRY(GpuFree(device, making[d].edge));
		GPU_TRY(GpuFree(device, making[d].by_place));
	}
	return cudaSuccess;
}

cudaError_t
StreamOpen(EpisodesJob *job, EventStream *stream, StreamForm form)
{
	const FimEpisodesData *data = job->data;
	Making		making[FIM_GPU_MAX_DEVICES];

	memset(stream, 0, sizeof(*stream));
	memset(making, 0, sizeof(making));
	for (int d = 0; d < job->team.ndevices; d++)
		stream->on[d].events = job->section.events;
	GPU_TRY(TakeAndSend(job, sizeof(DeviceStream), &stream->on[0].start, job->start,
						sizeof(uint32_t) * ((size_t) data->ntypes + 1)));
	GPU_TRY(TakeAndSend(job, sizeof(DeviceStream), &stream->on[0].gap, FIM_EPISODES_GAPS(data),
						sizeof(FimGapEdges) * (size_t) data->ngaps));
	GPU_TRY(FindPlaces(job, making));
	if (form == STREAM_BY_EVENT)
		GPU_TRY(TakeAndSend(job, sizeof(DeviceStream), &stream->on[0].type,
							FIM_EPISODES_TYPES(data) + job->section.first_event,
							sizeof(uint32_t) * (size_t) job->section.events));
	return FindEdges(job, stream, form, making);
}

cudaError_t
StreamClose(EpisodesJob *job, EventStream *stream)
{
	for (int d = 0; d < job->team.ndevices; d++)
	{
		DeviceStream *on = &stream->on[d];
		void	   *all[] = {on->back, on->start, on->gap, on->type, on->back_of};

		for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
			GPU_TRY(GpuFree(job->team.devices[d], all[i]));
	}
	return cudaSuccess;
}

/*-------------------------------------------------------------------------
 *
 * long_lists.c
 *	  Extending a list by many events, see long_lists.h.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "copies.h"
#include "episodes/long_lists.h"
#include "episodes/long_lists_device.h"

#define EVENTS_A_LAUNCH	(UINT32_C(1) << 24)

static const char *const what = "extending a long list";

uint64_t
LongListsMemory(uint32_t room)
{
	return 5 * sizeof(uint32_t) * (uint64_t) room + 8192;
}

static cudaError_t
Take(LongLists *l, size_t bytes, void *to, bool *taken)
{
	void	  **address = (void **) to;

	if (*taken)
		GPU_TRY(GpuTryAlloc(l->device, bytes, what, address));
	*taken &= *address != NULL;
	return cudaSuccess;
}

cudaError_t
LongListsOpen(LongLists *l, GpuDevice *device, const DeviceStream *stream, uint32_t room, bool *opened)
{
	memset(l, 0, sizeof(*l));
	l->device = device;
	l->stream = stream;
	l->room = room;
	*opened = true;
	GPU_TRY(GpuUse(device, what));
	GPU_TRY(GpuCheck(device, SelectScratch(room, &l->scratch_bytes), what));
	GPU_TRY(Take(l, sizeof(uint32_t) * (size_t) room, &l->start, opened));
	for (int half = 0; half < 2; half++)
	{
		GPU_TRY(Take(l, sizeof(uint32_t) * (size_t) room, &l->next[half], opened));
		GPU_TRY(Take(l, sizeof(uint32_t) * (size_t) room, &l->steps[half], opened));
	}
	GPU_TRY(Take(l, sizeof(uint32_t), &l->n, opened));
	GPU_TRY(Take(l, sizeof(Counted), &l->counted, opened));
	GPU_TRY(Take(l, GpuGreater(l->scratch_bytes, 1), &l->scratch, opened));
	return *opened ? cudaSuccess : LongListsClose(l);
}

cudaError_t
LongListsClose(LongLists *l)
{
	void	   *all[] = {l->start, l->next[0], l->next[1], l->steps[0], l->steps[1], l->n, l->counted, l->scratch};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		GPU_TRY(GpuFree(l->device, all[i]));
	memset(l, 0, sizeof(*l));
	return cudaSuccess;
}

cudaError_t
LongListsExtend(EpisodesJob *job, LongLists *l, const DeviceList *list, uint32_t type, uint32_t gap,
				DeviceList *made)
{
	uint32_t	place = job->start[type];
	uint32_t	n = EventsOf(job, type);
	GpuTimer   *timer;

	made->n = 0;
	if (n == 0)
		return cudaSuccess;
	for (uint32_t first = 0; first < n;)
	{
		uint32_t	end = first + (uint32_t) GpuLesser(EVENTS_A_LAUNCH, n - first);

		GPU_TRY(GpuThrottle(&job->team, l->device, what));
		GPU_TRY(GpuBegin(l->device, GPU_COUNT, FIM_GPU_COUNT, end - first, &timer));
		GPU_TRY(FindStarts(l->device, l->stream, list, place, gap, first, end, l->start));
		GPU_TRY(GpuEnd(l->device, GPU_COUNT, timer));
		first = end;
	}
	GPU_TRY(SelectEntries(l->device, l->scratch, l->scratch_bytes, l->stream->back + place, l->start, n, made, l->n));
	return GpuReceive(&job->team, l->device, GPU_COUNT, &made->n, l->n, sizeof(uint32_t), what);
}

static cudaError_t
FirstSteps(EpisodesJob *job, LongLists *l, const DeviceList *list)
{
	for (uint64_t first = 0; first < list->n;)
	{
		uint64_t	end = GpuLesser(first + EVENTS_A_LAUNCH, list->n);

		GPU_TRY(GpuThrottle(&job->team, l->device, what));
		GPU_TRY(FindNextEntries(l->device, list, (uint32_t) first, (uint32_t) end, l->next[0], l->steps[0]));
		first = end;
	}
	return cudaSuccess;
}

cudaError_t
LongListsCount(EpisodesJob *job, LongLists *l, const DeviceList *list, Counted *counted)
{
	uint64_t	reached = 1;	/* steps that have been done at most */
	int			half = 0;

	GPU_TRY(FirstSteps(job, l, list));
	for (; reached < list->n; reached *= 2)
	{
		GpuTimer   *timer;

		GPU_TRY(GpuThrottle(&job->team, l->device, what));
		GPU_TRY(GpuBegin(l->device, GPU_COUNT, FIM_GPU_COUNT, list->n, &timer));
		GPU_TRY(DoubleSteps(l->device, list->n, l->next[half], l->steps[half], l->next[1 - half], l->steps[1 - half]));
		GPU_TRY(GpuEnd(l->device, GPU_COUNT, timer));
		half = 1 - half;
	}
	GPU_TRY(TakeSteps(l->device, list, l->next[half], l->steps[half], counted->free, l->counted));
	return GpuReceive(&job->team, l->device, GPU_COUNT, counted, l->counted, sizeof(Counted), what);
}

/*-------------------------------------------------------------------------
 *
 * kept_lists.c
 *	  The lists of a level's episodes, see kept_lists.h.
 *
 *-------------------------------------------------------------------------
 */
#include "episodes/kept_lists.h"

cudaError_t
KeepList(EpisodesJob *job, KeptLists *lists, const DeviceList *list, int device)
{
	uint64_t	needed = (uint64_t) lists->n + 1;

	GPU_TRY(GpuHostRoom(&job->team, (void **) &lists->list, lists->n, needed, &lists->list_room, sizeof(DeviceList)));
	GPU_TRY(GpuHostRoom(&job->team, (void **) &lists->device, lists->n, needed, &lists->device_room,
						sizeof(uint8_t)));
	lists->list[lists->n] = *list;
	lists->device[lists->n++] = (uint8_t) device;
	return cudaSuccess;
}

cudaError_t
TakeListBlock(EpisodesJob *job, KeptLists *lists, int d, uint64_t entries, uint64_t reserve, uint32_t **address)
{
	GpuDevice  *device = job->team.devices[d];

	*address = NULL;
	if (entries > GpuRoom(device) / PLACED_ENTRY || entries * PLACED_ENTRY + reserve > GpuRoom(device))
		return cudaSuccess;
	GPU_TRY(GpuHostRoom(&job->team, (void **) &lists->block, lists->nblocks, (uint64_t) lists->nblocks + 1,
						&lists->block_room, sizeof(ListBlock)));
	GPU_TRY(GpuTryAlloc(device, entries * PLACED_ENTRY, "allocating lists of occurrences", (void **) address));
	if (*address != NULL)
		lists->block[lists->nblocks++] = (ListBlock) {*address, d};
	return cudaSuccess;
}

cudaError_t
DealLists(EpisodesJob *job, KeptLists *lists)
{
	for (uint32_t i = 0; i < lists->n; i++)
	{
		int			d = (int) (i % (uint32_t) job->team.ndevices);

		if (lists->device[i] == d)
			continue;
		lists->device[i] = (uint8_t) d;
		lists->list[i] = UnkeptList(lists->list[i].n);
	}
	return HostWork(job, 4 * (uint64_t) lists->n);
}

cudaError_t
DropLists(EpisodesJob *job, KeptLists *lists)
{
	while (lists->nblocks > 0)
	{
		ListBlock  *block = &lists->block[--lists->nblocks];

		GPU_TRY(GpuFree(job->team.devices[block->device], block->address));
	}
	lists->n = 0;
	return cudaSuccess;
}

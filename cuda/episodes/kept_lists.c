/*-------------------------------------------------------------------------
 *
 * kept_lists.c
 *	  The lists of a level's episodes, see kept_lists.h.
 *
 *-------------------------------------------------------------------------
 */
#include "copies.h"
#include "episodes/kept_lists.h"

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
AddListBlock(EpisodesJob *job, KeptLists *lists, uint64_t entries)
{
	GPU_TRY(GpuHostRoom(&job->team, (void **) &lists->block, lists->nblocks, (uint64_t) lists->nblocks + 1,
						&lists->block_room, sizeof(ListBlock)));
	lists->block[lists->nblocks++] = (ListBlock) {.entries = entries};
	return cudaSuccess;
}

/* Give a device one of the blocks, as TakeListBlock() does. */
static cudaError_t
TakeBlock(EpisodesJob *job, ListBlock *block, int d, uint64_t reserve)
{
	GpuDevice  *device = job->team.devices[d];

	if (block->entries > GpuRoom(device) / PLACED_ENTRY || block->entries * PLACED_ENTRY + reserve > GpuRoom(device))
		return cudaSuccess;
	GPU_TRY(GpuUse(device, what));
	return GpuTryAlloc(device, block->entries * PLACED_ENTRY, "allocating lists of occurrences",
					   (void **) &block->address[d]);
}

cudaError_t
TakeListBlock(EpisodesJob *job, KeptLists *lists, int d, uint64_t reserve)
{
	return TakeBlock(job, &lists->block[lists->nblocks - 1], d, reserve);
}

cudaError_t
CopyLists(EpisodesJob *job, KeptLists *lists, int d, uint64_t reserve)
{
	for (uint32_t b = 0; b < lists->nblocks; b++)
	{
		if (lists->block[b].address[0] == NULL)
			continue;
		GPU_TRY(TakeBlock(job, &lists->block[b], d, reserve));
		if (lists->block[b].address[d] != NULL)
			GPU_TRY(GpuCopyAcross(&job->team, job->team.devices[d], lists->block[b].address[d], job->team.devices[0],
								  lists->block[b].address[0], lists->block[b].entries * PLACED_ENTRY, what));
	}
	for (uint32_t i = 0; i < lists->n; i++)
	{
		KeptList   *list = &lists->list[i];

		if ((list->on & 1) != 0 && lists->block[list->block].address[d] != NULL)
			list->on |= UINT32_C(1) << d;
		GPU_TRY(HostWork(job, 4));
	}
	return cudaSuccess;
}

uint64_t
BytesOfLists(const KeptLists *lists)
{
	uint64_t	bytes = 0;

	for (uint32_t b = 0; b < lists->nblocks; b++)
		if (lists->block[b].address[0] != NULL)
			bytes += lists->block[b].entries * PLACED_ENTRY;
	return bytes;
}

cudaError_t
DropLists(EpisodesJob *job, KeptLists *lists)
{
	for (; lists->nblocks > 0; lists->nblocks--)
		for (int d = 0; d < job->team.ndevices; d++)
			GPU_TRY(GpuFree(job->team.devices[d], lists->block[lists->nblocks - 1].address[d]));
	lists->n = 0;
	return cudaSuccess;
}

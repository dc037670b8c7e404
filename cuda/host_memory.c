/*-------------------------------------------------------------------------
 *
 * host_memory.c
 *	  Host memory of the job under way, see host_memory.h.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "fault.h"
#include "host_memory.h"
#include "stopping.h"

#define LEAST_ROOM		64		/* elements of an array that is to grow */

/* Bytes that are copied between two looks at whether the job is to stop, when an array grows. */
#define COPIED_AT_ONCE	((size_t) 4 << 20)

/* Precedes each block of host memory; what follows it stays aligned to 16 bytes. */
struct GpuHostBlock
{
	GpuHostBlock *next;
	GpuHostBlock *previous;
};

void *
GpuHostAlloc(GpuTeam *team, size_t bytes)
{
	GpuHostBlock *block = NULL;

	if (bytes < SIZE_MAX - sizeof(GpuHostBlock))
		block = (GpuHostBlock *) team->host->alloc(team->host, bytes + sizeof(GpuHostBlock));
	if (block == NULL)
		return NULL;
	block->next = team->blocks;
	block->previous = NULL;
	if (block->next != NULL)
		block->next->previous = block;
	team->blocks = block;
	return block + 1;
}

void
GpuHostFree(GpuTeam *team, void *address)
{
	GpuHostBlock *block;

	if (address == NULL)
		return;
	block = (GpuHostBlock *) address - 1;
	if (block->previous != NULL)
		block->previous->next = block->next;
	else
		team->blocks = block->next;
	if (block->next != NULL)
		block->next->previous = block->previous;
	team->host->free(team->host, block);
}

cudaError_t
GpuNoMemory(GpuTeam *team)
{
	team->no_memory = true;
	return GPU_STOPPED;
}

cudaError_t
GpuHostTake(GpuTeam *team, size_t bytes, void **address)
{
	*address = GpuHostAlloc(team, bytes > 0 ? bytes : 1);
	return *address != NULL ? cudaSuccess : GpuNoMemory(team);
}

/* Copy to new memory, whose pages the system may have to provide first. */
static cudaError_t
CopyToNew(GpuTeam *team, char *to, const char *from, size_t bytes)
{
	for (size_t done = 0; done < bytes; done += COPIED_AT_ONCE)
	{
		memcpy(to + done, from + done, GpuLesser(bytes - done, COPIED_AT_ONCE));
		if (GpuMustStop(team))
			return GPU_STOPPED;
	}
	return cudaSuccess;
}

cudaError_t
GpuHostRoom(GpuTeam *team, void **array, uint64_t used, uint64_t needed, uint64_t *room, size_t size)
{
	uint64_t	larger = GpuGreater(GpuGreater(needed, *room * 2), LEAST_ROOM);
	void	   *grown;

	if (needed <= *room)
		return cudaSuccess;
	GPU_TRY(GpuHostTake(team, larger * size, &grown));
	GPU_TRY(CopyToNew(team, (char *) grown, (const char *) *array, used * size));
	GpuHostFree(team, *array);
	*array = grown;
	*room = larger;
	return cudaSuccess;
}

cudaError_t
GpuHostTakeArrays(GpuTeam *team, const GpuArray *arrays, int n)
{
	void	   *block;

	GPU_TRY(GpuHostTake(team, GpuArraysBytes(arrays, n), &block));
	GpuPlaceArrays(arrays, n, block);
	return cudaSuccess;
}

void
GpuHostFreeAll(GpuTeam *team)
{
	while (team->blocks != NULL)
	{
		GpuHostBlock *block = team->blocks;

		team->blocks = block->next;
		team->host->free(team->host, block);
	}
}

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

void *
GpuHostGrow(GpuTeam *team, void *address, uint64_t used, uint64_t needed, uint64_t *room, size_t size)
{
	uint64_t	larger = GpuGreater(GpuGreater(needed, *room * 2), 64);
	void	   *grown;

	grown = GpuHostAlloc(team, larger * size);
	if (grown == NULL)
		return NULL;
	if (used > 0)
		memcpy(grown, address, used * size);
	GpuHostFree(team, address);
	*room = larger;
	return grown;
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

cudaError_t
GpuHostRoom(GpuTeam *team, void **array, uint64_t used, uint64_t needed, uint64_t *room, size_t size)
{
	void	   *grown;

	if (needed <= *room)
		return cudaSuccess;
	grown = GpuHostGrow(team, *array, used, needed, room, size);
	if (grown == NULL)
		return GpuNoMemory(team);
	*array = grown;
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

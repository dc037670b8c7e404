/*-------------------------------------------------------------------------
 *
 * host_memory.h
 *	  Host memory of the job under way.
 *
 * What a job takes is kept in a list, so that all of it can be given back however the job
 * ends.  All sizes are in bytes.
 *
 * Included by team.h, and through it by families.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_HOST_MEMORY_H
#define FIM_HOST_MEMORY_H

#include "memory.h"
#include "team_state.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Returns NULL if the host has not enough. */
extern void *GpuHostAlloc(GpuTeam *team, size_t bytes);

/* Frees a block of GpuHostAlloc(); it may be NULL. */
extern void GpuHostFree(GpuTeam *team, void *address);

/*
 * Moves an array that has room for *room elements to where there is room for "needed"
 * ones, or more; the first "used" elements keep their values.  Returns the array's new
 * address.  If the host has not enough memory, returns NULL and changes nothing.
 */
extern void *GpuHostGrow(GpuTeam *team, void *address, uint64_t used, uint64_t needed,
						 uint64_t *room, size_t size);

/*
 * For families whose functions return a cudaError_t: to lack host memory ends the job.
 * GpuNoMemory() marks the team and returns GPU_STOPPED, and so do the others if the host
 * has not enough.  GpuHostTake() sets *address to a block, if only of one byte.
 * GpuHostRoom() makes room in an array for as many elements as are needed, and keeps
 * those in use.
 */
extern cudaError_t GpuNoMemory(GpuTeam *team);
extern cudaError_t GpuHostTake(GpuTeam *team, size_t bytes, void **address);
extern cudaError_t GpuHostRoom(GpuTeam *team, void **array, uint64_t used, uint64_t needed,
							   uint64_t *room, size_t size);

/*
 * Takes a block for n arrays.  Giving back the first one gives back all of them.  What the
 * host's allocator takes from the system for few large blocks it tends to keep, so that the
 * next job finds it there.
 */
extern cudaError_t GpuHostTakeArrays(GpuTeam *team, const GpuArray *arrays, int n);

/* Frees all blocks, at the end of a job. */
extern void GpuHostFreeAll(GpuTeam *team);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_HOST_MEMORY_H */

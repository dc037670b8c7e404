/*-------------------------------------------------------------------------
 *
 * host_memory.h
 *	  Host memory of the job under way.
 *
 * What a job takes is kept in a list, so that all of it can be given back however the job
 * ends.  All sizes are in bytes.
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

/* Allocates a block.  Returns NULL if the host has not enough memory. */
extern void *GpuHostAlloc(GpuTeam *team, size_t bytes);

/* Frees a block of GpuHostAlloc(); it may be NULL. */
extern void GpuHostFree(GpuTeam *team, void *address);

/*
 * For families whose functions return a cudaError_t.  A lack of host memory ends the job:
 * GpuNoMemory() marks the team and returns GPU_STOPPED, and the other two functions do so, too,
 * if the host has not enough.  GpuHostTake() sets *address to a new block, which has one byte
 * even if "bytes" is 0.  GpuHostRoom() makes sure that an array has room for "needed" elements of
 * "size" bytes.  If *room is less, it moves the array to a larger block, which keeps the first "used" elements,
 * and sets *room to how many that has room for.  Moving hundreds of MB takes long, so the job may be told to
 * stop meanwhile.
 */
extern cudaError_t GpuNoMemory(GpuTeam *team);
extern cudaError_t GpuHostTake(GpuTeam *team, size_t bytes, void **address);
extern cudaError_t GpuHostRoom(GpuTeam *team, void **array, uint64_t used, uint64_t needed,
							   uint64_t *room, size_t size);

/*
 * Takes one block for n arrays, as GpuHostTake() does.  Giving back the first array gives back
 * all of them.  Few large blocks are better than many small ones: the host's allocator tends to
 * keep the memory that it took from the system for them, so that the next job finds it there.
 */
extern cudaError_t GpuHostTakeArrays(GpuTeam *team, const GpuArray *arrays, int n);

/* Frees all blocks, at the end of a job. */
extern void GpuHostFreeAll(GpuTeam *team);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_HOST_MEMORY_H */

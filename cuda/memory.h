/*-------------------------------------------------------------------------
 *
 * memory.h
 *	  Device memory of the job under way.
 *
 * What a job takes is kept in a list of its device, so that all of it can be given
 * back however the job ends: see GpuReleaseAll().  A job has no more on a device than
 * the device's limit, which GpuBeginMemory() sets; GpuRoom() says how much is left of
 * it.  All sizes are in bytes.
 *
 * Included by families, by host_memory.h, and by contexts.c and team.c, which begin and end with it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_MEMORY_H
#define FIM_MEMORY_H

#include "device.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Has the device's allocations come from a pool where that is supported, for its context's life. */
extern cudaError_t GpuOpenPool(GpuDevice *device);

/* Sets what the next job may take: the given limit, or what is free if that is less or the limit 0. */
extern cudaError_t GpuBeginMemory(GpuDevice *device, uint64_t limit);

/* Gives back what the job holds, for which no stream may have work any more. */
extern void GpuEndMemory(GpuDevice *device);

/* What is free on the device, what its pool keeps included. */
extern cudaError_t GpuUnused(const GpuDevice *device, uint64_t *bytes);

/* What the device's pool keeps and no job uses: taking that takes no time. */
extern cudaError_t GpuKept(const GpuDevice *device, uint64_t *bytes);

/*
 * Takes memory.  *address becomes NULL, and that is no error, if the limit or the
 * device does not have so much.  GpuTakeMemory() does not record errors.
 */
extern cudaError_t GpuTakeMemory(GpuDevice *device, size_t bytes, void **address);
extern cudaError_t GpuTryAlloc(GpuDevice *device, size_t bytes, const char *what, void **address);

/* Takes memory.  To have too little of it is an error. */
extern cudaError_t GpuAlloc(GpuDevice *device, size_t bytes, const char *what, void **address);

/* One of several arrays: where its address goes, and its size, which may be 0. */
typedef struct GpuArray
{
	void	  **address;
	size_t		bytes;
} GpuArray;

/*
 * Takes memory for n arrays at once, which is quicker than for one after the other.
 * Giving back the first one gives back all of them.
 */
extern cudaError_t GpuAllocArrays(GpuDevice *device, const GpuArray *arrays, int n, const char *what);

/* The memory that they take. */
extern uint64_t GpuArraysBytes(const GpuArray *arrays, int n);

/* Sets their addresses to places in a block of so much memory, on a device or the host. */
extern void GpuPlaceArrays(const GpuArray *arrays, int n, void *block);

/*
 * Gives memory back, or nothing if the address is NULL.  What the counting stream has been given
 * may use it still; no other stream may.
 */
extern cudaError_t GpuFree(GpuDevice *device, void *address);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_MEMORY_H */

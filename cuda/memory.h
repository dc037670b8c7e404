/*-------------------------------------------------------------------------
 *
 * memory.h
 *	  Device memory of the job under way.
 *
 * The memory that a job takes is kept in a list of its device, so that all of it can be given
 * back however the job ends: see GpuReleaseAll().  A job takes no more of a device than the
 * device's limit, which GpuBeginMemory() sets; GpuRoom() says how much of the limit is left.
 * All sizes are in bytes.
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

/* Makes the device allocate from a pool as long as its context lives, if it supports pools. */
extern cudaError_t GpuOpenPool(GpuDevice *device);

/* Sets how much the next job may take: the limit, or, if that is 0 or too high, nearly all that is free. */
extern cudaError_t GpuBeginMemory(GpuDevice *device, uint64_t limit);

/* Gives back what the job holds.  No stream may have work left that uses it. */
extern void GpuEndMemory(GpuDevice *device);

/* Sets *bytes to what is free on the device, including what its pool keeps. */
extern cudaError_t GpuUnused(const GpuDevice *device, uint64_t *bytes);

/* Sets *bytes to what the device's pool keeps and no job uses.  Taking that memory takes no time. */
extern cudaError_t GpuKept(const GpuDevice *device, uint64_t *bytes);

/*
 * Takes memory.  If the limit or the device does not have enough, *address becomes NULL, which
 * is no error.  GpuTryAlloc() records other errors, GpuTakeMemory() does not.
 */
extern cudaError_t GpuTakeMemory(GpuDevice *device, size_t bytes, void **address);
extern cudaError_t GpuTryAlloc(GpuDevice *device, size_t bytes, const char *what, void **address);

/* Takes memory.  If the limit or the device does not have enough, that is recorded as a fault. */
extern cudaError_t GpuAlloc(GpuDevice *device, size_t bytes, const char *what, void **address);

/* One of several arrays: where its address goes, and its size, which may be 0. */
typedef struct GpuArray
{
	void	  **address;
	size_t		bytes;
} GpuArray;

/*
 * Takes memory for n arrays at once, as GpuAlloc() does, which is quicker than taking it for
 * one after the other.  Giving back the first array gives back all of them.
 */
extern cudaError_t GpuAllocArrays(GpuDevice *device, const GpuArray *arrays, int n, const char *what);

/* The bytes that n arrays take together. */
extern uint64_t GpuArraysBytes(const GpuArray *arrays, int n);

/* Sets the arrays' addresses to places in a block of GpuArraysBytes() bytes, on a device or the host. */
extern void GpuPlaceArrays(const GpuArray *arrays, int n, void *block);

/*
 * Gives memory back, or does nothing if the address is NULL.  Work that the counting stream has
 * been given may still use the memory; no other stream may have such work.
 */
extern cudaError_t GpuFree(GpuDevice *device, void *address);

/*
 * Whether a device can be let copy from another one's memory directly, which takes a tenth of the time that it
 * takes by way of the host; and letting it, which holds for all jobs to come.
 */
extern cudaError_t GpuCanReach(const GpuDevice *device, GpuDevice *other, bool *can);
extern cudaError_t GpuLetReach(const GpuDevice *device, GpuDevice *other);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_MEMORY_H */

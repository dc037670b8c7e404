/*-------------------------------------------------------------------------
 *
 * memory.c
 *	  Device memory of the job under way, see device.h.
 *
 *-------------------------------------------------------------------------
 */
#include <stdlib.h>

#include "device.h"
#include "team.h"

/*
 * A device's pool keeps up to one part in KEPT_PART of the device's memory between jobs, until
 * the worker has been idle for long.  Taking a GB costs 2 ms on an H200, and giving it back
 * costs time, too.
 */
#define KEPT_PART		4

/*
 * Whatever its limit is, a job leaves to others one part in SPARE_PART of what is free, and
 * SPARE_MEMORY bytes; or half of what is free, if that does not suffice.
 */
#define SPARE_PART		32
#define SPARE_MEMORY	(UINT64_C(64) << 20)

/* The driver gives out memory in multiples of this number of bytes. */
#define GRAIN			512

struct GpuMemory
{
	GpuMemory  *next;
	void	   *address;
	size_t		size;
};

/* ---- how much there is ---- */

cudaError_t
GpuOpenPool(GpuDevice *device)
{
	const char *what = "making a memory pool";
	int			supported;
	cudaMemPool_t pool;
	uint64_t	kept;
	size_t		free_bytes;
	size_t		total;

	GPU_TRY(GpuCheck(device, cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported,
													device->number), "asking what a device is"));
	device->pools = supported != 0;
	if (!device->pools)
		return cudaSuccess;
	GPU_TRY(GpuCheck(device, cudaMemGetInfo(&free_bytes, &total), what));
	kept = total / KEPT_PART;
	GPU_TRY(GpuCheck(device, cudaDeviceGetDefaultMemPool(&pool, device->number), what));
	return GpuCheck(device, cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept), what);
}

cudaError_t
GpuKept(const GpuDevice *device, uint64_t *bytes)
{
	const char *what = "asking for free memory";
	uint64_t	reserved = 0;
	uint64_t	used = 0;
	cudaMemPool_t pool;

	*bytes = 0;
	if (!device->pools)
		return cudaSuccess;
	GPU_TRY(GpuCheck(device, cudaDeviceGetDefaultMemPool(&pool, device->number), what));
	GPU_TRY(GpuCheck(device, cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved),
					 what));
	GPU_TRY(GpuCheck(device, cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), what));
	*bytes = reserved - used;
	return cudaSuccess;
}

cudaError_t
GpuUnused(const GpuDevice *device, uint64_t *bytes)
{
	uint64_t	kept;
	size_t		free_bytes;
	size_t		total;

	GPU_TRY(GpuCheck(device, cudaMemGetInfo(&free_bytes, &total), "asking for free memory"));
	GPU_TRY(GpuKept(device, &kept));
	*bytes = free_bytes + kept;
	return cudaSuccess;
}

cudaError_t
GpuBeginMemory(GpuDevice *device, uint64_t limit)
{
	uint64_t	bytes;
	uint64_t	spare;

	GPU_TRY(GpuUnused(device, &bytes));
	spare = bytes / SPARE_PART + SPARE_MEMORY;
	device->limit = bytes > spare ? bytes - spare : bytes / 2;
	if (limit != 0 && limit < device->limit)
		device->limit = limit;
	device->used = device->peak = 0;
	return cudaSuccess;
}

/* ---- memory of other devices ---- */

cudaError_t
GpuCanReach(const GpuDevice *device, GpuDevice *other, bool *can)
{
	int			supported;

	GPU_TRY(GpuCheck(other, cudaDeviceCanAccessPeer(&supported, device->number, other->number),
					 "asking what a device can reach"));
	*can = supported != 0 && other->pools;
	return cudaSuccess;
}

cudaError_t
GpuLetReach(const GpuDevice *device, GpuDevice *other)
{
	const char *what = "letting a device reach another one's memory";
	struct cudaMemAccessDesc access = {.location = {.type = cudaMemLocationTypeDevice,.id = device->number},
	.flags = cudaMemAccessFlagsProtReadWrite};
	cudaMemPool_t pool;

	GPU_TRY(GpuCheck(other, cudaDeviceGetDefaultMemPool(&pool, other->number), what));
	return GpuCheck(other, cudaMemPoolSetAccess(pool, &access, 1), what);
}

/* ---- taking memory and giving it back ---- */

static void
FreeBytes(GpuDevice *device, void *address)
{
	if (device->pools)
		cudaFreeAsync(address, device->streams[GPU_COUNT]);
	else
		cudaFree(address);
}

static cudaError_t
AllocBytes(GpuDevice *device, void **address, size_t bytes)
{
	cudaError_t error;

	if (GpuFailsAllocation())
		return cudaErrorMemoryAllocation;
	if (!device->pools)
		return cudaMalloc(address, bytes);
	GPU_TRY(cudaMallocAsync(address, bytes, device->streams[GPU_COUNT]));
	/* the other streams wait for this, so they may use the memory at once; the host does not wait */
	error = GpuAllFollow(device, GPU_COUNT, "taking memory");
	if (error != cudaSuccess)
		FreeBytes(device, *address);
	return error;
}

static void
KeepMemory(GpuDevice *device, GpuMemory *memory, void *address, size_t bytes)
{
	memory->address = address;
	memory->size = bytes;
	memory->next = device->memory;
	device->memory = memory;
	device->used += bytes;
	device->peak = GpuGreater(device->peak, device->used);
}

/* The bytes that the driver gives out if "bytes" are asked for. */
static size_t
WholeGrains(size_t bytes)
{
	return (bytes + GRAIN - 1) / GRAIN * GRAIN;
}

cudaError_t
GpuTakeMemory(GpuDevice *device, size_t bytes, void **address)
{
	GpuMemory  *memory;
	cudaError_t error;

	*address = NULL;
	/*
	 * The job is charged for what the driver gives out, so that the figures are honest.  For 0
	 * bytes the driver returns no address, which would look like a lack of memory.
	 */
	bytes = WholeGrains(GpuGreater(bytes, 1));
	if (bytes > GpuRoom(device))
		return cudaSuccess;
	GPU_TRY(cudaSetDevice(device->number));
	memory = (GpuMemory *) malloc(sizeof(GpuMemory));
	if (memory == NULL)
		return cudaSuccess;
	error = AllocBytes(device, address, bytes);
	if (error == cudaSuccess)
	{
		KeepMemory(device, memory, *address, bytes);
		return cudaSuccess;
	}
	free(memory);
	*address = NULL;
	if (error != cudaErrorMemoryAllocation)
		return error;
	(void) cudaGetLastError();
	return cudaSuccess;
}

cudaError_t
GpuTryAlloc(GpuDevice *device, size_t bytes, const char *what, void **address)
{
	return GpuCheck(device, GpuTakeMemory(device, bytes, address), what);
}

cudaError_t
GpuAlloc(GpuDevice *device, size_t bytes, const char *what, void **address)
{
	GPU_TRY(GpuTryAlloc(device, bytes, what, address));
	return *address != NULL ? cudaSuccess : GpuOutOfMemory(device, bytes, what);
}

uint64_t
GpuArraysBytes(const GpuArray *arrays, int n)
{
	uint64_t	bytes = 0;

	for (int i = 0; i < n; i++)
		bytes += WholeGrains(arrays[i].bytes);
	return bytes;
}

void
GpuPlaceArrays(const GpuArray *arrays, int n, void *memory)
{
	char	   *at = (char *) memory;

	for (int i = 0; i < n; i++)
	{
		*arrays[i].address = at;
		at += WholeGrains(arrays[i].bytes);
	}
}

cudaError_t
GpuAllocArrays(GpuDevice *device, const GpuArray *arrays, int n, const char *what)
{
	void	   *memory;

	GPU_TRY(GpuAlloc(device, GpuArraysBytes(arrays, n), what, &memory));
	GpuPlaceArrays(arrays, n, memory);
	return cudaSuccess;
}

cudaError_t
GpuFree(GpuDevice *device, void *address)
{
	GpuMemory **link = &device->memory;
	GpuMemory  *memory;
	cudaError_t error;

	if (address == NULL)
		return cudaSuccess;
	while ((*link)->address != address)
		link = &(*link)->next;
	memory = *link;
	*link = memory->next;
	device->used -= memory->size;
	free(memory);
	error = GpuUse(device, "freeing memory");
	FreeBytes(device, address);
	return error;
}

void
GpuEndMemory(GpuDevice *device)
{
	while (device->memory != NULL)
	{
		GpuMemory  *memory = device->memory;

		device->memory = memory->next;
		if (!GpuIsDead())
			FreeBytes(device, memory->address);
		free(memory);
	}
	device->used = 0;
}

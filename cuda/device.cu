/*-------------------------------------------------------------------------
 *
 * device.cu
 *	  Devices: contexts, memory, and what goes wrong with them.
 *
 * Contexts are made in GpuOpen(), never when the library is loaded, and stay
 * until GpuCloseAll().  The streams, events and the pinned ring of a device live
 * as long as its context, the buffer that devices share as long as all; all else
 * belongs to the job.
 *
 *-------------------------------------------------------------------------
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "device.h"

/*
 * What part of a device's memory its pool keeps between jobs, until the worker has been
 * idle for long.  Taking a GB costs 2 ms on an H200, and giving it back some, too.
 */
#define KEPT_PART		4

/* Left to others when a job has no limit: part of what is free, and a constant. */
#define SPARE_PART		32
#define SPARE_MEMORY	(UINT64_C(64) << 20)

#define POLL_MS			1.0

struct GpuMemory
{
	GpuMemory  *next;
	void	   *address;
	size_t		size;
};

/* Before each block that the host gave; keeps what follows aligned to 16. */
struct GpuHostBlock
{
	GpuHostBlock *next;
	GpuHostBlock *previous;
};

jmp_buf		gpu_leave;

static GpuDevice gpu_devices[FIM_GPU_MAX_DEVICES];
static FimGpuFault gpu_fault;
static FimGpuInjection gpu_inject;
static bool gpu_dead;			/* after a sticky fault */

/* ---- ways out ---- */

/*
 * Does the context outlive the error?  What is not known to be harmless is not:
 * a process that ends without need is only slow.
 */
static bool
IsHarmless(cudaError_t error)
{
	switch (error)
	{
		case cudaErrorMemoryAllocation:
		case cudaErrorInvalidValue:
		case cudaErrorInvalidConfiguration:
		case cudaErrorInvalidDevice:
		case cudaErrorInvalidDeviceFunction:
		case cudaErrorInvalidResourceHandle:
		case cudaErrorLaunchOutOfResources:
		case cudaErrorNoKernelImageForDevice:
		case cudaErrorUnsupportedPtxVersion:
		case cudaErrorNotSupported:
		case cudaErrorNotReady:
		case cudaErrorNoDevice:
		case cudaErrorInsufficientDriver:
		case cudaErrorSystemDriverMismatch:
			return true;
		default:
			return false;
	}
}

static void
SetFault(const GpuDevice *device, cudaError_t error, const char *what)
{
	memset(&gpu_fault, 0, sizeof(gpu_fault));
	snprintf(gpu_fault.error, sizeof(gpu_fault.error), "%s", cudaGetErrorName(error));
	snprintf(gpu_fault.what, sizeof(gpu_fault.what), "%s", what);
	gpu_fault.device = device != NULL ? device->number : -1;
	gpu_fault.sticky = !IsHarmless(error);
	gpu_dead |= gpu_fault.sticky;
	/* what is not sticky is forgotten by asking for it */
	(void) cudaGetLastError();
}

void
GpuFail(const GpuDevice *device, cudaError_t error, const char *what)
{
	SetFault(device, error, what);
	GpuLeave(FIM_DEVICE_FAULT);
}

void
GpuOutOfMemory(const GpuDevice *device, uint64_t needed, const char *what)
{
	SetFault(device, cudaErrorMemoryAllocation, what);
	gpu_fault.out_of_memory = true;
	gpu_fault.needed = needed;
	gpu_fault.free = GpuRoom(device);
	GpuLeave(FIM_DEVICE_FAULT);
}

void
GpuLeave(FimResult result)
{
	longjmp(gpu_leave, (int) result);
}

void
GpuInject(const FimGpuInjection *inject)
{
	gpu_inject = *inject;
}

const FimGpuFault *
GpuFault(void)
{
	return &gpu_fault;
}

bool
GpuIsDead(void)
{
	return gpu_dead;
}

void
GpuClearFault(void)
{
	memset(&gpu_fault, 0, sizeof(gpu_fault));
}

/*
 * Is it this call's turn to fail?  A negative number fails all later ones, too.  Each
 * device of a job may have its own thread.
 */
static bool
FailsNow(int *countdown)
{
	int			left = __atomic_load_n(countdown, __ATOMIC_RELAXED);

	do
	{
		if (left == 0 || left == -1)
			return left < 0;
	} while (!__atomic_compare_exchange_n(countdown, &left, left > 0 ? left - 1 : left + 1, false,
										  __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return left == 1;
}

cudaError_t
GpuLaunchError(void)
{
	cudaError_t error = cudaGetLastError();

	if (error == cudaSuccess && FailsNow(&gpu_inject.launch))
		error = cudaErrorLaunchFailure;
	return error;
}

/* To be asked when the device is waited for. */
bool
GpuLosesDevice(void)
{
	return FailsNow(&gpu_inject.device);
}

static bool
IsStopped(GpuJob *job)
{
	job->last_poll = Milliseconds();
	job->work = 0;
	return __atomic_load_n(&job->shared->cancel, __ATOMIC_RELAXED) || job->host->poll(job->host);
}

void
GpuPoll(GpuJob *job)
{
	if (IsStopped(job))
		GpuLeave(FIM_STOPPED);
}

bool
GpuMustStop(GpuJob *job)
{
	return Milliseconds() - job->last_poll > POLL_MS && IsStopped(job);
}

/* ---- devices ---- */

int
GpuCountDevices(void)
{
	int			n = 0;
	cudaError_t error = cudaGetDeviceCount(&n);

	if (error == cudaErrorNoDevice)
	{
		(void) cudaGetLastError();
		return 0;
	}
	GpuCheck(NULL, error, "looking for devices");
	return n < FIM_GPU_MAX_DEVICES ? n : FIM_GPU_MAX_DEVICES;
}

/* What the pool has that no job uses: taking it takes no time. */
uint64_t
GpuKept(const GpuDevice *device)
{
	const char *what = "asking for free memory";
	uint64_t	reserved = 0;
	uint64_t	used = 0;
	cudaMemPool_t pool;

	if (!device->pools)
		return 0;
	GpuCheck(device, cudaDeviceGetDefaultMemPool(&pool, device->number), what);
	GpuCheck(device, cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved), what);
	GpuCheck(device, cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), what);
	return reserved - used;
}

/* What is free, and what the pool keeps. */
static uint64_t
UnusedMemory(const GpuDevice *device)
{
	size_t		free_bytes;
	size_t		total;

	GpuCheck(device, cudaMemGetInfo(&free_bytes, &total), "asking for free memory");
	return free_bytes + GpuKept(device);
}

void
GpuDescribe(int number, FimGpuDevice *to)
{
	cudaDeviceProp properties;

	memset(to, 0, sizeof(FimGpuDevice));
	to->device = number;
	GpuCheck(NULL, cudaGetDeviceProperties(&properties, number), "asking what a device is");
	snprintf(to->name, sizeof(to->name), "%.*s", FIM_GPU_NAME_SIZE - 1, properties.name);
	to->major = properties.major;
	to->minor = properties.minor;
	to->multiprocessors = properties.multiProcessorCount;
	to->memory = properties.totalGlobalMem;
	if (gpu_devices[number].open)
	{
		GpuCheck(&gpu_devices[number], cudaSetDevice(number), "choosing a device");
		to->free = UnusedMemory(&gpu_devices[number]);
	}
}

static int
Attribute(const GpuDevice *device, enum cudaDeviceAttr attribute)
{
	int			value;

	GpuCheck(device, cudaDeviceGetAttribute(&value, attribute, device->number),
			 "asking what a device is");
	return value;
}

static void
OpenPool(GpuDevice *device)
{
	cudaMemPool_t pool;
	uint64_t	kept;
	size_t		free_bytes;
	size_t		total;

	device->pools = Attribute(device, cudaDevAttrMemoryPoolsSupported) != 0;
	if (!device->pools)
		return;
	GpuCheck(device, cudaMemGetInfo(&free_bytes, &total), "making a memory pool");
	kept = total / KEPT_PART;
	GpuCheck(device, cudaDeviceGetDefaultMemPool(&pool, device->number), "making a memory pool");
	GpuCheck(device, cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept),
			 "making a memory pool");
}

static void
OpenTimers(GpuDevice *device)
{
	for (int i = 0; i < GPU_TIMERS; i++)
	{
		GpuCheck(device, cudaEventCreate(&device->timers[i].begin), "creating events");
		GpuCheck(device, cudaEventCreate(&device->timers[i].end), "creating events");
	}
}

/* Make the device's context and what lives as long. */
static void
GpuOpen(int number)
{
	GpuDevice  *device = &gpu_devices[number];

	if (device->open)
		return;
	memset(device, 0, sizeof(GpuDevice));
	device->number = number;
	GpuCheck(device, cudaSetDevice(number), "creating a context");
	device->processors = Attribute(device, cudaDevAttrMultiProcessorCount);
	device->l2_size = (size_t) Attribute(device, cudaDevAttrL2CacheSize);
	OpenPool(device);
	for (int i = 0; i < GPU_STREAMS; i++)
	{
		GpuCheck(device, cudaStreamCreateWithFlags(&device->streams[i], cudaStreamNonBlocking),
				 "creating streams");
		GpuCheck(device, cudaEventCreateWithFlags(&device->reached[i], cudaEventDisableTiming),
				 "creating events");
	}
	for (int i = 0; i < GPU_PIECES; i++)
		GpuCheck(device, cudaEventCreateWithFlags(&device->copied[i], cudaEventDisableTiming),
				 "creating events");
	for (int i = 0; i < 2; i++)
	{
		GpuCheck(device, cudaEventCreateWithFlags(&device->used_slot[i], cudaEventDisableTiming),
				 "creating events");
		GpuCheck(device, cudaEventCreateWithFlags(&device->loaded_slot[i], cudaEventDisableTiming),
				 "creating events");
	}
	for (int i = 0; i < 2 * GPU_STREAMS; i++)
		GpuCheck(device, cudaEventCreateWithFlags(&device->shared_copied[i % 2][i / 2],
												  cudaEventDisableTiming), "creating events");
	OpenTimers(device);
	GpuCheck(device, cudaHostAlloc((void **) &device->ring, GPU_PIECES * GPU_PIECE, cudaHostAllocDefault),
			 "allocating pinned memory");
	device->open = true;
}

/* The context goes, and with it all that lives in it. */
void
GpuCloseAll(void)
{
	if (!gpu_dead)
		GpuFreeShared();
	for (int i = 0; i < FIM_GPU_MAX_DEVICES; i++)
	{
		GpuDevice  *device = &gpu_devices[i];

		if (!device->open)
			continue;
		device->open = false;
		if (gpu_dead || cudaSetDevice(i) != cudaSuccess)
			continue;
		cudaFreeHost(device->ring);
		cudaDeviceReset();
	}
}

/* What a job without a limit may use. */
static uint64_t
FreeMemory(const GpuDevice *device)
{
	uint64_t	bytes = UnusedMemory(device);
	uint64_t	spare = bytes / SPARE_PART + SPARE_MEMORY;

	return bytes > spare ? bytes - spare : bytes / 2;
}

/* The i-th device of the options; those that are not named are all there are. */
static int
NumberOf(const FimGpuOptions *options, int i)
{
	return options->ndevices > 0 ? options->devices[i] : i;
}

/* Opens the devices of the options; returns how many. */
int
GpuOpenAll(const FimGpuOptions *options)
{
	int			there = GpuCountDevices();
	int			n = options->ndevices > 0 ? options->ndevices : there;

	if (n == 0)
		GpuFail(NULL, cudaErrorNoDevice, "looking for devices");
	for (int i = 0; i < n; i++)
	{
		if (NumberOf(options, i) < 0 || NumberOf(options, i) >= there)
			GpuFail(NULL, cudaErrorInvalidDevice, "choosing a device");
		GpuOpen(NumberOf(options, i));
	}
	GpuOpenShared(&gpu_devices[NumberOf(options, n - 1)]);
	return n;
}

/* The job gets the devices of the options. */
void
GpuStartJob(GpuJob *job, const FimGpuOptions *options)
{
	int			n = GpuOpenAll(options);

	job->ndevices = 0;
	for (int i = 0; i < n; i++)
	{
		GpuDevice  *device = &gpu_devices[NumberOf(options, i)];

		GpuCheck(device, cudaSetDevice(device->number), "choosing a device");
		device->limit = FreeMemory(device);
		if (options->memory_limit != 0 && options->memory_limit < device->limit)
			device->limit = options->memory_limit;
		device->used = device->peak = 0;
		device->pace = device->launched = 0;
		memset(device->ms, 0, sizeof(device->ms));
		memset(device->amount, 0, sizeof(device->amount));
		job->devices[job->ndevices++] = device;
	}
}

/* ---- device memory ---- */

uint64_t
GpuRoom(const GpuDevice *device)
{
	return device->limit > device->used ? device->limit - device->used : 0;
}

/* The least that any of the job's devices has. */
uint64_t
GpuLeastRoom(const GpuJob *job)
{
	uint64_t	room = UINT64_MAX;

	for (int d = 0; d < job->ndevices; d++)
		room = GpuLesser(room, GpuRoom(job->devices[d]));
	return room;
}

static cudaError_t
AllocBytes(GpuDevice *device, void **address, size_t bytes)
{
	cudaError_t error;

	if (FailsNow(&gpu_inject.allocation))
		return cudaErrorMemoryAllocation;
	if (!device->pools)
		return cudaMalloc(address, bytes);
	error = cudaMallocAsync(address, bytes, device->streams[GPU_COUNT]);
	/* other streams may use it at once */
	if (error == cudaSuccess)
		error = cudaStreamSynchronize(device->streams[GPU_COUNT]);
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
	if (device->used > device->peak)
		device->peak = device->used;
}

/* Never leaves.  *address is NULL if the job's limit or the device does not have so much. */
cudaError_t
GpuTake(GpuDevice *device, size_t bytes, void **address)
{
	GpuMemory  *memory;
	cudaError_t error;

	*address = NULL;
	/* in the units that the driver gives out, so that the figures are honest */
	bytes = (bytes + 511) / 512 * 512;
	if (bytes > GpuRoom(device))
		return cudaSuccess;
	error = cudaSetDevice(device->number);
	if (error != cudaSuccess)
		return error;
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

/* NULL if the job's limit or the device does not have so much. */
void *
GpuTryAlloc(GpuDevice *device, size_t bytes, const char *what)
{
	void	   *address;

	GpuCheck(device, GpuTake(device, bytes, &address), what);
	return address;
}

void *
GpuAlloc(GpuDevice *device, size_t bytes, const char *what)
{
	void	   *address = GpuTryAlloc(device, bytes, what);

	if (address == NULL)
		GpuOutOfMemory(device, bytes, what);
	return address;
}

static void
FreeBytes(GpuDevice *device, void *address)
{
	if (device->pools)
		cudaFreeAsync(address, device->streams[GPU_COUNT]);
	else
		cudaFree(address);
}

/* The caller has seen to it that no stream uses it any more. */
void
GpuFree(GpuDevice *device, void *address)
{
	GpuMemory **link = &device->memory;
	GpuMemory  *memory;

	if (address == NULL)
		return;
	while ((*link)->address != address)
		link = &(*link)->next;
	memory = *link;
	*link = memory->next;
	device->used -= memory->size;
	GpuCheck(device, cudaSetDevice(device->number), "freeing memory");
	FreeBytes(device, address);
	free(memory);
}

/* ---- host memory ---- */

void *
GpuHostAlloc(GpuJob *job, size_t bytes)
{
	GpuHostBlock *block = NULL;

	if (bytes < SIZE_MAX - sizeof(GpuHostBlock))
		block = (GpuHostBlock *) job->host->alloc(job->host, bytes + sizeof(GpuHostBlock));
	if (block == NULL)
		GpuLeave(FIM_OUT_OF_MEMORY);
	block->next = job->blocks;
	block->previous = NULL;
	if (block->next != NULL)
		block->next->previous = block;
	job->blocks = block;
	return block + 1;
}

void
GpuHostFree(GpuJob *job, void *address)
{
	GpuHostBlock *block;

	if (address == NULL)
		return;
	block = (GpuHostBlock *) address - 1;
	if (block->previous != NULL)
		block->previous->next = block->next;
	else
		job->blocks = block->next;
	if (block->next != NULL)
		block->next->previous = block->previous;
	job->host->free(job->host, block);
}

/* An array of elements of a size with room for at least as many as needed. */
void *
GpuHostGrow(GpuJob *job, void *address, uint64_t used, uint64_t needed, uint64_t *room,
			size_t size)
{
	void	   *grown;

	if (needed <= *room)
		return address;
	*room = GpuGreater(needed, *room * 2);
	*room = GpuGreater(*room, 64);
	grown = GpuHostAlloc(job, *room * size);
	if (used > 0)
		memcpy(grown, address, used * size);
	GpuHostFree(job, address);
	return grown;
}

/* ---- the end of a job ---- */

static void
EndOnDevice(GpuDevice *device)
{
	if (!gpu_dead)
		cudaSetDevice(device->number);
	for (int i = 0; i < GPU_STREAMS && !gpu_dead; i++)
		cudaStreamSynchronize(device->streams[i]);
	GpuEndTimers(device);
	while (device->memory != NULL)
	{
		GpuMemory  *memory = device->memory;

		device->memory = memory->next;
		if (!gpu_dead)
			FreeBytes(device, memory->address);
		free(memory);
	}
	device->used = 0;
	if (!gpu_dead)
		cudaStreamSynchronize(device->streams[GPU_COUNT]);
}

/*
 * Give back what jobs hold on the devices.  What fails here does so since the
 * device is lost, and that was or will be said elsewhere.
 */
void
GpuRelease(void)
{
	for (int i = 0; i < FIM_GPU_MAX_DEVICES; i++)
		if (gpu_devices[i].open)
			EndOnDevice(&gpu_devices[i]);
}

/* Give back all that the job holds, whichever way it ended. */
void
GpuEndJob(GpuJob *job)
{
	GpuRelease();
	while (job->blocks != NULL)
	{
		GpuHostBlock *block = job->blocks;

		job->blocks = block->next;
		job->host->free(job->host, block);
	}
}

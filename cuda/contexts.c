/*-------------------------------------------------------------------------
 *
 * contexts.c
 *	  The contexts of this process on its devices, see device.h.
 *
 * Contexts are made by GpuOpenAll(), never when the library is loaded: a context
 * does not survive a fork.
 *
 *-------------------------------------------------------------------------
 */
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "team.h"

static GpuDevice gpu_devices[FIM_GPU_MAX_DEVICES];

/* ---- the devices of the machine ---- */

cudaError_t
GpuCountDevices(int *n)
{
	cudaError_t error = cudaGetDeviceCount(n);

	if (error == cudaErrorNoDevice)
	{
		(void) cudaGetLastError();
		*n = 0;
		return cudaSuccess;
	}
	GPU_TRY(GpuCheck(NULL, error, "looking for devices"));
	if (*n > FIM_GPU_MAX_DEVICES)
		*n = FIM_GPU_MAX_DEVICES;
	return cudaSuccess;
}

cudaError_t
GpuDescribe(int number, FimGpuDevice *to)
{
	const GpuDevice *device = &gpu_devices[number];
	struct cudaDeviceProp properties;

	memset(to, 0, sizeof(FimGpuDevice));
	to->device = number;
	GPU_TRY(GpuCheck(NULL, cudaGetDeviceProperties(&properties, number), "asking what a device is"));
	snprintf(to->name, sizeof(to->name), "%.*s", FIM_GPU_NAME_SIZE - 1, properties.name);
	to->major = properties.major;
	to->minor = properties.minor;
	to->multiprocessors = properties.multiProcessorCount;
	to->memory = properties.totalGlobalMem;
	if (!device->open)
		return cudaSuccess;
	GPU_TRY(GpuUse(device, "choosing a device"));
	return GpuUnused(device, &to->free);
}

/* ---- contexts ---- */

static cudaError_t
OpenEvents(const GpuDevice *device, cudaEvent_t *events, int n)
{
	for (int i = 0; i < n; i++)
		GPU_TRY(GpuCheck(device, cudaEventCreateWithFlags(&events[i], cudaEventDisableTiming),
						 "creating events"));
	return cudaSuccess;
}

static cudaError_t
OpenTimers(GpuDevice *device)
{
	for (int i = 0; i < GPU_TIMERS; i++)
	{
		GPU_TRY(GpuCheck(device, cudaEventCreate(&device->timers[i].begin), "creating events"));
		GPU_TRY(GpuCheck(device, cudaEventCreate(&device->timers[i].end), "creating events"));
	}
	return cudaSuccess;
}

static cudaError_t
OpenStreams(GpuDevice *device)
{
	for (int i = 0; i < GPU_STREAMS; i++)
		GPU_TRY(GpuCheck(device, cudaStreamCreateWithFlags(&device->streams[i], cudaStreamNonBlocking),
						 "creating streams"));
	GPU_TRY(OpenEvents(device, device->reached, GPU_STREAMS));
	GPU_TRY(OpenEvents(device, device->events, GPU_EVENTS));
	GPU_TRY(OpenEvents(device, device->copied, GPU_QUARTERS));
	GPU_TRY(OpenEvents(device, device->shared_copied[0], 2 * GPU_STREAMS));
	return OpenTimers(device);
}

static cudaError_t
Attribute(const GpuDevice *device, enum cudaDeviceAttr attribute, int *value)
{
	return GpuCheck(device, cudaDeviceGetAttribute(value, attribute, device->number),
					"asking what a device is");
}

/* Make the device's context and everything that lives as long as the context. */
static cudaError_t
OpenContext(int number)
{
	GpuDevice  *device = &gpu_devices[number];
	int			l2_size;

	if (device->open)
		return cudaSuccess;
	memset(device, 0, sizeof(GpuDevice));
	device->number = number;
	GPU_TRY(GpuUse(device, "creating a context"));
	GPU_TRY(Attribute(device, cudaDevAttrMultiProcessorCount, &device->processors));
	GPU_TRY(Attribute(device, cudaDevAttrL2CacheSize, &l2_size));
	device->l2_size = (size_t) l2_size;
	GPU_TRY(GpuOpenPool(device));
	GPU_TRY(OpenStreams(device));
	GPU_TRY(GpuOpenRing(device));
	device->open = true;
	return cudaSuccess;
}

/* The number of the options' i-th device. */
static int
NumberOf(const FimGpuOptions *options, int i)
{
	return options->ndevices > 0 ? options->devices[i] : i;
}

GpuDevice *
GpuDeviceOf(const FimGpuOptions *options, int i)
{
	return &gpu_devices[NumberOf(options, i)];
}

cudaError_t
GpuOpenAll(const FimGpuOptions *options, int *n)
{
	int			there;

	GPU_TRY(GpuCountDevices(&there));
	*n = options->ndevices > 0 ? options->ndevices : there;
	if (*n == 0)
		return GpuCheck(NULL, cudaErrorNoDevice, "looking for devices");
	for (int i = 0; i < *n; i++)
	{
		if (NumberOf(options, i) < 0 || NumberOf(options, i) >= there)
			return GpuCheck(NULL, cudaErrorInvalidDevice, "choosing a device");
		GPU_TRY(OpenContext(NumberOf(options, i)));
	}
	return GpuOpenShared(GpuDeviceOf(options, *n - 1));
}

void
GpuCloseAll(void)
{
	HostThreadsEnd();
	if (!GpuIsDead())
		GpuCloseShared();
	for (int i = 0; i < FIM_GPU_MAX_DEVICES; i++)
	{
		GpuDevice  *device = &gpu_devices[i];

		if (!device->open)
			continue;
		device->open = false;
		if (GpuIsDead() || cudaSetDevice(i) != cudaSuccess)
			continue;
		GpuCloseRing(device);
		cudaDeviceReset();
	}
}

/* ---- the end of a job ---- */

static void
EndJobOn(GpuDevice *device)
{
	bool		dead = GpuIsDead();

	if (!dead)
		cudaSetDevice(device->number);
	for (int i = 0; i < GPU_STREAMS && !dead; i++)
		cudaStreamSynchronize(device->streams[i]);
	GpuEndTimers(device);
	GpuEndMemory(device);
	if (!dead)
		cudaStreamSynchronize(device->streams[GPU_COUNT]);
}

void
GpuReleaseAll(void)
{
	for (int i = 0; i < FIM_GPU_MAX_DEVICES; i++)
		if (gpu_devices[i].open)
			EndJobOn(&gpu_devices[i]);
}

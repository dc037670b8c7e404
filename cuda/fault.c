/*-------------------------------------------------------------------------
 *
 * fault.c
 *	  What went wrong on a device, and whether the job under way is to stop.
 *
 *-------------------------------------------------------------------------
 */
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "team.h"

static FimGpuFault gpu_fault;
static FimGpuInjection gpu_inject;
static bool gpu_dead;			/* there was a sticky error */

/* ---- the fault ---- */

/*
 * Whether the context outlives the error.  Errors that are not known to be harmless count as
 * sticky: to end the process without need costs nothing but time.
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
		case cudaErrorSharedObjectInitFailed:
		case cudaErrorSharedObjectSymbolNotFound:
		case cudaErrorSystemDriverMismatch:
			return true;
		default:
			return false;
	}
}

static void
Record(const GpuDevice *device, cudaError_t error, const char *what)
{
	memset(&gpu_fault, 0, sizeof(gpu_fault));
	snprintf(gpu_fault.error, sizeof(gpu_fault.error), "%s", cudaGetErrorName(error));
	snprintf(gpu_fault.what, sizeof(gpu_fault.what), "%s", what);
	gpu_fault.device = device != NULL ? device->number : -1;
	gpu_fault.sticky = !IsHarmless(error);
	gpu_dead |= gpu_fault.sticky;
	/* when CUDA is asked for its last error, it forgets it, unless the error is sticky */
	(void) cudaGetLastError();
}

cudaError_t
GpuCheck(const GpuDevice *device, cudaError_t error, const char *what)
{
	if (error == cudaSuccess)
		return cudaSuccess;
	Record(device, error, what);
	return error == GPU_STOPPED ? cudaErrorUnknown : error;
}

cudaError_t
GpuOutOfMemory(const GpuDevice *device, uint64_t needed, const char *what)
{
	Record(device, cudaErrorMemoryAllocation, what);
	gpu_fault.out_of_memory = true;
	gpu_fault.needed = needed;
	gpu_fault.free = GpuRoom(device);
	return cudaErrorMemoryAllocation;
}

cudaError_t
GpuLaunched(const GpuDevice *device, const char *what)
{
	return GpuCheck(device, GpuLaunchError(), what);
}

cudaError_t
GpuUse(const GpuDevice *device, const char *what)
{
	return GpuCheck(device, cudaSetDevice(device->number), what);
}

const FimGpuFault *
GpuFault(void)
{
	return &gpu_fault;
}

void
GpuClearFault(void)
{
	memset(&gpu_fault, 0, sizeof(gpu_fault));
}

bool
GpuIsDead(void)
{
	return gpu_dead;
}

/* ---- injection ---- */

void
GpuInject(const FimGpuInjection *inject)
{
	gpu_inject = *inject;
}

/*
 * Whether it is this call's turn to fail.  A countdown of n makes the n-th call fail, a
 * countdown of -n makes the n-th call and all later ones fail, and with 0 no call fails.  Each
 * device of a job may have a thread of its own, so the countdown is changed atomically.
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

bool
GpuLosesDevice(void)
{
	return FailsNow(&gpu_inject.device);
}

bool
GpuFailsAllocation(void)
{
	return FailsNow(&gpu_inject.allocation);
}

/*
 * Whether the job under way is to stop.
 */

#define POLL_MS			1.0

bool
GpuPoll(GpuTeam *team)
{
	team->last_poll = Milliseconds();
	team->work = 0;
	return FimMustStop(team->shared, team->host);
}

bool
GpuMustStop(GpuTeam *team)
{
	return Milliseconds() - team->last_poll > POLL_MS && GpuPoll(team);
}

/*-------------------------------------------------------------------------
 *
 * fft.c
 *	  Transforms by cuFFT, see papriori.h.
 *
 *-------------------------------------------------------------------------
 */
#include <cufft.h>
#include <dlfcn.h>
#include <stdio.h>

#include "ancestors/papriori/papriori.h"
#include "device.h"

#define NAME_OF(version)	"libcufft.so." TEXT_OF(version)
#define TEXT_OF(version)	#version
#define LIBRARY_NAME		NAME_OF(CUFFT_VER_MAJOR)

/* The library, and the functions of it that are used. */
static struct
{
	void	   *handle;
	__typeof__(&cufftCreate) create;
	__typeof__(&cufftDestroy) destroy;
	__typeof__(&cufftSetAutoAllocation) set_auto_allocation;
	__typeof__(&cufftMakePlanMany64) make_plan;
	__typeof__(&cufftSetStream) set_stream;
	__typeof__(&cufftSetWorkArea) set_work_area;
	__typeof__(&cufftExecD2Z) forward;
	__typeof__(&cufftExecZ2D) inverse;
} cufft;

static bool
FindFunctions(void)
{
	cufft.create = (__typeof__(cufft.create)) dlsym(cufft.handle, "cufftCreate");
	cufft.destroy = (__typeof__(cufft.destroy)) dlsym(cufft.handle, "cufftDestroy");
	cufft.set_auto_allocation = (__typeof__(cufft.set_auto_allocation))
		dlsym(cufft.handle, "cufftSetAutoAllocation");
	cufft.make_plan = (__typeof__(cufft.make_plan)) dlsym(cufft.handle, "cufftMakePlanMany64");
	cufft.set_stream = (__typeof__(cufft.set_stream)) dlsym(cufft.handle, "cufftSetStream");
	cufft.set_work_area = (__typeof__(cufft.set_work_area)) dlsym(cufft.handle, "cufftSetWorkArea");
	cufft.forward = (__typeof__(cufft.forward)) dlsym(cufft.handle, "cufftExecD2Z");
	cufft.inverse = (__typeof__(cufft.inverse)) dlsym(cufft.handle, "cufftExecZ2D");
	return cufft.create != NULL && cufft.destroy != NULL && cufft.set_auto_allocation != NULL &&
		cufft.make_plan != NULL && cufft.set_stream != NULL && cufft.set_work_area != NULL &&
		cufft.forward != NULL && cufft.inverse != NULL;
}

cudaError_t
FftLoad(GpuDevice *device)
{
	const char *what = "loading " LIBRARY_NAME ", which strategy fft needs";

	if (cufft.handle == NULL)
		cufft.handle = dlopen(LIBRARY_NAME, RTLD_NOW | RTLD_LOCAL);
	if (cufft.handle == NULL)
		return GpuCheck(device, cudaErrorSharedObjectInitFailed, what);
	return FindFunctions() ? cudaSuccess : GpuCheck(device, cudaErrorSharedObjectSymbolNotFound, what);
}

/* Turns cuFFT's errors into those of CUDA; most of them have no counterpart, and become "unknown". */
static cudaError_t
Check(const GpuDevice *device, cufftResult result, const char *what)
{
	if (result == CUFFT_SUCCESS)
		return cudaSuccess;
	if (result == CUFFT_ALLOC_FAILED)
		return GpuOutOfMemory(device, 0, what);
	return GpuCheck(device, result == CUFFT_INVALID_SIZE ? cudaErrorInvalidValue : cudaErrorUnknown, what);
}

cudaError_t
FftPlanMake(GpuDevice *device, FftPlan *plan, FftDirection direction, uint64_t n, uint64_t rows)
{
	const char *what = "planning transforms";
	long long	real = (long long) n;
	long long	complex = (long long) n / 2 + 1;
	bool		forward = direction == FFT_FORWARD;

	if (plan->made && plan->direction == direction && plan->n == n && plan->rows == rows)
		return cudaSuccess;
	FftPlanFree(plan);
	GPU_TRY(Check(device, cufft.create(&plan->handle), what));
	plan->made = true;
	plan->direction = direction;
	plan->n = n;
	plan->rows = rows;
	GPU_TRY(Check(device, cufft.set_auto_allocation(plan->handle, 0), what));
	GPU_TRY(Check(device, cufft.make_plan(plan->handle, 1, &real, forward ? &real : &complex, 1,
										  forward ? real : complex, forward ? &complex : &real, 1,
										  forward ? complex : real, forward ? CUFFT_D2Z : CUFFT_Z2D,
										  (long long) rows, &plan->work_bytes), what));
	return Check(device, cufft.set_stream(plan->handle, device->streams[GPU_COUNT]), what);
}

cudaError_t
FftPlanRun(GpuDevice *device, const FftPlan *plan, const void *from, void *to, void *work)
{
	const char *what = "transforming distributions";

	GPU_TRY(Check(device, cufft.set_work_area(plan->handle, work), what));
	if (plan->direction == FFT_FORWARD)
		GPU_TRY(Check(device, cufft.forward(plan->handle, (cufftDoubleReal *) from,
											(cufftDoubleComplex *) to), what));
	else
		GPU_TRY(Check(device, cufft.inverse(plan->handle, (cufftDoubleComplex *) from,
											(cufftDoubleReal *) to), what));
	return GpuLaunched(device, what);
}

void
FftPlanFree(FftPlan *plan)
{
	if (plan->made && !GpuIsDead())
		cufft.destroy(plan->handle);
	plan->made = false;
}

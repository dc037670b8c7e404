/*-------------------------------------------------------------------------
 *
 * fault.h
 *	  What went wrong on a device: the fault that is recorded, and faults that tests
 *	  inject.
 *
 * There is one fault, that of the job under way or of the last call of the library.
 * Functions that fail record it where the device and the purpose are known, and hand
 * the error up.  Only the thread that the library was called from may record one.
 *
 * An error that is not known to leave the context intact is sticky: after it nothing
 * more is asked of any device, until the process ends.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_FAULT_H
#define FIM_FAULT_H

#include "device.h"

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * What a function returns if the job is to stop.  Nothing has failed then, and no
 * fault is recorded.  No function returns it for another reason.
 */
#define GPU_STOPPED		cudaErrorNotReady

/*
 * Returns the error, and records it as the fault unless it is cudaSuccess.  "what"
 * says what was being done, as in FimGpuFault.  The device is NULL if there is none
 * that the error belongs to.  Every CUDA call of the device floor goes through here,
 * through GpuLaunched(), or through a function that returns the error unrecorded.
 */
extern cudaError_t GpuCheck(const GpuDevice *device, cudaError_t error, const char *what);

/* Records that a device lacks memory, of which "needed" bytes were wanted, and returns the error. */
extern cudaError_t GpuOutOfMemory(const GpuDevice *device, uint64_t needed, const char *what);

/* GpuCheck() for the launch just made, whose error may also be an injected one. */
extern cudaError_t GpuLaunched(const GpuDevice *device, const char *what);

/* Makes a device the thread's current one. */
extern cudaError_t GpuUse(const GpuDevice *device, const char *what);

/* The recorded fault, all zero if there is none; and forgetting it. */
extern const FimGpuFault *GpuFault(void);
extern void GpuClearFault(void);

/* Whether there was a sticky error. */
extern bool GpuIsDead(void);

/* ---- injected faults; these functions may be called by any thread ---- */

/* Says which of the calls to come are to fail. */
extern void GpuInject(const FimGpuInjection *inject);

/* The error of the launch just made, or an injected one.  It is not recorded. */
extern cudaError_t GpuLaunchError(void);

/* Whether the injected fault is that this call finds the device lost, or that this allocation fails. */
extern bool GpuLosesDevice(void);
extern bool GpuFailsAllocation(void);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_FAULT_H */

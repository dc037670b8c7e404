/*-------------------------------------------------------------------------
 *
 * device.h
 *	  The floor under all families on devices: a device, its contexts and its memory, and what went
 *	  wrong there.
 *
 * A device lives as long as its context, and holds what the job under way has there.
 *
 * The functions of the device floor return a cudaError_t.  If it is not cudaSuccess,
 * either something failed, and the function has recorded what, or it is GPU_STOPPED:
 * see fault.c.  None of them leaves by longjmp.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPU_DEVICE_H
#define GPU_DEVICE_H

#include <cuda_runtime_api.h>
#include <time.h>

#ifdef __cplusplus
extern "C"
{
#endif

#include "engine/gpu.h"

#define GPU_STREAMS		3		/* of a device: one to count, the others to load */
#define GPU_COUNT		0		/* the stream that counts; the loading ones follow it */
#define GPU_LOADERS		(GPU_STREAMS - 1)
#define GPU_QUARTERS		4		/* of a device's pinned ring */
#define GPU_QUARTER		((size_t) 4 << 20)	/* bytes of each of them */
#define GPU_TIMERS		32
#define GPU_EVENTS		4

/* Stands for "none" where a number of an item, a row or a sheet is expected. */
#define GPU_NONE		UINT32_MAX

/* Measures some work between two events of a stream, see team.h. */
typedef struct GpuTimer
{
	cudaEvent_t begin;
	cudaEvent_t end;
	FimGpuPhase phase;
	double		amount;			/* see FimGpuPhase */
	bool		running;
} GpuTimer;

typedef struct GpuMemory GpuMemory;

typedef struct GpuDevice
{
	int			number;			/* CUDA's number */
	bool		open;			/* its context and all of the following exist */
	bool		pools;			/* it allocates from a pool, which is quick */
	int			processors;		/* multiprocessors */
	size_t		l2_size;		/* bytes */
	cudaStream_t streams[GPU_STREAMS];
	cudaEvent_t reached[GPU_STREAMS]; /* how far a stream has come; for timing.c alone */
	cudaEvent_t events[GPU_EVENTS]; /* for a family's own use */

	/* for copies.c alone */
	char	   *ring;			/* pinned, GPU_QUARTERS of GPU_QUARTER bytes */
	cudaEvent_t copied[GPU_QUARTERS]; /* the last copy to the device from each quarter */
	int			next_quarter;
	cudaEvent_t shared_copied[2][GPU_STREAMS]; /* the last copy from each half of the shared buffer */

	GpuTimer	timers[GPU_TIMERS];
	int			next_timer;

	/* of the job that uses the device */
	uint64_t	limit;			/* bytes that it may take */
	uint64_t	used;			/* bytes that it holds */
	uint64_t	peak;			/* the most that it has held */
	GpuMemory  *memory;			/* what it holds, see memory.c */
	double		ms[FIM_GPU_NPHASES]; /* time of each phase */
	double		amount[FIM_GPU_NPHASES]; /* see FimGpuPhase */
	double		pace;			/* of the last launch that counted: amount per ms; 0 if there was none */
	double		launched;		/* amount of the last launch that counts */
} GpuDevice;

/* The bytes of a device's memory that the job may still take. */
static inline uint64_t
GpuRoom(const GpuDevice *device)
{
	return device->limit > device->used ? device->limit - device->used : 0;
}

/* Returns from a function that returns a cudaError_t if a call did not succeed. */
#define GPU_TRY(call) \
	do { \
		cudaError_t error_ = (call); \
		if (error_ != cudaSuccess) \
			return error_; \
	} while (0)

/* The number of blocks, of "threads" threads each, that together have n threads or more. */
static inline uint32_t
GpuBlocks(uint64_t n, uint32_t threads)
{
	return (uint32_t) ((n + threads - 1) / threads);
}

static inline uint64_t
GpuLesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t
GpuGreater(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The number of bits, at least 1, that hold every number below n. */
static inline int
GpuBitsBelow(uint32_t n)
{
	int			bits = 1;

	while (bits < 32 && n > UINT32_C(1) << bits)
		bits++;
	return bits;
}

/* n, limited to the range from "least" to "most".  If the bounds cross, the result is "least". */
static inline uint64_t
GpuBetween(uint64_t least, uint64_t n, uint64_t most)
{
	return GpuGreater(least, GpuLesser(n, most));
}

#ifdef __cplusplus
}
#endif

/*
 * A monotonic clock, in milliseconds.
 */

static inline double
Milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
}

/*
 * fault.c: What went wrong on a device: the fault that is recorded, and faults that tests inject.
 *
 * There is one fault, that of the job under way or of the last call of the library.
 * Functions that fail record it where the device and the purpose are known, and hand
 * the error up.  Only the thread that the library was called from may record one.
 *
 * An error that is not known to leave the context intact is sticky: after it nothing
 * more is asked of any device, until the process ends.
 */

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

/*
 * Injected faults; these functions may be called by any thread.
 */

/* Says which of the calls to come are to fail. */
extern void GpuInject(const FimGpuInjection *inject);

/* The error of the launch just made, or an injected one.  It is not recorded. */
extern cudaError_t GpuLaunchError(void);

/* Whether the injected fault is that this call finds the device lost, or that this allocation fails. */
extern bool GpuLosesDevice(void);
extern bool GpuFailsAllocation(void);

/*
 * memory.c: Device memory of the job under way.
 *
 * The memory that a job takes is kept in a list of its device, so that all of it can be given
 * back however the job ends: see GpuReleaseAll().  A job takes no more of a device than the
 * device's limit, which GpuBeginMemory() sets; GpuRoom() says how much of the limit is left.
 * All sizes are in bytes.
 */

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

/* Sets the arrays' addresses to places in GpuArraysBytes() bytes of memory, on a device or the host. */
extern void GpuPlaceArrays(const GpuArray *arrays, int n, void *memory);

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

/*
 * contexts.c: The contexts of this process on its devices.
 *
 * A process has at most one context on each device.  GpuOpenAll() makes those that
 * a job needs, and they stay until GpuCloseAll().  Streams, events and the pinned
 * ring of a device live as long as its context.
 */

/* Sets *n to the number of devices that the driver shows, without making a context. */
extern cudaError_t GpuCountDevices(int *n);

/* Describes a device.  to->free stays 0 if this process has no context on the device. */
extern cudaError_t GpuDescribe(int number, FimGpuDevice *to);

/*
 * Opens the devices that the options name, or all devices if the options name none: makes the
 * contexts that do not exist yet.  Sets *n to the number of these devices.
 */
extern cudaError_t GpuOpenAll(const FimGpuOptions *options, int *n);

/* The i-th of the devices that GpuOpenAll() opened for the options. */
extern GpuDevice *GpuDeviceOf(const FimGpuOptions *options, int i);

/* Gives up all contexts, and with them everything that lives in them. */
extern void GpuCloseAll(void);

/*
 * Waits for all devices that have a context, and gives back what jobs hold there.  Errors are
 * not reported: if a device is lost, whoever needs it has reported that or will report it.
 */
extern void GpuReleaseAll(void);

#endif							/* GPU_DEVICE_H */

/*-------------------------------------------------------------------------
 *
 * gpu.h
 *	  The interface between gpufim.so and gpufim_cuda.so.
 *
 * gpufim.so links nothing of CUDA.  The process that owns the GPUs, the GPU
 * worker, loads gpufim_cuda.so if it is there.  It looks up FIM_GPU_SYMBOL in it,
 * which is a FimGpuOpen, and does tasks with the families in the FimGpuLibrary that
 * this function returns.  Backends use this header only for the figures and faults
 * that the worker sends them; they never call the library, because a CUDA context
 * does not survive a fork.  The worker calls it from a single thread, and gives it
 * hosts and sinks whose functions always return: they never leave by longjmp.
 *
 * Devices can fail in ways that processors do not.  A family's mine() then frees
 * what the task held on the devices and returns FIM_DEVICE_FAULT, and fault() says
 * what happened.  After a sticky fault no call will succeed in this process any
 * more, so it must end.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_H
#define FIM_GPU_H

#include "engine/family.h"

#define FIM_GPU_SYMBOL		"FimGpuOpenLibrary"
#define FIM_GPU_VERSION		6	/* of this interface */
#define FIM_GPU_MAX_DEVICES	16
#define FIM_GPU_NAME_SIZE	64

typedef struct FimGpuDevice
{
	char		name[FIM_GPU_NAME_SIZE];
	int			device;			/* CUDA's number, under CUDA_VISIBLE_DEVICES */
	int			major;			/* compute capability */
	int			minor;
	int			multiprocessors;
	uint64_t	memory;			/* bytes */
	uint64_t	free;			/* bytes, 0 where there is no context yet */
} FimGpuDevice;

typedef struct FimGpuFault
{
	char		error[FIM_GPU_NAME_SIZE]; /* CUDA's name, e.g. cudaErrorMemoryAllocation */
	char		what[128];		/* what was being done, e.g. "allocating transaction bitmaps" */
	int			device;
	bool		sticky;			/* the process must end */
	bool		out_of_memory;	/* then needed and free are set */
	uint64_t	needed;			/* bytes */
	uint64_t	free;			/* bytes */
} FimGpuFault;

/*
 * Faults to inject, for tests.  n makes the nth call after set_options() fail, -n makes that call
 * and all calls after it fail, and 0 makes none fail.  If one allocation fails, a job makes a
 * plan that takes less memory, so only a negative number makes the job fail.
 */
typedef struct FimGpuInjection
{
	int			allocation;		/* with cudaErrorMemoryAllocation */
	int			launch;			/* with cudaErrorLaunchFailure, sticky */
	int			device;			/* a wait, with cudaErrorDevicesUnavailable, sticky */
} FimGpuInjection;

/* What a job may use, which set_options() sets before each call of mine(). */
typedef struct FimGpuOptions
{
	uint64_t	memory_limit;	/* bytes on each device; 0: what is free */
	int			ndevices;		/* 0: all */
	int			devices[FIM_GPU_MAX_DEVICES];
	bool		call_at_once;	/* for tests: a job that one device could do has all devices work, too */
	FimGpuInjection inject;
} FimGpuOptions;

/* The phases of a job on the device, and the unit of each phase's "amount" in a FimGpuReport. */
typedef enum FimGpuPhase
{
	FIM_GPU_TRANSFER,			/* host to device; bytes */
	FIM_GPU_BUILD,				/* bitmaps from transactions; bytes read and written */
	FIM_GPU_COUNT,				/* pairs of bits ANDed and counted */
	FIM_GPU_RETURN,				/* device to host; bytes */
	FIM_GPU_NPHASES
} FimGpuPhase;

typedef struct FimGpuReport
{
	uint32_t	strategies;		/* those that mined, as in FimShared */
	int			ndevices;
	int			devices[FIM_GPU_MAX_DEVICES];
	uint64_t	candidates;
	uint64_t	peak_memory;	/* bytes on the device that held most */
	double		ms[FIM_GPU_NPHASES];
	double		amount[FIM_GPU_NPHASES]; /* see FimGpuPhase */
} FimGpuReport;

/*
 * A family as the process that owns the GPUs sees it.  A task's data may lack
 * what only the CPU engine needs.
 */
typedef struct FimGpuFamily
{
	const char *name;			/* that of the FimFamily of the same number */
	const char *const *strategies; /* the same as its gpu_strategies */

	/*
	 * The bytes of device memory that the task would like to have on each of the devices of the
	 * options, and the least that it needs there.  Looks only at the task's spec and data.
	 */
	void		(*estimate) (const FimTask *task, uint64_t *wanted, uint64_t *least);

	/*
	 * Do the whole task.  It has only one worker, so the shared state serves only to cancel the
	 * task, to show its progress and to note the strategies that mine, by FimStrategyUsed().
	 */
	FimResult	(*mine) (const FimTask *task, FimHost *host, FimSink *sink);

	/*
	 * Give back all memory, on the host and on devices, that the family keeps between tasks.
	 * Called before a task of another family and before close().
	 */
	void		(*release) (void);
} FimGpuFamily;

typedef struct FimGpuLibrary
{
	int			version;		/* FIM_GPU_VERSION */

	/* The families, by their numbers (FimFamilyNumber()); ends with NULL. */
	const FimGpuFamily *const *families;

	/*
	 * Sets to[] to the devices that the engine can use, at most "room" of them, without making a
	 * context. Returns their number, or -1 with a fault if there is no driver.
	 */
	int			(*devices) (FimGpuDevice *to, int room);

	/*
	 * Creates the contexts of the devices of the options, unless they exist.  Returns false with
	 * a fault if that fails.
	 */
	bool		(*open) (const FimGpuOptions *options);

	/* Sets the options of the next job. */
	void		(*set_options) (const FimGpuOptions *options);

	const FimGpuFault *(*fault) (void);

	/* The report of the job that was done with the options set last; all 0 if no device had to do anything. */
	const FimGpuReport *(*report) (void);

	/* Destroys the contexts, with all device memory.  open() creates them again. */
	void		(*close) (void);
} FimGpuLibrary;

typedef const FimGpuLibrary *(*FimGpuOpen) (void);

#endif							/* FIM_GPU_H */

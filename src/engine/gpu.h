/*-------------------------------------------------------------------------
 *
 * gpu.h
 *	  The interface between gpufim.so and gpufim_cuda.so.
 *
 * gpufim.so links nothing of CUDA.  The process that owns the GPUs loads
 * gpufim_cuda.so where there is one, looks up FIM_GPU_SYMBOL in it, which is a
 * FimGpuOpen, and uses the engine in the FimGpuLibrary as it would use the CPU's.
 * Nothing here is called before that process has been forked: a CUDA context does
 * not survive a fork.  All of it is called from one thread, with host's functions
 * that always return: they never leave by longjmp.
 *
 * Devices can fail in ways that processors do not.  The engine's mine() then
 * returns FIM_DEVICE_FAULT, having freed what the job held on the devices, and
 * fault() says what happened.  After a sticky fault no call will succeed in this
 * process again: it must end.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_H
#define FIM_GPU_H

#include "engine.h"

#define FIM_GPU_SYMBOL		"FimGpuOpenLibrary"
#define FIM_GPU_VERSION		1	/* of this interface */
#define FIM_GPU_MAX_DEVICES	16
#define FIM_GPU_NAME_SIZE	64

/* Strategies of the GPU engine, as FimJob.strategy; names are in the engine. */
typedef enum FimGpuStrategy
{
	FIM_GPU_AUTO,
	FIM_GPU_TENSOR,				/* class products on the 1-bit tensor cores */
	FIM_GPU_DCI_TRANSACTION,	/* gpuDCI, transaction-wise */
	FIM_GPU_DCI_CANDIDATE,		/* gpuDCI, candidate-wise */
	FIM_GPU_TFL,				/* GMiner, traversal from the first level */
	FIM_GPU_HIL					/* GMiner, hopping from the intermediate level */
} FimGpuStrategy;

/* What the engine's strategies must be, in the order above. */
#define FIM_GPU_STRATEGY_NAMES \
	{"auto", "tensor", "dci_transaction", "dci_candidate", "tfl", "hil", NULL}

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
	char		error[FIM_GPU_NAME_SIZE];	/* CUDA's name, e.g. cudaErrorMemoryAllocation */
	char		what[128];		/* what was being done, e.g. "allocating transaction bitmaps" */
	int			device;
	bool		sticky;			/* the process must end */
	bool		out_of_memory;	/* then needed and free are set */
	uint64_t	needed;			/* bytes */
	uint64_t	free;			/* bytes */
} FimGpuFault;

/*
 * Faults to inject, for tests: the nth call from set_options() on fails; -n: and
 * all calls after it; 0: none does.  A job for whose memory one call fails plans
 * for less, so it takes a negative number to see it fail.
 */
typedef struct FimGpuInjection
{
	int			allocation;		/* with cudaErrorMemoryAllocation */
	int			launch;			/* with cudaErrorLaunchFailure, sticky */
	int			device;			/* a wait, with cudaErrorDevicesUnavailable, sticky */
} FimGpuInjection;

/* What a job may use.  Set before each call of mine(). */
typedef struct FimGpuOptions
{
	uint64_t	memory_limit;	/* bytes on each device; 0: what is free */
	int			ndevices;		/* 0: all */
	int			devices[FIM_GPU_MAX_DEVICES];
	FimGpuInjection inject;
} FimGpuOptions;

/* The phases of a job on the device, each with what it moved or computed. */
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
	FimGpuStrategy strategy;	/* the one that mined */
	int			ndevices;
	int			devices[FIM_GPU_MAX_DEVICES];
	uint64_t	candidates;
	uint64_t	peak_memory;	/* bytes on the device that held most */
	double		ms[FIM_GPU_NPHASES];
	double		amount[FIM_GPU_NPHASES];	/* see FimGpuPhase */
} FimGpuReport;

typedef struct FimGpuLibrary
{
	int			version;		/* FIM_GPU_VERSION */

	/* One worker mines a job: FimShared is used for cancel and progress only. */
	FimEngine	engine;

	/*
	 * The devices that the engine can use, at most room; makes no context.
	 * Returns how many, or -1 with a fault if there is no driver.
	 */
	int			(*devices) (FimGpuDevice *to, int room);

	/* Creates the contexts of the devices of the options, if they are not there. */
	bool		(*open) (const FimGpuOptions *options);

	/* For the next job. */
	void		(*set_options) (const FimGpuOptions *options);

	/*
	 * Device memory, in bytes, that the job would like to have on each of the
	 * devices of the options, and the least.
	 */
	void		(*estimate) (const FimJob *job, const FimDatabase *db,
							 uint64_t *wanted, uint64_t *least);

	const FimGpuFault *(*fault) (void);
	const FimGpuReport *(*report) (void);

	/* Gives up contexts and all device memory; open() makes them again. */
	void		(*close) (void);
} FimGpuLibrary;

typedef const FimGpuLibrary *(*FimGpuOpen) (void);

#endif							/* FIM_GPU_H */

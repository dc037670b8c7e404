/*-------------------------------------------------------------------------
 *
 * settings.h
 *	  The extension's settings.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_SETTINGS_H
#define GPUFIM_SETTINGS_H

#include "engine/gpu.h"

typedef enum GpufimEngineChoice
{
	GPUFIM_ENGINE_AUTO,
	GPUFIM_ENGINE_CPU,
	GPUFIM_ENGINE_GPU
} GpufimEngineChoice;

extern int	gpufim_engine;		/* GpufimEngineChoice */
extern char *gpufim_strategy;
extern int	gpufim_workers;		/* -1: as many as there are other cores */
extern int	gpufim_memory_limit;	/* in kB */
extern int	gpufim_gpu_memory_limit;	/* in kB; 0: what is free */
extern int	gpufim_max_workers; /* the administrator's limit of gpufim_workers */
extern int	gpufim_max_memory_limit;	/* that of gpufim_memory_limit; in kB */
extern int	gpufim_max_gpu_memory_limit;	/* that of gpufim_gpu_memory_limit; in kB; 0: none */
extern int	gpufim_max_results; /* of one call; 0: no limit */
extern int	gpufim_max_results_limit;	/* the administrator's limit of gpufim_max_results; 0: none */
extern char *gpufim_gpus;		/* a list of device numbers; empty: all devices */
extern int	gpufim_worker_idle_timeout; /* in ms; 0: never */
extern int	gpufim_gpu_patience;	/* in ms; 0: a GPU begins, -1: no call changes engines */
extern char *gpufim_cuda_library;

/* The failures to inject into calls on a GPU, as in FimGpuInjection. */
extern int	gpufim_inject_allocation;
extern int	gpufim_inject_launch;
extern int	gpufim_inject_device;

/*
 * The factor by which two times are made longer, for tests on slow machines: that within which
 * a GPU worker must start, and that within which a device's faults add up.
 */
extern int	gpufim_inject_slowness;

/*
 * What the settings amount to under an administrator's limits, in the same units.
 * GpuMemoryLimit() may be 0, for what is free, and ResultsLimit(), for no limit.
 * default_workers takes the place of -1.
 */
extern int	MemoryLimit(void);
extern int	ResultsLimit(void);
extern int	GpuMemoryLimit(void);
extern int	WorkersLimit(int default_workers);

/* Is gpufim.gpu_memory_limit set, to less than an administrator allows? */
extern bool GpuMemoryLimitCanRise(void);

/* In a worker: set both limits of host memory, in kB, to those of the backend that it works for. */
extern void AdoptMemoryLimit(int limit, int most);

/*
 * Read a list of device numbers, as in gpufim.gpus, into the options.  An empty list
 * stands for all devices.  Returns false if the text is no such list.
 */
extern bool ParseGpus(const char *list, FimGpuOptions *options);

/* When the library is loaded: make the settings known to the server. */
extern void DefineSettings(void);

/* Raises an error if a client may have replaced an administrator's limits by the defaults. */
extern void CheckLimitsAreInForce(void);

#endif							/* GPUFIM_SETTINGS_H */

/*-------------------------------------------------------------------------
 *
 * settings.h
 *	  The extension's settings, as gpufim.c defines them.
 *
 * Included by whatever a setting has an effect on.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_SETTINGS_H
#define GPUFIM_SETTINGS_H

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
extern int	gpufim_max_workers; /* the most that the three above amount to ... */
extern int	gpufim_max_memory_limit;	/* ... whatever they are set to; kB */
extern int	gpufim_max_gpu_memory_limit;	/* in kB; 0: there is no such limit */
extern char *gpufim_gpus;		/* a list of device numbers; empty: all devices */
extern int	gpufim_worker_idle_timeout; /* in ms; 0: never */
extern int	gpufim_gpu_patience;	/* in ms; 0: a GPU begins, -1: no call changes engines */
extern char *gpufim_cuda_library;

/* What to inject into calls on a GPU, as FimGpuInjection has it. */
extern int	gpufim_inject_allocation;
extern int	gpufim_inject_launch;
extern int	gpufim_inject_device;

/* The machine is taken to be so many times as slow where a time limit ends waiting for GPUs. */
extern int	gpufim_inject_slowness;

/*
 * What the settings amount to under an administrator's limits, in the same units.
 * GpuMemoryLimit() may be 0, for what is free.  default_workers takes the place of -1.
 */
extern int	MemoryLimit(void);
extern int	GpuMemoryLimit(void);
extern int	WorkersLimit(int default_workers);

/* Take both memory limits over from the process that this one works for. */
extern void AdoptMemoryLimit(int limit, int most);

/* Raises an error if a client has hidden an administrator's limits. */
extern void CheckLimitsAreInForce(void);

#endif							/* GPUFIM_SETTINGS_H */

/*-------------------------------------------------------------------------
 *
 * gpu_library.h
 *	  The GPU library that the programs of this folder check.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_LIBRARY_H
#define FIM_GPU_LIBRARY_H

#include "engine/gpu.h"

extern const char *library_name; /* a file */
extern int	device_count;		/* 0: all */
extern bool call_at_once;		/* as in FimGpuOptions */
extern const FimGpuLibrary *library; /* NULL until it has been loaded */

/* The phases of a job, as a FimGpuReport has them. */
extern const char *const phase_names[FIM_GPU_NPHASES];

/* What mines a task: a function of a family, or MineOnGpu(). */
typedef FimResult (*MineFunction) (const FimTask *task, FimHost *host, FimSink *sink);

/* Ends the program with status 2. */
extern void Die(const char *what) __attribute__((noreturn));

/* Load the library.  Returns what it has of a family. */
extern const FimGpuFamily *LoadLibrary(const FimFamily *family);

/* The place of a name in a list that ends with NULL.  Ends the program if it is not there. */
extern int	OneOf(const char *name, const char *const *names);

/* So many devices, and so many bytes on each; 0: what is free. */
extern FimGpuOptions Options(uint64_t memory_limit);

/* Tasks are mined with that from now on. */
extern void SetMemoryLimit(uint64_t memory_limit);

/* Has the library mine a task.  What went wrong is printed as a comment. */
extern FimResult MineOnGpu(const FimTask *task, FimHost *host, FimSink *sink);

#endif							/* FIM_GPU_LIBRARY_H */

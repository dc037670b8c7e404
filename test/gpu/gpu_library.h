/*-------------------------------------------------------------------------
 *
 * gpu_library.h
 *	  The GPU library that the programs of this folder check.
 *
 * Included by check_gpu.c and check_probable.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_LIBRARY_H
#define FIM_GPU_LIBRARY_H

#include "engine/gpu.h"

extern const char *library_name;	/* a file */
extern int	device_count;		/* 0: all */
extern const FimGpuLibrary *library;	/* NULL until it has been loaded */

/* Ends the program with status 2. */
extern void Die(const char *what) __attribute__((noreturn));

/* Load the library.  Returns what it has of a family. */
extern const FimGpuFamily *LoadLibrary(const FimFamily *family);

/* So many devices, and so many bytes on each; 0: what is free. */
extern FimGpuOptions Options(uint64_t memory_limit);

/* Prints the last fault as a comment. */
extern void PrintFault(void);

#endif							/* FIM_GPU_LIBRARY_H */

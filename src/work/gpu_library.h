/*-------------------------------------------------------------------------
 *
 * gpu_library.h
 *	  The library with the GPU engine.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_GPU_LIBRARY_H
#define GPUFIM_GPU_LIBRARY_H

#include "postgres.h"

#include "engine/gpu.h"

/*
 * The file that gpufim.cuda_library names, palloc'd.  "$libdir" in it is replaced,
 * and ".so" may be left out.
 */
extern char *GpuLibraryPath(void);

/* Is there such a file? */
extern bool GpuLibraryIsThere(void);

/*
 * Load the library.  Returns NULL and sets *library, or returns the reason why it
 * cannot be used, palloc'd.  From then on this process ends without running the exit
 * handlers of the driver.
 */
extern char *GpuLoadLibrary(const FimGpuLibrary **library);

#endif							/* GPUFIM_GPU_LIBRARY_H */

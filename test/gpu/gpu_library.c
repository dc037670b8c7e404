/*-------------------------------------------------------------------------
 *
 * gpu_library.c
 *	  Loading the GPU library, see gpu_library.h.
 *
 *-------------------------------------------------------------------------
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_library.h"

const char *library_name = "./gpufim_cuda.so";
int			device_count = 0;
bool		call_at_once = false;
const FimGpuLibrary *library;
const char *const phase_names[FIM_GPU_NPHASES] = {"transfer", "build", "count", "return"};

void
Die(const char *what)
{
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
	exit(2);
}

const FimGpuFamily *
LoadLibrary(const FimFamily *family)
{
	void	   *handle = dlopen(library_name, RTLD_NOW);
	FimGpuOpen	open_library;

	if (handle == NULL)
		Die(dlerror());
	open_library = (FimGpuOpen) dlsym(handle, FIM_GPU_SYMBOL);
	if (open_library == NULL)
		Die("the library has no " FIM_GPU_SYMBOL);
	library = open_library();
	if (library->version != FIM_GPU_VERSION)
		Die("the library is of another version");
	return library->families[FimFamilyNumber(family)];
}

int
OneOf(const char *name, const char *const *names)
{
	for (int i = 0; names[i] != NULL; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	Die("there is no such strategy or kind");
}

FimGpuOptions
Options(uint64_t memory_limit)
{
	FimGpuOptions options;

	memset(&options, 0, sizeof(options));
	options.memory_limit = memory_limit;
	options.call_at_once = call_at_once;
	options.ndevices = device_count;
	for (int i = 0; i < device_count; i++)
		options.devices[i] = i;
	return options;
}

void
SetMemoryLimit(uint64_t memory_limit)
{
	FimGpuOptions options = Options(memory_limit);

	library->set_options(&options);
}

static void
PrintFault(void)
{
	const FimGpuFault *fault = library->fault();

	printf("# fault: %s, %s, device %d%s%s, needed %llu, free %llu\n", fault->error, fault->what,
		   fault->device, fault->sticky ? ", sticky" : "",
		   fault->out_of_memory ? ", out of memory" : "",
		   (unsigned long long) fault->needed, (unsigned long long) fault->free);
	fflush(stdout);
}

FimResult
MineOnGpu(const FimTask *task, FimHost *host, FimSink *sink)
{
	FimResult	result = library->families[FimFamilyNumber(task->family)]->mine(task, host, sink);

	if (result == FIM_DEVICE_FAULT)
		PrintFault();
	return result;
}

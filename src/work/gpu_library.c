/*-------------------------------------------------------------------------
 *
 * gpu_library.c
 *	  The library with the GPU engine: where it is, and loading it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <dlfcn.h>
#include <unistd.h>

#include "gpufim.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "work/gpu_library.h"

char *
GpuLibraryPath(void)
{
	const char *name = gpufim_cuda_library;
	size_t		length = strlen("$libdir");
	char	   *path;

	if (strncmp(name, "$libdir", length) == 0)
		path = psprintf("%s%s", pkglib_path, name + length);
	else
		path = pstrdup(name);
	if (access(path, F_OK) != 0)
		path = psprintf("%s.so", path);
	return path;
}

bool
GpuLibraryIsThere(void)
{
	return access(GpuLibraryPath(), F_OK) == 0;
}

/*
 * Leave without the exit handlers of the driver: if it is in trouble, they may crash
 * or wait forever.  By then PostgreSQL has left shared memory.  It calls what was registered
 * last first, so callbacks that on_proc_exit() was given before this one are skipped, too; this
 * process has nothing that they would clean up.
 */
static void
SkipExitHandlers(int code, Datum arg)
{
	_exit(code);
}

static bool
SameNames(const char *const *names, const char *const *others)
{
	while (*names != NULL && *others != NULL && strcmp(*names, *others) == 0)
		names++, others++;
	return *names == NULL && *others == NULL;
}

/*
 * A task reaches the library with its family's number and the index of a strategy,
 * so both must mean the same there.  Returns why they do not, or NULL.
 */
static char *
CheckFamilies(const FimGpuLibrary *library, const char *path)
{
	const FimFamily *family;

	for (int i = 0; (family = FimFamilyOf(i)) != NULL; i++)
	{
		const FimGpuFamily *there = library->families[i];

		if (there == NULL || strcmp(there->name, family->name) != 0)
			return psprintf("library \"%s\" does not have family \"%s\"", path, family->name);
		if (!SameNames(there->strategies, family->gpu_strategies))
			return psprintf("library \"%s\" has other strategies of family \"%s\"",
							path, family->name);
	}
	return NULL;
}

char *
GpuLoadLibrary(const FimGpuLibrary **library)
{
	char	   *path = GpuLibraryPath();
	void	   *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const FimGpuLibrary *loaded;
	FimGpuOpen	open_library;
	char	   *reason;

	if (handle == NULL)
		return psprintf("could not load library \"%s\": %s", path, dlerror());
	open_library = (FimGpuOpen) dlsym(handle, FIM_GPU_SYMBOL);
	if (open_library == NULL)
		return psprintf("library \"%s\" has no function \"%s\"", path, FIM_GPU_SYMBOL);
	loaded = open_library();
	if (loaded->version != FIM_GPU_VERSION)
		return psprintf("library \"%s\" has interface version %d, but %d is needed",
						path, loaded->version, FIM_GPU_VERSION);
	reason = CheckFamilies(loaded, path);
	if (reason != NULL)
		return reason;
	on_proc_exit(SkipExitHandlers, (Datum) 0);
	*library = loaded;
	return NULL;
}

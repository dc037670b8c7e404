/*-------------------------------------------------------------------------
 *
 * gpu_contexts.c
 *	  The library with the GPU engine, the devices that the GPU worker finds with it, and its
 *	  contexts on them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

#include "engine/gpu.h"
#include "gpufim.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "work/gpu_queue.h"

/*
 * The library with the GPU engine.
 */

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

/*
 * Load the library.  Returns NULL and sets *library, or returns the reason why it
 * cannot be used, palloc'd.  From then on this process ends without running the exit
 * handlers of the driver.
 */
static char *
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

static const FimGpuLibrary *Library = NULL;
static const FimGpuFamily *LastFamily = NULL; /* whose task came last */
static FimGpuDevice Devices[FIM_GPU_MAX_DEVICES];
static int	NumDevices = 0;
static uint32 Opened = 0;		/* a bit for each device that has a context */

const FimGpuLibrary *
GpuLibrary(void)
{
	return Library;
}

int
GpuDevicesFound(const FimGpuDevice **devices)
{
	*devices = Devices;
	return NumDevices;
}

bool
GpuHasContexts(void)
{
	return Opened != 0;
}

/*
 * The driver makes threads of its own, which must not get this process's signals.  So all
 * signals are blocked while it makes them, since threads inherit the signal mask.
 */
static void
BlockSignals(sigset_t *before)
{
	sigset_t	all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, before);
}

static void
RestoreSignals(const sigset_t *before)
{
	sigprocmask(SIG_SETMASK, before, NULL);
}

static char *
FindDevices(void)
{
	int			found = Library->devices(Devices, FIM_GPU_MAX_DEVICES);
	const FimGpuFault *fault = Library->fault();

	NumDevices = Max(found, 0);
	if (found < 0)
		return psprintf("%s while %s", fault->error, fault->what);
	if (found == 0)
		return pstrdup("CUDA finds no device that the GPU engine can use");
	return NULL;
}

void
GpuLookForDevices(GpuControl *control)
{
	char	   *reason = NULL;
	sigset_t	before;

	control->look_again = false;
	BlockSignals(&before);
	if (Library == NULL)
		reason = GpuLoadLibrary(&Library);
	if (reason == NULL)
		reason = FindDevices();
	RestoreSignals(&before);

	GpuPublish(control, reason ? GPU_ABSENT : GPU_PRESENT, reason ? reason : "",
			   Devices, NumDevices);
	if (reason != NULL)
	{
		ereport(control == SharedGpuControl ? LOG : DEBUG1,
				(errmsg("no GPU can be used: %s", reason)));
		pfree(reason);
	}
}

bool
GpuOpenContexts(GpuControl *control, const FimGpuOptions *options)
{
	uint32		wanted = 0;
	sigset_t	before;
	instr_time	start;
	bool		opened;

	for (int i = 0; i < options->ndevices; i++)
		wanted |= UINT32_C(1) << options->devices[i];
	if ((wanted & ~Opened) == 0)
		return true;

	INSTR_TIME_SET_CURRENT(start);
	BlockSignals(&before);
	opened = Library->open(options);
	RestoreSignals(&before);
	if (!opened)
		return false;
	Opened |= wanted;
	GpuPublishContexts(control, Opened, MillisecondsSince(start));
	GpuLookForDevices(control); /* with contexts, their free memory is known */
	return true;
}

static void
ReleaseOthers(const FimGpuFamily *family)
{
	if (LastFamily != NULL && LastFamily != family)
		LastFamily->release();
	LastFamily = family;
}

const FimGpuFamily *
GpuBeginFamily(int number)
{
	ReleaseOthers(Library->families[number]);
	return LastFamily;
}

void
GpuCloseContexts(GpuControl *control)
{
	if (Opened == 0)
		return;
	ReleaseOthers(NULL);
	Library->close();
	Opened = 0;
	GpuPublishContexts(control, Opened, 0);
	ereport(DEBUG1,
			(errmsg_internal("GPU worker has given up its contexts")));
}

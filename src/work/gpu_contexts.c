/*-------------------------------------------------------------------------
 *
 * gpu_contexts.c
 *	  The devices that the GPU worker finds, and its contexts on them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <signal.h>

#include "gpufim.h"
#include "work/gpu_contexts.h"
#include "work/gpu_library.h"

static const FimGpuLibrary *Library = NULL;
static const FimGpuFamily *LastFamily = NULL;	/* whose task came last */
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

/*-------------------------------------------------------------------------
 *
 * devices.c
 *	  What this machine can mine with.  Only the GPU worker knows about GPUs.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <sys/utsname.h>
#include <unistd.h>

#include "compat.h"
#include "engine/kernels.h"
#include "storage/fd.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"
#include "work/gpu_queue.h"

#define DEVICE_COLUMNS	8

/* The value of a line "model name : value" of /proc/cpuinfo, or NULL. */
static char *
ModelName(const char *line)
{
	const char *colon;
	char	   *value;
	size_t		length;

	if (strncmp(line, "model name", strlen("model name")) != 0)
		return NULL;
	colon = strchr(line, ':');
	if (colon == NULL)
		return NULL;
	value = pstrdup(colon + 1 + strspn(colon + 1, " \t"));
	length = strcspn(value, "\n");
	value[length] = '\0';
	return length > 0 ? value : NULL;
}

static char *
ProcessorName(void)
{
	FILE	   *file = AllocateFile("/proc/cpuinfo", "r");
	char	   *name = NULL;
	char		line[1024];
	struct utsname machine;

	if (file != NULL)
	{
		while (name == NULL && fgets(line, sizeof(line), file) != NULL)
			name = ModelName(line);
		FreeFile(file);
	}
	if (name == NULL && uname(&machine) == 0)
		name = pstrdup(machine.machine);
	return name;
}

static void
PutProcessor(ReturnSetInfo *rsinfo)
{
	Datum		values[DEVICE_COLUMNS] = {0};
	bool		nulls[DEVICE_COLUMNS] = {false};
	char	   *name = ProcessorName();
	int64		pages = sysconf(_SC_PHYS_PAGES);

	values[0] = CStringGetTextDatum("cpu");
	values[1] = Int32GetDatum(0);
	nulls[2] = name == NULL;
	values[2] = name ? CStringGetTextDatum(name) : (Datum) 0;
	values[3] = Int32GetDatum((int32) sysconf(_SC_NPROCESSORS_ONLN));
	values[4] = CStringGetTextDatum(FimIsa());
	nulls[5] = pages < 0;
	values[5] = Int64GetDatum(pages * sysconf(_SC_PAGESIZE));
	values[6] = BoolGetDatum(true);
	nulls[7] = true;
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

static void
PutGpu(ReturnSetInfo *rsinfo, const FimGpuDevice *device, const char *reason)
{
	Datum		values[DEVICE_COLUMNS] = {0};
	bool		nulls[DEVICE_COLUMNS] = {false};

	values[0] = CStringGetTextDatum("gpu");
	values[1] = Int32GetDatum(device->device);
	values[2] = CStringGetTextDatum(device->name);
	values[3] = Int32GetDatum(device->multiprocessors);
	values[4] = CStringGetTextDatum(psprintf("sm_%d%d", device->major, device->minor));
	values[5] = Int64GetDatum((int64) device->memory);
	values[6] = BoolGetDatum(reason == NULL);
	nulls[7] = reason == NULL;
	values[7] = reason ? CStringGetTextDatum(reason) : (Datum) 0;
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/* Puts out a row that says why the GPU engine has no GPU to run on. */
static void
PutNoGpu(ReturnSetInfo *rsinfo, const char *reason)
{
	Datum		values[DEVICE_COLUMNS] = {0};
	bool		nulls[DEVICE_COLUMNS] = {false, true, true, true, true, true, false, false};

	values[0] = CStringGetTextDatum("gpu");
	values[6] = BoolGetDatum(false);
	values[7] = CStringGetTextDatum(reason);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

PG_FUNCTION_INFO_V1(gpufim_devices);

Datum
gpufim_devices(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	GpuState	state;

	InitMaterializedSRF(fcinfo, 0);
	PutProcessor(rsinfo);
	if (!GpuLookAtDevices(&state))
		return (Datum) 0;
	if (state.presence == GPU_ABSENT)
		PutNoGpu(rsinfo, state.reason);
	for (int i = 0; i < state.ndevices; i++)
		PutGpu(rsinfo, &state.devices[i], GpuDeviceOff(&state, state.devices[i].device));
	return (Datum) 0;
}

PG_FUNCTION_INFO_V1(gpufim_reset);

Datum
gpufim_reset(PG_FUNCTION_ARGS)
{
	GpuReset();
	PG_RETURN_VOID();
}

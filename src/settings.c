/*-------------------------------------------------------------------------
 *
 * settings.c
 *	  The settings, and what they amount to under an administrator's limits.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/parallel.h"
#include "compat.h"
#include "engine/family.h"
#include "gpufim.h"
#include "lib/stringinfo.h"
#include "postmaster/bgworker_internals.h"

/*
 * The least memory limit in kB.  With less, even a call of frequent_itemsets() that mines a single
 * transaction may fail: that takes 282 kB, most of them for the first chunk of the engine's arena.
 */
#define LEAST_MEMORY_LIMIT	384

int			gpufim_engine = GPUFIM_ENGINE_AUTO;
char	   *gpufim_strategy = NULL;
int			gpufim_workers = -1;
int			gpufim_memory_limit = 1024 * 1024;
int			gpufim_gpu_memory_limit = 0;
int			gpufim_max_workers = MAX_PARALLEL_WORKER_LIMIT;
int			gpufim_max_memory_limit = MAX_KILOBYTES;
int			gpufim_max_gpu_memory_limit = 0;
int			gpufim_max_results = 0;
int			gpufim_max_results_limit = 0;
char	   *gpufim_gpus = NULL;
int			gpufim_worker_idle_timeout = 300 * 1000;
int			gpufim_gpu_patience = 5;
char	   *gpufim_cuda_library = NULL;
int			gpufim_inject_allocation = 0;
int			gpufim_inject_launch = 0;
int			gpufim_inject_device = 0;
int			gpufim_inject_slowness = 1;

static const struct config_enum_entry EngineOptions[] = {
	{"auto", GPUFIM_ENGINE_AUTO, false},
	{"cpu", GPUFIM_ENGINE_CPU, false},
	{"gpu", GPUFIM_ENGINE_GPU, false},
	{NULL, 0, false}
};

/*
 * The name of an administrator's limit that a client may have hidden, see DefineLimit(); NULL if
 * there is none.
 */
static const char *HiddenLimit = NULL;

int
MemoryLimit(void)
{
	return Min(gpufim_memory_limit, gpufim_max_memory_limit);
}

/* The smaller one of two limits, of which 0 is none. */
static int
SmallerLimit(int limit, int most)
{
	return limit == 0 || most == 0 ? Max(limit, most) : Min(limit, most);
}

int
GpuMemoryLimit(void)
{
	return SmallerLimit(gpufim_gpu_memory_limit, gpufim_max_gpu_memory_limit);
}

int
ResultsLimit(void)
{
	return SmallerLimit(gpufim_max_results, gpufim_max_results_limit);
}

bool
GpuMemoryLimitCanRise(void)
{
	return gpufim_gpu_memory_limit > 0 &&
		(gpufim_max_gpu_memory_limit == 0 || gpufim_gpu_memory_limit < gpufim_max_gpu_memory_limit);
}

int
WorkersLimit(int default_workers)
{
	return Min(gpufim_workers < 0 ? default_workers : gpufim_workers, gpufim_max_workers);
}

void
AdoptMemoryLimit(int limit, int most)
{
	gpufim_memory_limit = limit;
	gpufim_max_memory_limit = most;
}

void
CheckLimitsAreInForce(void)
{
	if (HiddenLimit != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied to set parameter \"%s\"", HiddenLimit),
				 errdetail("It was set before the library of gpufim was loaded, in place of what an administrator may have set."),
				 errhint("Connect again and leave it as it is.")));
}

/*
 * May a session set something to this value?  "most" is what an administrator's limit,
 * "name", allows.  A larger value that comes from the configuration, a role or a client's
 * startup packet is accepted and cut down when it is used: two settings that do not fit
 * should lock nobody out.
 */
static bool
CheckLimit(int value, int most, const char *name, const char *unit, GucSource source)
{
	if (source != PGC_S_SESSION || InitializingParallelWorker || value <= most)
		return true;
	GUC_check_errdetail("\"%s\" allows at most %d%s.", name, most, unit);
	return false;
}

static bool
CheckWorkers(int *newval, void **extra, GucSource source)
{
	return CheckLimit(*newval, gpufim_max_workers, "gpufim.max_workers", "", source);
}

static bool
CheckMemory(int *newval, void **extra, GucSource source)
{
	return CheckLimit(*newval, gpufim_max_memory_limit, "gpufim.max_memory_limit", " kB",
					  source);
}

static bool
CheckGpuMemory(int *newval, void **extra, GucSource source)
{
	if (gpufim_max_gpu_memory_limit == 0)
		return true;
	return CheckLimit(*newval, gpufim_max_gpu_memory_limit, "gpufim.max_gpu_memory_limit",
					  " kB", source);
}

static bool
CheckMaxResults(int *newval, void **extra, GucSource source)
{
	if (gpufim_max_results_limit == 0)
		return true;
	return CheckLimit(*newval, gpufim_max_results_limit, "gpufim.max_results_limit", "", source);
}

static bool
IsNamed(const char *const *strategies, const char *name, StringInfo known)
{
	for (; *strategies != NULL; strategies++)
	{
		char	   *word = psprintf(", %s,", *strategies);

		if (strcmp(*strategies, name) == 0)
			return true;
		if (strstr(known->data, word) == NULL)
			appendStringInfo(known, " %s,", *strategies);
		pfree(word);
	}
	return false;
}

/*
 * Accepts any strategy of any family and engine.  Whether the engine that is set has this
 * strategy is checked when a call begins, so that the two can be set in either order.
 */
static bool
CheckStrategy(char **newval, void **extra, GucSource source)
{
	const FimFamily *family;
	StringInfoData known;
	bool		named = false;

	initStringInfo(&known);
	appendStringInfoChar(&known, ',');
	for (int i = 0; !named && (family = FimFamilyOf(i)) != NULL; i++)
		named = IsNamed(family->strategies, *newval, &known) ||
			IsNamed(family->gpu_strategies, *newval, &known);
	if (!named)
	{
		known.data[known.len - 1] = '\0';
		GUC_check_errhint("Available values: %s.", known.data + 2);
	}
	pfree(known.data);
	return named;
}

bool
ParseGpus(const char *list, FimGpuOptions *options)
{
	const char *at = list + strspn(list, " \t");

	options->ndevices = 0;
	while (*at != '\0')
	{
		char	   *end;
		long		device = strtol(at, &end, 10);

		if (*at < '0' || *at > '9' || device >= FIM_GPU_MAX_DEVICES ||
			options->ndevices >= FIM_GPU_MAX_DEVICES)
			return false;
		for (int i = 0; i < options->ndevices; i++)
			if (options->devices[i] == device)
				return false;
		options->devices[options->ndevices++] = (int) device;
		at = end + strspn(end, " \t");
		if (*at == ',')
		{
			at += 1 + strspn(at + 1, " \t");
			if (*at == '\0')
				return false;
		}
		else if (*at != '\0')
			return false;
	}
	return true;
}

static bool
CheckGpus(char **newval, void **extra, GucSource source)
{
	FimGpuOptions options;

	if (ParseGpus(*newval, &options))
		return true;
	GUC_check_errdetail("A list of different device numbers below %d is expected, "
						"separated by commas.", FIM_GPU_MAX_DEVICES);
	return false;
}

static void
DefineInjection(const char *name, const char *description, int *variable)
{
	DefineCustomIntVariable(name, description,
							"A developer setting, for tests; 0 injects nothing, "
							"-n lets the nth and all after it fail.",
							variable,
							0, -INT_MAX, INT_MAX,
							PGC_SUSET,
							GUC_NOT_IN_SAMPLE,
							NULL, NULL, NULL);
}

static void
DefineGpuSettings(void)
{
	DefineCustomIntVariable("gpufim.gpu_memory_limit",
							"Sets the memory that one call may use on each GPU.",
							"0 takes what is free.",
							&gpufim_gpu_memory_limit,
							0, 0, INT_MAX,
							PGC_USERSET,
							GUC_UNIT_KB,
							CheckGpuMemory, NULL, NULL);

	DefineCustomStringVariable("gpufim.gpus",
							   "Selects the GPUs that a call uses.",
							   "A list of numbers as shown by gpufim_devices(); empty takes all.",
							   &gpufim_gpus,
							   "",
							   PGC_USERSET,
							   0,
							   CheckGpus, NULL, NULL);

	DefineCustomIntVariable("gpufim.worker_idle_timeout",
							"Sets how long a GPU worker without work keeps its devices.",
							"0 keeps them for good. For the worker that all sessions share, "
							"the server's configuration counts, not a session's.",
							&gpufim_worker_idle_timeout,
							300 * 1000, 0, INT_MAX,
							PGC_USERSET,
							GUC_UNIT_MS,
							NULL, NULL, NULL);

	DefineCustomIntVariable("gpufim.gpu_patience",
							"Sets how long engine \"auto\" mines on the CPU before it takes a GPU.",
							"0: a GPU begins every call; -1: no call changes its engine, unless a GPU fails.",
							&gpufim_gpu_patience,
							5, -1, INT_MAX,
							PGC_USERSET,
							GUC_UNIT_MS,
							NULL, NULL, NULL);

	DefineCustomStringVariable("gpufim.cuda_library",
							   "Names the library that has the GPU engine.",
							   "It is loaded by GPU workers that start after a change.",
							   &gpufim_cuda_library,
							   "$libdir/gpufim_cuda",
							   PGC_SIGHUP,
							   GUC_SUPERUSER_ONLY | GUC_NOT_IN_SAMPLE,
							   NULL, NULL, NULL);

	DefineInjection("gpufim.inject_allocation_failure",
					"Lets the nth allocation of device memory in a call fail.",
					&gpufim_inject_allocation);
	DefineInjection("gpufim.inject_launch_failure",
					"Lets the nth launch on a device in a call fail.",
					&gpufim_inject_launch);
	DefineInjection("gpufim.inject_device_loss",
					"Lets the device be lost at the nth wait for it in a call.",
					&gpufim_inject_device);
	DefineCustomIntVariable("gpufim.inject_slowness",
							"Makes limits of time longer, as if the machine were so many times as slow.",
							"A developer setting, for tests: how long the start of a GPU worker may take, "
							"and within how long a device's faults are added up; 0 lets these times be over at once.",
							&gpufim_inject_slowness,
							1, 0, 1000,
							PGC_SUSET,
							GUC_NOT_IN_SAMPLE,
							NULL, NULL, NULL);
}

/*
 * Defines an administrator's limit.  A client can have set the same name before the library
 * was loaded, when nothing forbade it.  If that replaced what the configuration or the role
 * says, then the default is in force now, and nobody knows what the limit should be.  That
 * is recognized by the value's source, and not by the value, since a client may send the
 * default.
 */
static void
DefineLimit(const char *name, const char *description, const char *explanation,
			int *variable, int least, int most, int flags)
{
	GucSource	wanted = ResetSource(name);

	DefineCustomIntVariable(name, description, explanation, variable, *variable, least, most,
							PGC_SUSET, flags, NULL, NULL, NULL);
	if (wanted != PGC_S_DEFAULT && ResetSource(name) == PGC_S_DEFAULT)
		HiddenLimit = name;
}

/* These limits come first, because other settings are checked against them. */
static void
DefineLimits(void)
{
	DefineLimit("gpufim.max_workers",
				"Sets the most that gpufim.workers can be set to or amount to.",
				"Superusers set it, for a role, a database or the server.",
				&gpufim_max_workers, 0, MAX_PARALLEL_WORKER_LIMIT, 0);
	DefineLimit("gpufim.max_memory_limit",
				"Sets the most that gpufim.memory_limit can be set to or amount to.",
				"Superusers set it, for a role, a database or the server.",
				&gpufim_max_memory_limit, LEAST_MEMORY_LIMIT, MAX_KILOBYTES, GUC_UNIT_KB);
	DefineLimit("gpufim.max_gpu_memory_limit",
				"Sets the most that gpufim.gpu_memory_limit can be set to or amount to.",
				"0 sets no limit. Superusers set it, for a role, a database or the server.",
				&gpufim_max_gpu_memory_limit, 0, INT_MAX, GUC_UNIT_KB);
	DefineLimit("gpufim.max_results_limit",
				"Sets the most that gpufim.max_results can be set to or amount to.",
				"0 sets no limit. Superusers set it, for a role, a database or the server.",
				&gpufim_max_results_limit, 0, INT_MAX, 0);
}

void
DefineSettings(void)
{
	DefineLimits();

	DefineCustomEnumVariable("gpufim.engine",
							 "Selects the engine that mines.",
							 "\"auto\" begins on the processor or on a GPU, as the size of a call suggests, and moves long calls to a GPU if there is one.",
							 &gpufim_engine,
							 GPUFIM_ENGINE_AUTO,
							 EngineOptions,
							 PGC_USERSET,
							 0,
							 NULL, NULL, NULL);

	DefineCustomStringVariable("gpufim.strategy",
							   "Selects the engine's way of mining.",
							   "\"auto\" chooses by the data. Results do not depend on it.",
							   &gpufim_strategy,
							   "auto",
							   PGC_USERSET,
							   0,
							   CheckStrategy, NULL, NULL);

	DefineCustomIntVariable("gpufim.workers",
							"Sets the number of background workers that help the session to mine.",
							"-1 takes one per processor core but one, at most max_parallel_workers; "
							"0 mines in the session's own process alone.",
							&gpufim_workers,
							-1, -1, MAX_PARALLEL_WORKER_LIMIT,
							PGC_USERSET,
							0,
							CheckWorkers, NULL, NULL);

	DefineCustomIntVariable("gpufim.memory_limit",
							"Sets the memory that one call may use, its workers' included.",
							"Rows beyond it are spilled to temporary files; "
							"what cannot be spilled stops the call with an error.",
							&gpufim_memory_limit,
							1024 * 1024, LEAST_MEMORY_LIMIT, MAX_KILOBYTES,
							PGC_USERSET,
							GUC_UNIT_KB,
							CheckMemory, NULL, NULL);

	DefineCustomIntVariable("gpufim.max_results",
							"Sets the most results that one call may return.",
							"A call that finds more ends with an error; 0 sets no limit.",
							&gpufim_max_results,
							0, 0, INT_MAX,
							PGC_USERSET,
							0,
							CheckMaxResults, NULL, NULL);

	DefineGpuSettings();
	MarkGUCPrefixReserved("gpufim");
}

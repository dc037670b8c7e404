/*-------------------------------------------------------------------------
 *
 * gpufim.c
 *	  Module initialization and settings.
 *
 * Nothing requires preloading.  In shared_preload_libraries, gpufim takes a
 * little shared memory in which every session's progress can be seen.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "gpufim.h"
#include "postmaster/bgworker_internals.h"
#include "storage/ipc.h"

GPUFIM_MODULE_MAGIC("gpufim", GPUFIM_VERSION);

int			gpufim_engine = GPUFIM_ENGINE_AUTO;
char	   *gpufim_strategy = NULL;
int			gpufim_workers = -1;
int			gpufim_memory_limit = 1024 * 1024;

static const struct config_enum_entry EngineOptions[] = {
	{"auto", GPUFIM_ENGINE_AUTO, false},
	{"cpu", GPUFIM_ENGINE_CPU, false},
	{"gpu", GPUFIM_ENGINE_GPU, false},
	{NULL, 0, false}
};

static shmem_request_hook_type PreviousShmemRequest = NULL;
static shmem_startup_hook_type PreviousShmemStartup = NULL;

extern PGDLLEXPORT void _PG_init(void);

static void
DefineSettings(void)
{
	DefineCustomEnumVariable("gpufim.engine",
							 "Selects the engine that mines.",
							 "\"auto\" takes a GPU if there is one and the processor otherwise.",
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
							   NULL, NULL, NULL);

	DefineCustomIntVariable("gpufim.workers",
							"Sets the number of background workers that help the session to mine.",
							"-1 takes one per processor core but one, at most max_parallel_workers; "
							"0 mines in the session's own process alone.",
							&gpufim_workers,
							-1, -1, MAX_PARALLEL_WORKER_LIMIT,
							PGC_USERSET,
							0,
							NULL, NULL, NULL);

	DefineCustomIntVariable("gpufim.memory_limit",
							"Sets the memory that one call may use, its workers' included.",
							"Rows beyond it are spilled to temporary files; "
							"what cannot be spilled stops the call with an error.",
							&gpufim_memory_limit,
							1024 * 1024, 64, MAX_KILOBYTES,
							PGC_USERSET,
							GUC_UNIT_KB,
							NULL, NULL, NULL);

	MarkGUCPrefixReserved("gpufim");
}

static void
ShmemRequest(void)
{
	if (PreviousShmemRequest)
		PreviousShmemRequest();
	RunShmemRequest();
}

static void
ShmemStartup(void)
{
	if (PreviousShmemStartup)
		PreviousShmemStartup();
	RunShmemStartup();
}

void
_PG_init(void)
{
	DefineSettings();

	if (!process_shared_preload_libraries_in_progress)
		return;

	ChainShmemRequest(PreviousShmemRequest, ShmemRequest);
	PreviousShmemStartup = shmem_startup_hook;
	shmem_startup_hook = ShmemStartup;
}

/*-------------------------------------------------------------------------
 *
 * gpufim.c
 *	  Module initialization.
 *
 * Nothing requires preloading.  If gpufim is in shared_preload_libraries, it takes a
 * little shared memory in which every session's progress can be seen, and has one
 * GPU worker for all sessions.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "gpufim.h"
#include "storage/ipc.h"
#include "work/gpu_queue.h"

GPUFIM_MODULE_MAGIC("gpufim", GPUFIM_VERSION);

static shmem_request_hook_type PreviousShmemRequest = NULL;
static shmem_startup_hook_type PreviousShmemStartup = NULL;

extern PGDLLEXPORT void _PG_init(void);

static void
ShmemRequest(void)
{
	if (PreviousShmemRequest)
		PreviousShmemRequest();
	RunShmemRequest();
	GpuShmemRequest();
}

static void
ShmemStartup(void)
{
	if (PreviousShmemStartup)
		PreviousShmemStartup();
	RunShmemStartup();
	GpuShmemStartup();
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
	GpuRegisterWorker();
}

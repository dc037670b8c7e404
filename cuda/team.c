/*-------------------------------------------------------------------------
 *
 * team.c
 *	  The devices that work on a job, see team.h.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "device.h"
#include "team.h"

/*
 * Milliseconds that calling a device takes without what is copied to it, and bytes that are copied in one: from memory
 * that it reaches, or by way of the host.
 */
#define CALL_MS			20.0
#define NEAR_BYTES_A_MS	3e8
#define FAR_BYTES_A_MS	3e7

static FimGpuOptions gpu_options;
static FimGpuReport gpu_report;

void
GpuSetOptions(const FimGpuOptions *options)
{
	gpu_options = *options;
	memset(&gpu_report, 0, sizeof(gpu_report));
	GpuInject(&options->inject);
}

cudaError_t
GpuTeamBegin(GpuTeam *team, FimShared *shared, FimHost *host)
{
	int			n;

	memset(team, 0, sizeof(GpuTeam));
	team->shared = shared;
	team->host = host;
	/* the sticky error that was recorded then is this job's fault, too */
	if (GpuIsDead())
		return cudaErrorUnknown;
	GpuReleaseAll();
	GpuClearFault();
	GPU_TRY(GpuOpenAll(&gpu_options, &n));
	for (int i = 0; i < n; i++)
	{
		GpuDevice  *device = GpuDeviceOf(&gpu_options, i);

		GPU_TRY(GpuUse(device, "choosing a device"));
		GPU_TRY(GpuBeginMemory(device, gpu_options.memory_limit));
		device->pace = device->launched = 0;
		memset(device->ms, 0, sizeof(device->ms));
		memset(device->amount, 0, sizeof(device->amount));
		team->devices[team->ndevices++] = device;
	}
	return cudaSuccess;
}

cudaError_t
GpuTeamHoldBack(GpuTeam *team, uint64_t bytes)
{
	int			n = 1;

	team->held_near = true;
	for (int d = 1; d < team->ndevices; d++)
	{
		GpuDevice  *device = team->devices[d];
		bool		near;

		if (GpuRoom(device) < bytes)
			continue;
		GPU_TRY(GpuCanReach(device, team->devices[0], &near));
		team->held_near &= near;
		team->devices[n++] = device;
	}
	team->ndevices = 1;
	team->nheld = n - 1;
	team->held_since = Milliseconds();
	return cudaSuccess;
}

bool
GpuTeamIsToCall(const GpuTeam *team, uint64_t bytes)
{
	double		counted = team->devices[0]->ms[FIM_GPU_COUNT];
	double		ms = CALL_MS + (double) bytes / (team->held_near ? NEAR_BYTES_A_MS : FAR_BYTES_A_MS);

	return team->nheld > 0 &&
		(gpu_options.call_at_once ||
		 (counted >= ms && 2 * counted >= Milliseconds() - team->held_since));
}

cudaError_t
GpuTeamCall(GpuTeam *team)
{
	for (int d = 1; d <= team->nheld && team->held_near; d++)
		GPU_TRY(GpuLetReach(team->devices[d], team->devices[0]));
	team->ndevices += team->nheld;
	team->nheld = 0;
	return cudaSuccess;
}

static void
MakeReport(const GpuTeam *team)
{
	memset(&gpu_report, 0, sizeof(gpu_report));
	gpu_report.strategies = team->shared->strategies;
	gpu_report.ndevices = team->ndevices;
	gpu_report.candidates = team->candidates;
	for (int d = 0; d < team->ndevices; d++)
	{
		const GpuDevice *device = team->devices[d];

		gpu_report.devices[d] = device->number;
		gpu_report.peak_memory = GpuGreater(gpu_report.peak_memory, device->peak);
		for (int p = 0; p < FIM_GPU_NPHASES; p++)
		{
			gpu_report.ms[p] += device->ms[p];
			gpu_report.amount[p] += device->amount[p];
		}
	}
}

void
GpuTeamEnd(GpuTeam *team)
{
	GpuReleaseAll();
	GpuHostFreeAll(team);
	MakeReport(team);
}

FimResult
GpuTeamMine(GpuTeam *team, const FimTask *task, FimHost *host, cudaError_t (*run) (void *job), void *job)
{
	cudaError_t error = GpuTeamBegin(team, task->shared, host);

	if (error == cudaSuccess)
		error = run(job);
	if (error == cudaSuccess && GpuPoll(team))
		error = GPU_STOPPED;
	GpuTeamEnd(team);
	return team->no_memory ? FIM_OUT_OF_MEMORY : GpuResult(error);
}

const FimGpuReport *
GpuReport(void)
{
	return &gpu_report;
}

FimResult
GpuResult(cudaError_t error)
{
	return error == cudaSuccess ? FIM_DONE : error == GPU_STOPPED ? FIM_STOPPED : FIM_DEVICE_FAULT;
}

uint64_t
GpuLeastRoom(const GpuTeam *team)
{
	uint64_t	room = UINT64_MAX;

	for (int d = 0; d < team->ndevices; d++)
		room = GpuLesser(room, GpuRoom(team->devices[d]));
	return room;
}

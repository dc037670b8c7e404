/*-------------------------------------------------------------------------
 *
 * team.h
 *	  A team: the devices that work on a job, and what the job needs of its host.
 *
 * A team knows no family.  It has the job's devices, gets host memory, learns
 * whether the job is to stop, and makes the report.  A family's mine() begins with
 * GpuTeamBegin() and ends, whichever way, with GpuTeamEnd(), which gives back all that
 * the job holds on the host and on the devices.  There is one team at a time, and
 * one thread that may use it; other threads only help, see host_threads.h.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TEAM_H
#define FIM_TEAM_H

#include "fault.h"

#ifdef __cplusplus
extern "C"
{
#endif

typedef struct GpuHostBlock GpuHostBlock;

typedef struct GpuTeam
{
	FimShared  *shared;			/* its cancel flag is looked at */
	FimHost    *host;
	GpuDevice  *devices[FIM_GPU_MAX_DEVICES];
	int			ndevices;

	/* what the family has to report; the rest of the report is about the devices */
	int			strategy;		/* the one that mines */
	uint64_t	candidates;

	/* for team.c alone */
	GpuHostBlock *blocks;		/* of host memory */
	double		last_poll;		/* ms of a clock */
	uint64_t	work;			/* steps of the host's since then */
} GpuTeam;

/* For the teams that follow: their devices and limits, and what fails. */
extern void GpuSetOptions(const FimGpuOptions *options);

/*
 * Opens the devices of the options and makes a team of them.  GpuTeamEnd() must
 * follow even if this fails, and host and shared must live until then.
 */
extern cudaError_t GpuTeamBegin(GpuTeam *team, FimShared *shared, FimHost *host);
extern void GpuTeamEnd(GpuTeam *team);

/* Of the team that has ended last. */
extern const FimGpuReport *GpuReport(void);

/* What to return from mine() for an error that a function here returned. */
extern FimResult GpuResult(cudaError_t error);

/* The least that one of the team's devices has room for, in bytes. */
extern uint64_t GpuLeastRoom(const GpuTeam *team);

/* Whether the job is to stop. */
extern bool GpuPoll(GpuTeam *team);

/* The same, but the host is asked only if that was not done within the last millisecond. */
extern bool GpuMustStop(GpuTeam *team);

/* Steps of about a nanosecond that the host does between two polls. */
#define GPU_WORK_PER_POLL	(UINT64_C(1) << 21)

/* To be called for every few steps of the host's: whether the job is to stop. */
static inline bool
GpuWork(GpuTeam *team, uint64_t work)
{
	team->work += work;
	return team->work >= GPU_WORK_PER_POLL && GpuPoll(team);
}

/* ---- host memory ---- */

/* Returns NULL if the host has not enough. */
extern void *GpuHostAlloc(GpuTeam *team, size_t bytes);

/* Frees a block of GpuHostAlloc(); it may be NULL. */
extern void GpuHostFree(GpuTeam *team, void *address);

/*
 * Moves an array that has room for *room elements to where there is room for "needed"
 * ones, or more; the first "used" elements keep their values.  Returns the array's new
 * address.  If the host has not enough memory, returns NULL and changes nothing.
 */
extern void *GpuHostGrow(GpuTeam *team, void *address, uint64_t used, uint64_t needed,
						 uint64_t *room, size_t size);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_TEAM_H */

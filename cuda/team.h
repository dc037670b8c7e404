/*-------------------------------------------------------------------------
 *
 * team.h
 *	  A team: the devices that work on a job, and what the job needs of its host.
 *
 * A team knows no family.  It has the job's devices, gets host memory, learns
 * whether the job is to stop, and makes the report.  A family's mine() begins with
 * GpuTeamBegin() and ends, whichever way, with GpuTeamEnd(), which gives back all that
 * the job holds on the host and on the devices.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TEAM_H
#define FIM_TEAM_H

#include "fault.h"
#include "host_memory.h"
#include "stopping.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Sets the devices and limits of the teams that follow, and which of their calls are to fail. */
extern void GpuSetOptions(const FimGpuOptions *options);

/*
 * Opens the devices of the options and makes a team of them.  GpuTeamEnd() must
 * follow even if this fails, and host and shared must live until then.
 */
extern cudaError_t GpuTeamBegin(GpuTeam *team, FimShared *shared, FimHost *host);
extern void GpuTeamEnd(GpuTeam *team);

/*
 * What mine() of a family does with a team if the family's functions return errors: begins the
 * team, calls run(job), and ends the team.  If the job has been canceled, the result is
 * FIM_STOPPED, even if run() had nothing left to do.
 */
extern FimResult GpuTeamMine(GpuTeam *team, const FimTask *task, FimHost *host, cudaError_t (*run) (void *job),
							 void *job);

/*
 * Lets the first device work alone until GpuTeamCall(): ndevices becomes 1.  Devices with less room than so
 * many bytes, see GpuRoom(), leave the team, unless it is the first one.
 */
extern cudaError_t GpuTeamHoldBack(GpuTeam *team, uint64_t bytes);
extern cudaError_t GpuTeamCall(GpuTeam *team);

/*
 * Whether the devices held back are to be called if so many bytes of the first one then have to be copied to each.
 * Nobody knows how long the job takes.  It is about twice as slow as it could be, at most, if others are called once the
 * first one has counted for as long as calling one of them takes.  They are of no use if the job waits for the host for most of the
 * time.
 */
extern bool GpuTeamIsToCall(const GpuTeam *team, uint64_t bytes);

/* The report of the team that ended last, if there has been one since GpuSetOptions(). */
extern const FimGpuReport *GpuReport(void);

/* What to return from mine() for an error that a function here returned. */
extern FimResult GpuResult(cudaError_t error);

/* The least room that any of the team's devices has, see GpuRoom(), in bytes. */
extern uint64_t GpuLeastRoom(const GpuTeam *team);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_TEAM_H */

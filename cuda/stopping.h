/*-------------------------------------------------------------------------
 *
 * stopping.h
 *	  Whether the job under way is to stop.
 *
 * Included by what waits for devices or computes on the host.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_STOPPING_H
#define FIM_STOPPING_H

#include "team_state.h"

#ifdef __cplusplus
extern "C"
{
#endif

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

#ifdef __cplusplus
}
#endif

#endif							/* FIM_STOPPING_H */

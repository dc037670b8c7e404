/*-------------------------------------------------------------------------
 *
 * stopping.h
 *	  Whether the job under way is to stop.
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

/*
 * Like GpuPoll(), but returns false without asking if the last GpuPoll() was within the last
 * millisecond.
 */
extern bool GpuMustStop(GpuTeam *team);

/* Steps of about a nanosecond that the host does between two polls. */
#define GPU_WORK_PER_POLL	(UINT64_C(1) << 21)

/*
 * Whether the job is to stop.  To be called after every few steps of the host's work, with the
 * number of these steps; polls after each GPU_WORK_PER_POLL steps.
 */
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

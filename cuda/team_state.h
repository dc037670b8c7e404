/*-------------------------------------------------------------------------
 *
 * team_state.h
 *	  What a team is: the devices of a job, and its host.
 *
 * There is one team at a time, and one thread that may use it; other threads only help,
 * see host_threads.h.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_TEAM_STATE_H
#define FIM_TEAM_STATE_H

#include "device.h"

#ifdef __cplusplus
extern "C"
{
#endif

typedef struct GpuHostBlock GpuHostBlock;

typedef struct GpuTeam
{
	FimShared  *shared;			/* its cancel flag ends the job */
	FimHost    *host;
	GpuDevice  *devices[FIM_GPU_MAX_DEVICES];
	int			ndevices;		/* that work */
	int			nheld;			/* the devices behind these, which GpuTeamCall() lets work, too */
	double		held_since;		/* ms of a clock */
	bool		held_near;		/* these can copy from the first one's memory without the host */

	uint64_t	candidates;		/* whose support has been counted, for the report */

	bool		no_memory;		/* the job ends because the host has not enough memory */

	GpuHostBlock *blocks;		/* of host memory, for host_memory.c alone */

	/* for stopping.h alone */
	double		last_poll;		/* ms of a clock */
	uint64_t	work;			/* steps that the host has done since then, see GpuWork() */
} GpuTeam;

#ifdef __cplusplus
}
#endif

#endif							/* FIM_TEAM_STATE_H */

/*-------------------------------------------------------------------------
 *
 * stopping.c
 *	  Whether the job under way is to stop, see stopping.h.
 *
 *-------------------------------------------------------------------------
 */
#include "clock.h"
#include "stopping.h"

#define POLL_MS			1.0

bool
GpuPoll(GpuTeam *team)
{
	team->last_poll = Milliseconds();
	team->work = 0;
	return FimMustStop(team->shared, team->host);
}

bool
GpuMustStop(GpuTeam *team)
{
	return Milliseconds() - team->last_poll > POLL_MS && GpuPoll(team);
}

/*-------------------------------------------------------------------------
 *
 * workspace.h
 *	  Memory that computations of tails use one after the other, and their polls.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_WORKSPACE_H
#define FIM_WORKSPACE_H

#include "engine/engine.h"

/* One for each worker.  It grows to what the longest list of probabilities takes. */
typedef struct FimWorkspace
{
	FimHost    *host;
	void	   *block;			/* as the host gave it */
	size_t		size;
	uint64_t	work;			/* multiplications since the last poll */
} FimWorkspace;

extern void FimWorkspaceInit(FimWorkspace *ws, FimHost *host);
extern void FimWorkspaceFree(FimWorkspace *ws);

/*
 * Reserve a block of memory, aligned to 64 bytes.  The block reserved before is lost.  Returns
 * NULL if there is not enough memory.
 */
extern void *WorkspaceReserve(FimWorkspace *ws, size_t bytes);

/* To be called before this much work is done: polls after each WORK_PER_POLL.  Does the host want to stop? */
#define WORK_PER_POLL	(UINT64_C(1) << 23)

static inline bool
WorkspaceStops(FimWorkspace *ws, uint64_t work)
{
	if ((ws->work += work) < WORK_PER_POLL)
		return false;
	ws->work = 0;
	return ws->host->poll(ws->host);
}

#endif							/* FIM_WORKSPACE_H */

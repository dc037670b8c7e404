/*-------------------------------------------------------------------------
 *
 * workspace.c
 *	  Memory that computations of tails use one after the other.
 *
 *-------------------------------------------------------------------------
 */
#include "tail.h"

#define ALIGN	64

void
FimWorkspaceInit(FimWorkspace *ws, FimHost *host)
{
	ws->host = host;
	ws->block = NULL;
	ws->size = 0;
	ws->work = 0;
}

void
FimWorkspaceFree(FimWorkspace *ws)
{
	if (ws->block != NULL)
		ws->host->free(ws->host, ws->block);
	ws->block = NULL;
	ws->size = 0;
}

void *
WorkspaceReserve(FimWorkspace *ws, size_t bytes)
{
	if (bytes > ws->size)
	{
		FimWorkspaceFree(ws);
		if (bytes > SIZE_MAX - ALIGN)
			return NULL;
		/* a quarter more, so that lists that grow slowly do not need new memory each time */
		if (bytes < SIZE_MAX / 2)
			bytes += bytes / 4;
		ws->block = ws->host->alloc(ws->host, bytes + ALIGN);
		if (ws->block == NULL)
			return NULL;
		ws->size = bytes;
	}
	return (void *) (((uintptr_t) ws->block + ALIGN - 1) & ~(uintptr_t) (ALIGN - 1));
}

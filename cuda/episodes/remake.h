/*-------------------------------------------------------------------------
 *
 * remake.h
 *	  Making lists again that there was no memory to keep: from an episode's first type on.
 *
 * Included by shares.h and by remake.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_REMAKE_H
#define FIM_GPU_REMAKE_H

#include "episodes/level.h"
#include "episodes/lists.h"

#ifdef __cplusplus
extern "C"
{
#endif

#define REMAKE_ROOM		(1u << 16)	/* lists that are made together */

/* An episode whose list is made again. */
typedef struct Remade
{
	uint32_t	number;			/* in the last level */
	uint32_t	to;				/* where its list goes in an array of lists */
	uint64_t	at;				/* the first of the entries that it has in each half */
	uint64_t	most;			/* how many these are */
} Remade;

/* On a device.  Lists of one length are made from those of the length before in the other half. */
typedef struct Remaking
{
	int			d;				/* of the team */
	uint32_t   *half[2];		/* NULL until the first list is made again */
	uint64_t	room;			/* entries of each */
	uint64_t	used;
	DeviceList *stage[2];		/* [REMAKE_ROOM] */
	Extension  *extensions;		/* [REMAKE_ROOM] */
	Pause	   *pauses;			/* by "to" of the last lists */
	Chunk	   *chunks;			/* [CHUNK_ROOM] */

	/* on the host */
	Remade	   *remade;			/* [REMAKE_ROOM] */
	uint32_t	n;
	DeviceList *host_lists;		/* [REMAKE_ROOM] */
	Extension  *host_extensions;
} Remaking;

/* The least memory of a device that making lists again takes, if no type has more events than that. */
extern uint64_t RemakeLeast(uint32_t most_events);

/* Empties it; "pauses" has a place for each list, and "chunks" CHUNK_ROOM places. */
extern void RemakeBegin(Remaking *remaking, int d, Pause *pauses, Chunk *chunks);

/*
 * Adds the list of an episode of some length, at least 2, that is to go to a place of an
 * array of lists.  *list becomes what must be there before RemakeAll().  *fits becomes
 * false if the lists that were added before it have to be made first.
 */
extern cudaError_t RemakeAdd(EpisodesJob *job, Remaking *remaking, const Levels *levels, uint32_t length,
							 uint32_t number, uint32_t to, DeviceList *list, bool *fits);

/* Makes those that were added, all of them episodes of the given length. */
extern cudaError_t RemakeAll(EpisodesJob *job, Remaking *remaking, const EventStream *stream,
							 const Levels *levels, uint32_t length, DeviceList *lists);

/* Gives back the memory that making lists again has taken, once what the counting stream was given is done. */
extern cudaError_t RemakeFree(EpisodesJob *job, Remaking *remaking);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_REMAKE_H */

/*-------------------------------------------------------------------------
 *
 * remake.h
 *	  Making lists again that there was no memory to keep: from an episode's first type on.
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
	uint32_t	number;			/* in its level */
	uint32_t	to;				/* where its list goes in the caller's array of lists */
	uint64_t	at;				/* where its room begins in each half, in entries */
	uint64_t	most;			/* entries of its room, and so the most that its list or a prefix's can have */
} Remade;

/*
 * Making lists again on a device.  The list of a prefix is made in one half of the memory, from the list of
 * the prefix that is one type shorter, which is in the other half.  Memory is taken when the first list is
 * added.
 */
typedef struct Remaking
{
	int			d;				/* the device's number in the team */
	uint32_t   *half[2];		/* NULL until the first list is added */
	uint64_t	room;			/* entries of each half */
	uint64_t	used;			/* entries of each half that have been given to lists */
	DeviceList *stage[2];		/* [REMAKE_ROOM] the lists in each half */
	Extension  *extensions;		/* [REMAKE_ROOM] */
	Pause	   *pauses;			/* by the extensions' "to"; the caller's memory */
	Chunk	   *chunks;			/* [CHUNK_ROOM]; the caller's memory */

	/* on the host */
	Remade	   *remade;			/* [REMAKE_ROOM] */
	uint32_t	n;				/* lists that have been added */
	DeviceList *host_lists;		/* [REMAKE_ROOM] */
	Extension  *host_extensions;	/* [REMAKE_ROOM] */
} Remaking;

/* The least bytes of a device that making lists again takes, if no type has more than most_events events. */
extern uint64_t RemakeLeast(uint32_t most_events);

/*
 * Begins without any lists, but keeps the memory.  "pauses" has an element for each list, and "chunks" has
 * CHUNK_ROOM.
 */
extern void RemakeBegin(Remaking *remaking, int d, Pause *pauses, Chunk *chunks);

/*
 * Adds the list of an episode of some length, at least 2.  It is to go to element "to" of an array of lists
 * on the device, and *list becomes what must be there before RemakeAll().  *fits becomes false, and nothing
 * is added, if the lists that were added before have to be made first.
 */
extern cudaError_t RemakeAdd(EpisodesJob *job, Remaking *remaking, const EpisodeLevels *levels,
							 uint32_t length, uint32_t number, uint32_t to, DeviceList *list, bool *fits);

/*
 * Makes the lists that were added, all of them of episodes of the given length, in lists[], which is on the
 * device.
 */
extern cudaError_t RemakeAll(EpisodesJob *job, Remaking *remaking, const EventStream *stream,
							 const EpisodeLevels *levels, uint32_t length, DeviceList *lists);

/* Gives back the memory, once the work is done that the counting stream has been given. */
extern cudaError_t RemakeFree(EpisodesJob *job, Remaking *remaking);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_REMAKE_H */

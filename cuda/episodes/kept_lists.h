/*-------------------------------------------------------------------------
 *
 * kept_lists.h
 *	  The lists of a level's episodes, each on one of the devices, as far as there is
 *	  memory for them.
 *
 * Included by shares.h and by kept_lists.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_KEPT_LISTS_H
#define FIM_GPU_KEPT_LISTS_H

#include "episodes/lists.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* A block of a device's memory with the lists of many episodes. */
typedef struct ListBlock
{
	void	   *address;
	int			device;			/* of the team */
} ListBlock;

typedef struct KeptLists
{
	DeviceList *list;			/* [n] without addresses where a list is not kept */
	uint64_t	list_room;
	uint8_t    *device;			/* [n] of the team, the one that counts what extends an episode */
	uint64_t	device_room;
	uint32_t	n;
	ListBlock  *block;
	uint64_t	block_room;
	uint32_t	nblocks;
} KeptLists;

/* Adds an episode.  A list that is kept has places. */
extern cudaError_t KeepList(EpisodesJob *job, KeptLists *lists, const DeviceList *list, int device);

/*
 * Takes a block for so many entries, with their places, on a device, and leaves "reserve" bytes of the
 * device's memory.  *address becomes NULL if there is too little for that.
 */
extern cudaError_t TakeListBlock(EpisodesJob *job, KeptLists *lists, int device, uint64_t entries,
								 uint64_t reserve, uint32_t **address);

/* Frees the blocks, and leaves no episodes. */
extern cudaError_t DropLists(EpisodesJob *job, KeptLists *lists);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_KEPT_LISTS_H */

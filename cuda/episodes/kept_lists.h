/*-------------------------------------------------------------------------
 *
 * kept_lists.h
 *	  The lists of a level's episodes, each on one of the devices, as far as there is
 *	  memory for them.
 *
 * Included by shares.h and pairs.h, and by kept_lists.c.
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
	DeviceList *list;			/* [n] by episode; its addresses are NULL where a list is not kept */
	uint64_t	list_room;
	uint8_t    *device;			/* [n] the device of the team that has the list and counts what extends the episode */
	uint64_t	device_room;
	uint32_t	n;
	ListBlock  *block;			/* [nblocks] the memory of all these lists */
	uint64_t	block_room;
	uint32_t	nblocks;
} KeptLists;

/* Adds an episode with its list, which has places if it is kept. */
extern cudaError_t KeepList(EpisodesJob *job, KeptLists *lists, const DeviceList *list, int device);

/*
 * Takes a block for so many entries, with their places, on a device of the team.  *address becomes NULL,
 * which is no error, if the device does not have the memory, or if the job would have fewer than "reserve"
 * bytes of it left.  DropLists() frees the block.
 */
extern cudaError_t TakeListBlock(EpisodesJob *job, KeptLists *lists, int device, uint64_t entries,
								 uint64_t reserve, uint32_t **address);

/*
 * Deals the lists out to all devices of the team.  A list that is on another device than the one that it is dealt to
 * is not kept any more.
 */
extern cudaError_t DealLists(EpisodesJob *job, KeptLists *lists);

/* Frees the blocks, and leaves no episodes. */
extern cudaError_t DropLists(EpisodesJob *job, KeptLists *lists);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_KEPT_LISTS_H */

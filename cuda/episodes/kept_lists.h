/*-------------------------------------------------------------------------
 *
 * kept_lists.h
 *	  The lists of a level's episodes, as far as there is memory for them.
 *
 * Each device makes or gets the lists of all episodes, whichever device counts what extends them, because the
 * list of a candidate's suffix says which events come into question.
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

/* Memory for the lists of many episodes, in the same order on each of the devices that have it. */
typedef struct ListBlock
{
	uint64_t	entries;
	uint32_t   *address[FIM_GPU_MAX_DEVICES];	/* by device of the team; NULL: it does not have the block */
} ListBlock;

/* The list of an episode: where it is in its block. */
typedef struct KeptList
{
	uint64_t	at;				/* the entries before it */
	uint32_t	block;
	uint32_t	n;				/* entries */
	uint32_t	on;				/* a bit for each device of the team that has it; 0: it is not kept */
} KeptList;

typedef struct KeptLists
{
	KeptList   *list;			/* [n] by episode */
	uint64_t	room;
	uint32_t	n;
	ListBlock  *block;			/* [nblocks] */
	uint64_t	block_room;
	uint32_t	nblocks;
} KeptLists;

/* The list of an episode on a device, with places; its addresses are NULL where it is not kept. */
static inline DeviceList
KeptListOn(const KeptLists *lists, uint32_t number, int device)
{
	const KeptList *list = &lists->list[number];
	DeviceList	on = UnkeptList(list->n);

	if ((list->on >> device & 1) != 0)
	{
		on.end = lists->block[list->block].address[device] + 3 * list->at;
		on.start = on.end + list->n;
		on.placed = 1;
	}
	return on;
}

/* Adds an episode with its list. */
extern cudaError_t KeepList(EpisodesJob *job, KeptLists *lists, const KeptList *list);

/* Adds a block for so many entries, with their places, which is number lists->nblocks - 1 then.  No device has it yet. */
extern cudaError_t AddListBlock(EpisodesJob *job, KeptLists *lists, uint64_t entries);

/*
 * Gives a device of the team the last block.  Its address on the device stays NULL, which is no error, if the
 * device does not have the memory, or if the job would have fewer than "reserve" bytes of it left.
 */
extern cudaError_t TakeListBlock(EpisodesJob *job, KeptLists *lists, int device, uint64_t reserve);

/*
 * Copies all lists of the first device to another one, as far as that has the memory and "reserve" bytes would
 * be left.
 */
extern cudaError_t CopyLists(EpisodesJob *job, KeptLists *lists, int device, uint64_t reserve);

/* The bytes of all lists of the first device. */
extern uint64_t BytesOfLists(const KeptLists *lists);

/* Frees the blocks, and leaves no episodes. */
extern cudaError_t DropLists(EpisodesJob *job, KeptLists *lists);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_KEPT_LISTS_H */

/*-------------------------------------------------------------------------
 *
 * long_lists.h
 *	  Extending a list by many events, with a thread for each event instead of a warp for
 *	  all of them.
 *
 * The events of the type are searched for in the list independently, and those that
 * extend it are brought together.  To count the occurrences that do not overlap, each
 * entry is told the next one that begins after it ends, and then, round after round, the one
 * twice as many occurrences on (pointer doubling, J. C. Wyllie, The Complexity of Parallel
 * Computations, 1979).  That takes more steps in all than a warp does, but hardly any time
 * for one list.
 *
 * Included by long_lists.c and by whoever extends few lists.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_LONG_LISTS_H
#define FIM_GPU_LONG_LISTS_H

#include "episodes/lists.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Room for extending lists by types with up to so many events. */
typedef struct LongLists
{
	GpuDevice  *device;
	const DeviceStream *stream;
	uint32_t	room;			/* events */
	uint32_t   *start;			/* [room] of what ends with each event of the type; GPU_NONE if nothing does */
	uint32_t   *next[2];		/* [room] entries */
	uint32_t   *steps[2];		/* [room] from an entry to the one that is next */
	uint32_t   *n;				/* of the list made */
	Counted    *counted;
	void	   *scratch;
	size_t		scratch_bytes;
} LongLists;

/* The bytes that it takes, but for scratch memory. */
extern uint64_t LongListsMemory(uint32_t room);

/* Takes the memory; *opened becomes false if there is too little. */
extern cudaError_t LongListsOpen(LongLists *l, GpuDevice *device, const DeviceStream *stream, uint32_t room,
								 bool *opened);
extern cudaError_t LongListsClose(LongLists *l);

/* Makes the list; "made" has the addresses of room enough, and gets n. */
extern cudaError_t LongListsExtend(EpisodesJob *job, LongLists *l, const DeviceList *list, uint32_t type,
								   uint32_t gap, DeviceList *made);

/* The most occurrences of a list that do not overlap, from the moment counted->free on. */
extern cudaError_t LongListsCount(EpisodesJob *job, LongLists *l, const DeviceList *list, Counted *counted);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_LONG_LISTS_H */

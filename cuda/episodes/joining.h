/*-------------------------------------------------------------------------
 *
 * joining.h
 *	  Candidates on a device: making extensions of them, and finding those that are frequent.
 *
 * For each candidate the host would take longer than the device does to count it.  So the host
 * knows of candidates by runs only, and of each only if it turned out frequent.
 *
 * All functions put their work into the device's counting stream; the device is the
 * current one, and all addresses are of its memory.
 *
 * Included by shares.h, and by the files with these functions.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_GPU_JOINING_H
#define FIM_GPU_JOINING_H

#include "episodes/lists.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Extensions of the same list, by ends that follow each other. */
typedef struct JoinedRun
{
	uint32_t	first;			/* extension; the next run's first one is the end */
	uint32_t	list;
	uint32_t	end;			/* of the first one */
	uint32_t	gap;			/* that all extend the list under; GPU_NONE: those of the ends */
} JoinedRun;

/*
 * Makes extensions[n] of the runs, each with its number in "to".  free[n], unless it is NULL,
 * goes to counted[n].
 */
extern cudaError_t JoinRuns(GpuDevice *device, const JoinedRun *runs, uint32_t nruns, const EpisodeEnd *ends,
							Extension *extensions, uint32_t n, const uint32_t *free, Counted *counted);

/* An extension whose support is not below the least. */
typedef struct Found
{
	uint32_t	number;
	Counted		counted;
} Found;

typedef struct FoundList
{
	uint32_t	n;
	Found		found[];		/* [n] their numbers ascend */
} FoundList;

extern cudaError_t FoundScratch(uint32_t n, size_t *bytes);

/* Finds those out of counted[n] that reach the least support; "found" may be pinned memory of the host. */
extern cudaError_t SelectFound(GpuDevice *device, void *scratch, size_t bytes, const Counted *counted, uint32_t n,
							   uint64_t least, FoundList *found);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_JOINING_H */

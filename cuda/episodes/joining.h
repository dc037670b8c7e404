/*-------------------------------------------------------------------------
 *
 * joining.h
 *	  Candidates on a device: making extensions of them, and finding those that are frequent.
 *
 * If the host did anything for each candidate, it would take longer than the device takes to count
 * it.  So the host deals with runs of candidates, and with single ones only if they are frequent.
 *
 * All functions put their work into the device's counting stream; the device is the
 * current one, and all addresses are of its memory.
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
	uint32_t	first;			/* extension; the run ends before the first one of the next run */
	uint32_t	list;
	uint32_t	end;			/* of the first extension, into an array of ends */
	uint32_t	gap;			/* under which all extend the list; GPU_NONE: each under the gap of its end */
} JoinedRun;

/*
 * Makes extensions[n] from the runs, each with its number in "to".  Unless it is NULL, free[n] is copied to
 * the "free" of counted[n].
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

/* Sets *bytes to the scratch memory that SelectFound() needs for n extensions. */
extern cudaError_t FoundScratch(uint32_t n, size_t *bytes);

/*
 * Finds which of counted[n] reach the support "least".  "found" has room for n, and may be pinned memory of
 * the host.
 */
extern cudaError_t SelectFound(GpuDevice *device, void *scratch, size_t bytes, const Counted *counted, uint32_t n,
							   uint64_t least, FoundList *found);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_GPU_JOINING_H */

/*-------------------------------------------------------------------------
 *
 * probable_job.h
 *	  A job of mining probable itemsets on devices.
 *
 * There is one job at a time.  Functions return a cudaError_t, as those of the device
 * floor do, and the first one that is not cudaSuccess ends the job.  NoMemory() returns
 * what a stop returns, but sets a mark in the team that tells the two apart.
 *
 * The columns of a job are first the items that can be in a result besides the required
 * ones, in ascending order of their number of transactions, and then the required ones.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_PROBABLE_JOB_H
#define FIM_PROBABLE_JOB_H

#include "memory.h"
#include "team.h"
#include "timing.h"

#ifdef __cplusplus
extern "C"
{
#endif

#include "engine/probable/bounds.h"
#include "engine/probable/probable.h"
#include "engine/probable/tail.h"

typedef struct ProbableJob
{
	GpuTeam		team;
	const FimProbableJob *asked;
	const FimProbableData *data;
	FimSink    *sink;
	FimProbableSummary *summary;

	/* parts of the data */
	const uint64_t *starts;		/* [data->nrows + 1] */
	const uint32_t *items;		/* [data->entries] */
	const double *probabilities;	/* [data->by_entry ? data->entries : data->nrows] */

	/* columns */
	uint32_t	ncolumns;		/* required ones included */
	uint32_t	nfree;			/* columns that are not required; these come first */
	uint32_t   *name;			/* [ncolumns] the item's number in the data */
	uint32_t   *column_of;		/* [data->nitems] GPU_NONE for an item that has no column */
	uint32_t	least_count;	/* an itemset in fewer transactions is not selected */

	/* device memory: the items of all entries if items_kept, see columns.h */
	uint32_t   *device_items[FIM_GPU_MAX_DEVICES];
	bool		items_kept;
} ProbableJob;

/* The error to return, which ends the job, when the host does not have enough memory. */
static inline cudaError_t
NoMemory(ProbableJob *job)
{
	return GpuNoMemory(&job->team);
}

/* Sets *address to host memory, which lives until it is freed or the job ends. */
static inline cudaError_t
HostTake(ProbableJob *job, size_t bytes, void **address)
{
	return GpuHostTake(&job->team, bytes, address);
}

/*
 * Grows *array to at least "needed" elements of "size" bytes, and keeps the first "used" of them.
 * *room is the number of elements that the array has memory for.
 */
static inline cudaError_t
HostGrow(ProbableJob *job, void **array, uint64_t used, uint64_t needed, uint64_t *room, size_t size)
{
	return GpuHostRoom(&job->team, array, used, needed, room, size);
}

/*
 * Polls for a stop from time to time.  To be called often by loops of the host, with the number of
 * steps since the last call, of about a nanosecond each.
 */
static inline cudaError_t
HostWork(ProbableJob *job, uint64_t work)
{
	return GpuWork(&job->team, work) ? GPU_STOPPED : cudaSuccess;
}

#ifdef __cplusplus
}
#endif

#endif							/* FIM_PROBABLE_JOB_H */

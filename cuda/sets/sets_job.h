/*-------------------------------------------------------------------------
 *
 * sets_job.h
 *	  A job of multiplying sets on devices.
 *
 * There is one job at a time.  Functions return a cudaError_t, as those of the device
 * floor do, and the first one that is not cudaSuccess ends the job.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SETS_JOB_H
#define FIM_SETS_JOB_H

#include "memory.h"
#include "sets/relations.h"
#include "team.h"
#include "timing.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Most strips that are counted together, see strips.h, and most cells that a strip keeps. */
#define STRIPS_AT_ONCE		(UINT32_C(1) << 20)
#define STRIP_CELLS			(UINT32_C(1) << 18)

/* Of the memory that is free when strips are opened, cells get at most one part of so many. */
#define ROOM_PART		4

/*
 * For an estimate: the scratch memory of a sort or a scan of n elements, beside copies of them.  CUB takes four
 * bytes for each of 256 digits of a block, which has some thousands of elements.
 */
static inline uint64_t
ScratchOf(uint64_t n)
{
	return (UINT64_C(2) << 20) + n / 4;
}

/* What the job has on one of its devices. */
typedef struct SetsDevice
{
	GpuDevice  *device;
	Relations	relations;

	/* for strips.c; all arrays are device memory.  From "start" on only if cells are listed. */
	uint64_t   *results;		/* number of results counted so far */
	uint32_t   *cells;			/* [STRIPS_AT_ONCE] see StripCounts */
	uint64_t   *start;			/* [STRIPS_AT_ONCE + 1] see CellTarget, as for right and witnesses */
	void	   *scratch;		/* for scans */
	size_t		scratch_bytes;
	uint32_t   *right;			/* [room] */
	uint32_t   *witnesses;		/* [room], or NULL if they are not wanted */
	uint64_t	room;			/* cells */
} SetsDevice;

typedef struct SetsJob
{
	GpuTeam		team;
	const FimSetsJob *asked;
	const FimSetsData *data;
	FimSink    *sink;
	FimSetsSummary *summary;
	CellRule	rule;
	bool		listed;			/* cells are sent home, not only counted */
	bool		with_witnesses; /* their numbers of witnesses are, too */
	SetsDevice	on[FIM_GPU_MAX_DEVICES];	/* as many as the team has devices */
} SetsJob;

/*
 * The part of a product that belongs to tiles: the left ranks below "left" with the right ranks
 * below "right".  All other cells belong to rows.
 */
typedef struct DensePart
{
	uint32_t	left;
	uint32_t	right;
} DensePart;

/*
 * Polls for a stop from time to time.  To be called often by loops of the host, with the number of
 * steps since the last call, of about a nanosecond each.
 */
static inline cudaError_t
HostWork(SetsJob *job, uint64_t work)
{
	return GpuWork(&job->team, work) ? GPU_STOPPED : cudaSuccess;
}

#ifdef __cplusplus
}
#endif

#endif							/* FIM_SETS_JOB_H */

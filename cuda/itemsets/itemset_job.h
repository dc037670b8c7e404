/*-------------------------------------------------------------------------
 *
 * itemset_job.h
 *	  A job of mining itemsets on devices, and how its strategies leave it.
 *
 * There is one job at a time.  The functions of the device floor return errors; this header
 * turns them into jumps.  A strategy wraps calls in OrLeave() or uses the functions below, all
 * of which jump to where the job began if something does not succeed.  Everything that the
 * team, the miner and strategy "tensor" hold is given back there, so nothing that has to be
 * given back may be held in local variables alone.
 *
 * Itemsets are given out by the CPU engine's output.c, which is linked into this library.  Its
 * Miner leaves by the same jump.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_ITEMSET_JOB_H
#define FIM_ITEMSET_JOB_H

#include "memory.h"
#include "team.h"
#include "timing.h"

#ifdef __cplusplus
extern "C"
{
#endif

#include "engine/itemsets/output.h"
#include "engine/itemsets/root.h"

typedef struct ItemsetJob
{
	GpuTeam		team;
	const FimItemsetsJob *asked;		/* what to mine */
	const FimDatabase *db;
	FimSink    *sink;
	FimTally   *tally;

	/* parts of the database */
	const uint32_t *support;	/* [db->nitems] */
	const uint32_t *name;		/* [db->nitems] the caller's numbers */
	const FimRow *rows;			/* [db->nrows] */
	const uint32_t *items;		/* [db->entries] */
	uint32_t	nitems;			/* frequent items; they come first in all of these arrays */
	uint32_t	skip;			/* of these, the items that all transactions hold; they come first of all */

	Miner		miner;			/* to give itemsets out */
} ItemsetJob;

/* The job under way; there is one at a time. */
extern ItemsetJob itemset_job;

/* Sets what is to be mined, and where it is in the database. */
extern void JobDescribe(ItemsetJob *job, const FimItemsetsJob *asked, const FimDatabase *db);

/* Leave the job under way, with what mine() is to return. */
extern void JobLeave(FimResult result) __attribute__((noreturn));

/* Leave the job under way if a call returned an error. */
static inline void
OrLeave(cudaError_t error)
{
	if (error != cudaSuccess)
		JobLeave(GpuResult(error));
}

/*
 * To be called after every few steps of the host's work, with their number; a step is about a
 * nanosecond.
 */
static inline void
JobWork(ItemsetJob *job, uint64_t work)
{
	if (GpuWork(&job->team, work))
		JobLeave(FIM_STOPPED);
}

/* Host memory, which lives until it is freed or the job ends; see host_memory.h. */
static inline void *
JobAlloc(ItemsetJob *job, size_t bytes)
{
	void	   *address = GpuHostAlloc(&job->team, bytes);

	if (address == NULL)
		JobLeave(FIM_OUT_OF_MEMORY);
	return address;
}

static inline void
JobFree(ItemsetJob *job, void *address)
{
	GpuHostFree(&job->team, address);
}

/*
 * Returns an array that has room for "needed" elements of "size" bytes.  That is the given
 * array if its room, *room elements, is enough.  Otherwise it is a larger copy that has its
 * first "used" elements; the given array is freed, and *room is set.
 */
static inline void *
JobGrow(ItemsetJob *job, void *address, uint64_t used, uint64_t needed, uint64_t *room, size_t size)
{
	cudaError_t error = GpuHostRoom(&job->team, &address, used, needed, room, size);

	if (error != cudaSuccess)
		JobLeave(job->team.no_memory ? FIM_OUT_OF_MEMORY : GpuResult(error));
	return address;
}

/* Device memory, or NULL if the job's limit or the device does not have enough. */
static inline void *
JobTryAlloc(GpuDevice *device, size_t bytes, const char *what)
{
	void	   *address;

	OrLeave(GpuTryAlloc(device, bytes, what, &address));
	return address;
}

static inline GpuTimer *
JobBegin(GpuDevice *device, int stream, FimGpuPhase phase, double amount)
{
	GpuTimer   *timer;

	OrLeave(GpuBegin(device, stream, phase, amount, &timer));
	return timer;
}

#ifdef __cplusplus
}
#endif

#endif							/* FIM_ITEMSET_JOB_H */

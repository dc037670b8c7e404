/*-------------------------------------------------------------------------
 *
 * episodes_job.h
 *	  A job of mining serial episodes on devices.
 *
 * There is one job at a time.  Functions return a cudaError_t, as those of the device
 * floor do, and the job ends with the first that is not cudaSuccess.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_EPISODES_JOB_H
#define FIM_EPISODES_JOB_H

#include "memory.h"
#include "team.h"
#include "timing.h"

#ifdef __cplusplus
extern "C"
{
#endif

#include "engine/episodes/episodes.h"

/*
 * Events that follow each other and are on the devices at the same time.  The partitions are those that have
 * such events; the first and the last partition may have other events, too.
 */
typedef struct Section
{
	uint32_t	first_event;
	uint32_t	events;
	uint32_t	first_partition;
	uint32_t	partitions;
} Section;

static inline Section
AllEvents(const FimEpisodesData *data)
{
	return (Section) {0, data->events, 0, data->partitions};
}

typedef struct EpisodesJob
{
	GpuTeam		team;
	const FimEpisodesJob *asked;
	const FimEpisodesData *data;
	FimEpisodesGpuStrategy strategy;	/* never "auto" */
	FimSink    *sink;
	uint64_t   *summary;		/* NULL unless the job only counts */

	uint32_t	longest;		/* the most events of an episode that is given out */
	uint32_t	deepest;		/* the same, and one more if longer episodes tell which are closed or maximal */
	uint8_t    *required;		/* [data->ntypes] 1 for required types; NULL if no type is required */

	/* what is on the devices: all of the data, or a section of them, see sections.h */
	Section		section;
	uint32_t   *start;			/* [data->ntypes + 1] the place of each type's first event */
	uint32_t	most_events;	/* of a type */
	uint64_t	least;			/* supports below that need not be exact: minsup, or 1 with more than one section */
} EpisodesJob;

/* The events of a type that are on the devices. */
static inline uint32_t
EventsOf(const EpisodesJob *job, uint32_t type)
{
	return job->start[type + 1] - job->start[type];
}

/* Events that the host goes through between two looks at whether the job is to stop. */
#define EVENTS_AT_ONCE	(UINT32_C(1) << 16)

/* To be called for every few steps of the host's, of about a nanosecond each. */
static inline cudaError_t
HostWork(EpisodesJob *job, uint64_t work)
{
	return GpuWork(&job->team, work) ? GPU_STOPPED : cudaSuccess;
}

#ifdef __cplusplus
}
#endif

#endif							/* FIM_EPISODES_JOB_H */

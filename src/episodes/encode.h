/*-------------------------------------------------------------------------
 *
 * encode.h
 *	  From a stream of events to the data that the engine mines.
 *
 * Included by the SQL functions of src/episodes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_EPISODES_ENCODE_H
#define GPUFIM_EPISODES_ENCODE_H

#include "episodes/event_stream.h"
#include "episodes/gaps.h"
#include "work/job.h"

/* The event types that the engine is to know, and what it is to call them. */
typedef struct KeptTypes
{
	const uint32 *number;		/* by number in the dictionary; n or more: not kept */
	uint32		n;
	uint64		events;			/* of all of them */
} KeptTypes;

/* The least that mining so many events takes each engine. */
extern EngineCost EpisodesCost(uint64 events, const Gaps *gaps);

/* The least that a job of counting episodes on surrogates takes each engine; counts are the events of each type. */
extern EngineCost SurrogatesCost(const FimEpisodesJob *job, const uint32 *counts, uint32 ntypes);

/*
 * Build the job's data of a stream's events, which are gone after this; their ledger is
 * needed no more.  The data are the job's.  If "ranks" is not NULL, ranks[i] becomes what
 * the stream's events have as the data's partition i; there is room for all partitions.
 */
extern FimEpisodesData *BuildEpisodesData(struct Job *job, EventStream *stream,
										  const KeptTypes *types, const Gaps *gaps,
										  uint32 *ranks);

#endif							/* GPUFIM_EPISODES_ENCODE_H */

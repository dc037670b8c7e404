/*-------------------------------------------------------------------------
 *
 * encode.h
 *	  From a stream of events to the data that the engine mines.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_EPISODES_ENCODE_H
#define GPUFIM_EPISODES_ENCODE_H

#include "episodes/event_stream.h"
#include "episodes/gaps.h"
#include "work/job.h"

/* The event types and partitions that the engine mines, and their numbers in its data. */
typedef struct KeptTypes
{
	const uint32 *number;		/* by a type's number in the dictionary: its number in the data; n or
								 * more: not kept */
	uint32		n;
	uint64		events;			/* number of events of all kept types */
	const bool *useless;		/* [npartitions] partitions that are not kept; NULL: all are */
} KeptTypes;

/* The least time that each engine takes to mine this number of events. */
extern EngineCost EpisodesCost(uint64 events, const Gaps *gaps);

/*
 * The least time that each engine takes for a job that counts episodes on surrogates; counts[]
 * has the number of events of each type.
 */
extern EngineCost SurrogatesCost(const FimEpisodesJob *job, const uint32 *counts, uint32 ntypes);

/*
 * Build the job's data of a stream's events.  Consumes the events, and closes the stream's rows;
 * their ledger may be destroyed then.  The data belong to the job.  If "ranks" is not NULL, the
 * function sets ranks[i] to the partition that the data's partition i has in the stream's events.
 * The caller provides room for stream->npartitions of them.
 */
extern FimEpisodesData *BuildEpisodesData(struct Job *job, EventStream *stream,
										  const KeptTypes *types, const Gaps *gaps,
										  uint32 *ranks);

#endif							/* GPUFIM_EPISODES_ENCODE_H */

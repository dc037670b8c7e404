/*-------------------------------------------------------------------------
 *
 * mining_input.h
 *	  What a call has to mine: the events of the frequent types, and the threshold.
 *
 * Included by the SQL functions of src/episodes that mine.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_EPISODES_MINING_INPUT_H
#define GPUFIM_EPISODES_MINING_INPUT_H

#include "episodes/encode.h"
#include "episodes/event_stream.h"
#include "episodes/request.h"
#include "items.h"

typedef struct MiningInput
{
	EventStream *stream;
	uint64		events;			/* all of the source, but for those of excluded types */
	uint32		minsup;			/* occurrences */
	GpufimItems *types;			/* those frequent, numbered in their order, with their
								 * counts of events; NULL if there can be no episode */
	KeptTypes	kept;			/* the same, by numbers in the dictionary */
	uint32		nrequired;
	uint32	   *required;		/* the types that every episode must have, each once */
} MiningInput;

/*
 * Read what a request asks for, find the threshold and the frequent types.  If there can
 * be no episode, all memory has been given back.  Otherwise BuildEpisodesData() is next.
 */
extern void ReadMiningInput(const EpisodesRequest *request, MemoryLedger *ledger,
							MiningInput *input);

/* Tell gpufim_last_run() of it, once the data have been built. */
extern void ShowMiningInput(const MiningInput *input, const FimEpisodesData *data);

/* The engine's job for that; palloc'd. */
extern FimEpisodesJob *EpisodesJobOf(const EpisodesRequest *request, const MiningInput *input);

#endif							/* GPUFIM_EPISODES_MINING_INPUT_H */

/*-------------------------------------------------------------------------
 *
 * mining_input.h
 *	  What a call has to mine: the events of the frequent types, and the threshold.
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
	uint64		events;			/* of all types that are not excluded */
	uint32		minsup;			/* in occurrences */
	uint32		max_length;		/* of episodes; FIM_NO_LIMIT: none */
	GpufimItems *types;			/* the frequent types in sort order, with their numbers of events; NULL if
								 * there can be no episode */
	KeptTypes	kept;			/* the same types, by their numbers in the dictionary */
	uint32		nrequired;
	uint32	   *required;		/* [nrequired], the types that every episode must have, each once, as
								 * indexes in types->items */
} MiningInput;

/*
 * Read the source of a request, and find the threshold and the frequent types.  If there can be
 * no episode, this destroys the ledger and sets input->types to NULL.  Otherwise the caller goes
 * on with BuildEpisodesData().
 */
extern void ReadMiningInput(const EpisodesRequest *request, MemoryLedger *ledger,
							MiningInput *input);

/*
 * Make gpufim_last_run() show the input's numbers, and raise a notice if no event follows another
 * one within a gap.  To be called when the data have been built.
 */
extern void ShowMiningInput(const MiningInput *input, const FimEpisodesData *data);

/* Returns the engine's job for a request and its input; palloc'd. */
extern FimEpisodesJob *EpisodesJobOf(const EpisodesRequest *request, const MiningInput *input);

#endif							/* GPUFIM_EPISODES_MINING_INPUT_H */

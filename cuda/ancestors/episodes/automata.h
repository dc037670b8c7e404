/*-------------------------------------------------------------------------
 *
 * automata.h
 *	  A thread for each candidate, which walks along the stream: Algorithm 1, an automaton,
 *	  and Algorithm 4, PreElim, of Feng, Cao, Patnaik and Ramakrishnan, "Temporal Data Mining
 *	  for Neuroscience" (GPU Computing Gems, Emerald Edition, 2011, chapter 15).
 *
 * doc/episode_mining.md says what had to be corrected.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_AUTOMATA_H
#define FIM_AUTOMATA_H

#include "ancestors/episodes/candidate_groups.h"

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * An automaton has a list for each place of its candidate but the last.  The list has the events that end a
 * chain up to that place, if the chain began after the last occurrence ended.  All arrays are on the device.
 */
typedef struct Automata
{
	CandidateGroup group;
	uint32_t   *first;			/* [length - 1][n] the first event of each list that has not expired */
	uint32_t   *end;			/* [length - 1][n] the end of each list */
	uint64_t   *at;				/* [length - 1][n] where each list begins in "events" */
	uint32_t   *events;			/* of all lists */
} Automata;

/*
 * Walks along the stream, from event "from" to the one before "to".  Before event 0, "first" and "end" have
 * to be 0.
 */
extern cudaError_t WalkAutomata(GpuDevice *device, const Automata *automata, uint32_t from, uint32_t to);

/*
 * PreElim: upper bounds of the supports, which are the supports without the gaps' lower bounds.  For these,
 * only the latest event at each place has to be known.
 */
typedef struct UpperBounds
{
	CandidateGroup group;
	uint32_t   *latest;			/* [length][n] 1 more than this event's number; 0 if there is none, as before event 0 */
} UpperBounds;

extern cudaError_t WalkUpperBounds(GpuDevice *device, const UpperBounds *bounds, uint32_t from, uint32_t to);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_AUTOMATA_H */

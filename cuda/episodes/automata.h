/*-------------------------------------------------------------------------
 *
 * automata.h
 *	  A thread for each candidate, which walks along the stream: Algorithm 1, an automaton,
 *	  and Algorithm 4, PreElim, of Feng, Cao, Patnaik and Ramakrishnan, "Temporal Data Mining
 *	  for Neuroscience" (GPU Computing Gems, Emerald Edition, 2011, chapter 15).
 *
 * doc/episode_mining.md says what had to be corrected.
 *
 * Included by walkers.c and by automata.cu.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_AUTOMATA_H
#define FIM_AUTOMATA_H

#include "episodes/candidate_groups.h"

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * An automaton has a list for each place but the last: the events with which a chain up to that
 * place ends that began after the last occurrence ended.  All arrays are on the device;
 * what belongs to a place and a candidate is at [place][candidate].
 */
typedef struct Automata
{
	CandidateGroup group;
	uint32_t   *first;			/* [length - 1][n] what is before it has expired */
	uint32_t   *end;			/* [length - 1][n] */
	uint64_t   *at;				/* [length - 1][n] where the list begins */
	uint32_t   *events;			/* of all lists */
} Automata;

/* Walk from one event of the stream to another one.  Of the lists, all but "at" is 0 before the first event. */
extern cudaError_t WalkAutomata(GpuDevice *device, const Automata *automata, uint32_t from, uint32_t to);

/*
 * PreElim: the supports without the gaps' lower bounds, for which only the latest event
 * at each place has to be known, one more than its number, or 0.
 */
typedef struct UpperBounds
{
	CandidateGroup group;
	uint32_t   *latest;			/* [length][n], 0 before the first event */
} UpperBounds;

extern cudaError_t WalkUpperBounds(GpuDevice *device, const UpperBounds *bounds, uint32_t from, uint32_t to);

#ifdef __cplusplus
}
#endif

#endif							/* FIM_AUTOMATA_H */

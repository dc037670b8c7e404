/*-------------------------------------------------------------------------
 *
 * state_machine.h
 *	  Counting candidates by an automaton for each, Algorithm 1 of Feng, Cao, Patnaik
 *	  and Ramakrishnan, "Temporal Data Mining for Neuroscience" (GPU Computing Gems,
 *	  Emerald Edition, 2011, chapter 15).
 *
 * doc/episode_mining.md says what had to be corrected.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_EPISODES_STATE_MACHINE_H
#define FIM_EPISODES_STATE_MACHINE_H

#include "levels.h"

/*
 * For the automata: at which places of an episode, counted from 1, each type stands.
 * first[type] is the type's last place, and before[k] the last place before k that has the
 * same type as place k; both are 0 if there is none.
 */
typedef struct Places
{
	uint32_t   *first;			/* [ntypes] */
	uint32_t   *before;			/* [length + 1] */
} Places;

/*
 * PlacesInit() allocates in the worker's arena, for episodes up to a length, and leaves all
 * types without places.  PlacesClear() undoes PlacesSet().
 */
extern void PlacesInit(Places *places, Worker *w, uint32_t length);
extern void PlacesSet(Places *places, const Episode *episode);
extern void PlacesClear(Places *places, const Episode *episode);

extern void CountByStateMachine(Worker *w, Candidates *candidates);

#endif							/* FIM_EPISODES_STATE_MACHINE_H */

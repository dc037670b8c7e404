/*-------------------------------------------------------------------------
 *
 * episodes.h
 *	  Strategies that count candidates one by one, after Feng, Cao, Patnaik and Ramakrishnan,
 *	  "Temporal Data Mining for Neuroscience" (GPU Computing Gems, Emerald Edition, 2011, chapter 15).
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_ANCESTORS_EPISODES_H
#define FIM_ANCESTORS_EPISODES_H

#include "engine/episodes/worker.h"

/*
 * levels.c: Mining level by level, as the ancestors of this engine do: candidates are joined from the
 * frequent episodes that are one event shorter, and then counted.
 */

/* Candidates of the same length, at most MAX_CANDIDATES at a time. */
#define MAX_CANDIDATES	16384

typedef struct Candidates
{
	uint32_t	length;
	uint32_t	n;
	uint32_t   *type;			/* [n][length] */
	uint32_t   *gap;			/* [n][length - 1] */
	uint32_t   *support;		/* [n] */
} Candidates;

static inline Episode
CandidateAt(const Candidates *candidates, uint32_t c)
{
	return (Episode) {candidates->type + (size_t) c * candidates->length,
					  candidates->gap + (size_t) c * (candidates->length - 1), candidates->length};
}

/*
 * Fills in the supports.  That of a candidate that is not frequent need not be right,
 * only below minsup.
 */
typedef void (*CountCandidates) (Worker *w, Candidates *candidates);

/* The task has one unit, so that one worker does all of it. */
extern FimResult MineByLevels(Worker *w, CountCandidates count);

/*
 * state_machine.c: Counting candidates by an automaton for each, Algorithm 1 of Feng, Cao, Patnaik and
 * Ramakrishnan, "Temporal Data Mining for Neuroscience" (GPU Computing Gems, Emerald Edition, 2011, chapter
 * 15).
 *
 * doc/episode_mining.md says what had to be corrected.
 */

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

extern void CountByStateMachine(Worker *w, Candidates *candidates);

/*
 * Two passes over candidates: PreElim and the hybrid algorithm of Feng, Cao, Patnaik and Ramakrishnan, "Temporal Data Mining for Neuroscience" (GPU Computing Gems, Emerald Edition, 2011, chapter 15).
 *
 * doc/episode_mining.md says what had to be corrected.
 */

extern void CountInTwoPasses(Worker *w, Candidates *candidates);

/*
 * occurrence.c: Counting candidates by finding their occurrences and then the most that do not overlap: the
 * search for next events, and Algorithm 2, of Feng, Cao, Patnaik and Ramakrishnan, "Temporal Data Mining for
 * Neuroscience" (GPU Computing Gems, Emerald Edition, 2011, chapter 15).
 *
 * doc/episode_mining.md says what had to be corrected.
 */

extern void CountByOccurrence(Worker *w, Candidates *candidates);

#endif							/* FIM_ANCESTORS_EPISODES_H */

/*-------------------------------------------------------------------------
 *
 * levels.h
 *	  Mining level by level, as the ancestors of this engine do: candidates are joined
 *	  from the frequent episodes that are one event shorter, and then counted.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_EPISODES_LEVELS_H
#define FIM_EPISODES_LEVELS_H

#include "engine/episodes/worker.h"

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

#endif							/* FIM_EPISODES_LEVELS_H */

/*-------------------------------------------------------------------------
 *
 * significance.h
 *	  Counting given episodes on surrogates.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_SIGNIFICANCE_H
#define FIM_SIGNIFICANCE_H

#include "surrogate.h"
#include "worker.h"

/*
 * The supports of given extensions of an episode by one event on a surrogate, and the lists of some of them.
 *
 * This is latest-start propagation (lists.h).  Unlike in followers.c, it is known which
 * extensions to count; their number is small, and the windows of the surrogate's events
 * hold few events.  The children of an episode are counted in the quicker of two ways:
 *
 * -	Event by event: each event in the windows after the list's entries is counted for
 * 	its type.  That is quick where the list is short.
 *
 * -	Child by child: the list's entries are marked in a bitmap of the stream.  Each event of
 * 	the child's type finds the last mark in the window before it, in one
 * 	look at the bitmap as long as the window is narrower than a word.
 */

/*
 * An entry of a list: an event that ends occurrences, and the latest event at which one
 * of these can begin.  The start is the number of the first event of the same time as
 * the latter.
 */
typedef struct Chain
{
	uint32_t	place;			/* of the event that ends them; while lists are made, its number */
	uint32_t	start;
} Chain;

typedef struct Chains
{
	Chain	   *chain;			/* ascending by places */
	uint32_t	n;
} Chains;

/* About how many bytes of its host's memory a worker takes for that. */
extern uint64_t SurrogatesWorkerSize(const FimEpisodesJob *job, const FimEpisodesData *data);

/* Take units, which are surrogates, until none is left. */
extern FimResult MineSurrogates(Worker *w);

#endif							/* FIM_SIGNIFICANCE_H */

/*-------------------------------------------------------------------------
 *
 * occurrence.h
 *	  Counting candidates by finding their occurrences and then the most that do not
 *	  overlap: the search for next events, and Algorithm 2, of Feng, Cao, Patnaik and
 *	  Ramakrishnan, "Temporal Data Mining for Neuroscience" (GPU Computing Gems,
 *	  Emerald Edition, 2011, chapter 15).
 *
 * doc/episode_mining.md says what had to be corrected.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_EPISODES_OCCURRENCE_H
#define FIM_EPISODES_OCCURRENCE_H

#include "levels.h"

extern void CountByOccurrence(Worker *w, Candidates *candidates);

#endif							/* FIM_EPISODES_OCCURRENCE_H */

/*-------------------------------------------------------------------------
 *
 * two_pass.h
 *	  Two passes over candidates: PreElim and the hybrid algorithm of Feng, Cao, Patnaik
 *	  and Ramakrishnan, "Temporal Data Mining for Neuroscience" (GPU Computing Gems,
 *	  Emerald Edition, 2011, chapter 15).
 *
 * doc/episode_mining.md says what had to be corrected.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_EPISODES_TWO_PASS_H
#define FIM_EPISODES_TWO_PASS_H

#include "levels.h"

extern void CountInTwoPasses(Worker *w, Candidates *candidates);

#endif							/* FIM_EPISODES_TWO_PASS_H */

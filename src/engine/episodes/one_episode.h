/*-------------------------------------------------------------------------
 *
 * one_episode.h
 *	  The task of counting a given episode, or of listing its occurrences.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIM_EPISODES_ONE_EPISODE_H
#define FIM_EPISODES_ONE_EPISODE_H

#include "worker.h"

/* The task has one unit, so that one worker does all of it. */
extern FimResult MineOneEpisode(Worker *w);

#endif							/* FIM_EPISODES_ONE_EPISODE_H */

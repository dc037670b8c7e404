/*-------------------------------------------------------------------------
 *
 * frequent_episodes.h
 *	  The SQL functions frequent_episodes() and episode_counts().
 *
 *-------------------------------------------------------------------------
 */
#ifndef GPUFIM_FREQUENT_EPISODES_H
#define GPUFIM_FREQUENT_EPISODES_H

#include "postgres.h"

#include "fmgr.h"

/* Run the function with this SQL name. */
extern Datum EpisodesFunction(FunctionCallInfo fcinfo, const char *function, bool count_only);

#endif							/* GPUFIM_FREQUENT_EPISODES_H */

/*-------------------------------------------------------------------------
 *
 * fixed_streams.h
 *	  Whether an engine finds the episodes of streams on which one went wrong.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FIXED_STREAMS_H
#define FIXED_STREAMS_H

#include "episode_runs.h"

/*
 * The smallest streams on which what was published goes wrong, which
 * doc/episode_mining.md names, and others on which an engine once did.  Prints what is
 * wrong, as comments, and returns false if something is.
 */
extern bool CheckFixedStreams(const EpisodeEngine *engine);

#endif							/* FIXED_STREAMS_H */

/*-------------------------------------------------------------------------
 *
 * episode_checks.h
 *	  Whether an engine finds the episodes of random streams that exhaustive search finds.
 *
 * The functions print what is wrong, as comments, and return false if something is.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EPISODE_CHECKS_H
#define EPISODE_CHECKS_H

#include "episode_runs.h"

/* A random stream against exhaustive search, by all strategies. */
extern bool CheckStream(const EpisodeEngine *engine, uint64_t seed);

/* Some episodes of a random stream on surrogates of it, against the CPU engine. */
extern bool CheckSurrogates(const EpisodeEngine *engine, uint64_t seed);

#endif							/* EPISODE_CHECKS_H */

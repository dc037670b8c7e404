/*-------------------------------------------------------------------------
 *
 * long_streams.h
 *	  Whether engines find the same episodes of streams that are too long for exhaustive search.
 *
 * The functions print what is wrong, as comments, and return false if something is.
 *
 *-------------------------------------------------------------------------
 */
#ifndef LONG_STREAMS_H
#define LONG_STREAMS_H

#include "episode_runs.h"

/* By all strategies. */
extern bool CheckLongStream(const EpisodeEngine *engine, uint64_t seed);

/* The occurrences of an episode so long that its lists are not all kept. */
extern bool CheckLongOccurrences(const EpisodeEngine *engine, uint64_t seed);

/*
 * One of so many events and types that even the CPU engine's "propagate" is all there is to
 * compare one strategy with; the occurrences of an episode, too.
 */
extern bool CheckVeryLongStream(const EpisodeEngine *engine, int strategy, uint64_t seed, uint32_t events,
								uint32_t types);

/* One whose episodes of up to five events have long lists. */
extern bool CheckDeepStream(const EpisodeEngine *engine, int strategy, uint64_t seed, uint32_t events);

/* One of so many events in which two types have turns, in the same way. */
extern bool CheckTurns(const EpisodeEngine *engine, int strategy, uint64_t seed, uint32_t events);

/* One of so many events in bursts, in the same way. */
extern bool CheckBursts(const EpisodeEngine *engine, int strategy, uint64_t seed, uint32_t events);

/* Episodes counted on surrogates of one of so many events. */
extern bool CheckLongSurrogates(const EpisodeEngine *engine, uint64_t seed, uint32_t events);

/* The same with bursts, between which a stream of surrogates may be cut. */
extern bool CheckBurstSurrogates(const EpisodeEngine *engine, uint64_t seed, uint32_t events);

#endif							/* LONG_STREAMS_H */

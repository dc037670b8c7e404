/*
 * plain_episodes.h
 *	  The yardstick for mining episodes: propagation that shares nothing.
 */
#ifndef BENCH_PLAIN_EPISODES_H
#define BENCH_PLAIN_EPISODES_H

#include "engine/episodes/episodes.h"

/*
 * Level by level: candidates are joined on what they have in common, and for each the
 * lists of all of its prefixes are made again by binary search.  count[] gets the number of
 * episodes of each length.  Sessions are not told apart.
 */
extern void PlainMine(const FimEpisodesData *data, const FimGap *gaps, uint32_t ngaps, uint64_t minsup,
					  uint32_t max_length, uint64_t *count);

#endif							/* BENCH_PLAIN_EPISODES_H */

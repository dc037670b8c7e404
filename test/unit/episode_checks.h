/*-------------------------------------------------------------------------
 *
 * episode_checks.h
 *	  Whether an engine finds the episodes that are there: those that exhaustive search
 *	  finds in random streams, and in streams that are too long for it those that the
 *	  CPU engine finds by occurrences.
 *
 * The functions print what is wrong, as comments, and return false if something is.
 *
 * Included by episode_checks.c and by the programs that check engines, check_episodes.c here
 * and in test/gpu.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EPISODE_CHECKS_H
#define EPISODE_CHECKS_H

#include "engine/episodes/episodes.h"

typedef struct EpisodeEngine
{
	const char *const *strategies;	/* NULL-terminated */
	int			strategy;		/* the only one to check, or -1 */
	bool		one_worker;		/* a task has one */
	void		(*prepare) (const FimTask *task);	/* before each task; may be NULL */
	FimResult	(*mine) (const FimTask *task, FimHost *host, FimSink *sink);
} EpisodeEngine;

extern const EpisodeEngine cpu_engine;

/*
 * The smallest streams on which what was published goes wrong, which
 * doc/episode_mining.md names, and others on which an engine once did.
 */
extern bool CheckFixedStreams(const EpisodeEngine *engine);

/* A random stream against exhaustive search, by all strategies. */
extern bool CheckStream(const EpisodeEngine *engine, uint64_t seed);

/* One that is too long for that. */
extern bool CheckLongStream(const EpisodeEngine *engine, uint64_t seed);

/* Some episodes of a random stream on surrogates of it, against the CPU engine. */
extern bool CheckSurrogates(const EpisodeEngine *engine, uint64_t seed);

/*
 * One of so many events and types that even the CPU engine's "propagate" is all there is to
 * compare one strategy with; the occurrences of an episode, too.
 */
extern bool CheckVeryLongStream(const EpisodeEngine *engine, int strategy, uint64_t seed, uint32_t events,
								uint32_t types);

#endif							/* EPISODE_CHECKS_H */

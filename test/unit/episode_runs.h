/*-------------------------------------------------------------------------
 *
 * episode_runs.h
 *	  Tasks of episodes, done by the workers of an engine.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EPISODE_RUNS_H
#define EPISODE_RUNS_H

#include "streams.h"

typedef struct EpisodeEngine
{
	const char *const *strategies; /* NULL-terminated */
	int			strategy;		/* the only one to check, or -1 */
	bool		one_worker;		/* a task has one */
	void		(*prepare) (const FimTask *task); /* before each task; may be NULL */
	FimResult	(*mine) (const FimTask *task, FimHost *host, FimSink *sink);
} EpisodeEngine;

/* With it the others are compared on streams too long for exhaustive search. */
extern const EpisodeEngine cpu_engine;

/* A spec with room for its words. */
typedef union TestJob
{
	FimEpisodesSpec spec;
	char		room[sizeof(FimEpisodesSpec) + sizeof(uint32_t) * 2 * STREAM_LENGTH];
} TestJob;

/* Set up so many workers of an engine, to be ended by EndWorkers(). */
extern void StartTask(const EpisodeEngine *engine, const FimEpisodesSpec *spec, const FimEpisodesData *data,
					  TaskWorker *workers, uint32_t n);

/* Whether an engine's worker gives the same summary, and the same records in the same order, as the CPU engine's. */
extern bool SameAsCpu(const EpisodeEngine *engine, const FimEpisodesSpec *spec, const FimEpisodesData *data);

extern uint32_t CountStrategies(const EpisodeEngine *engine);
extern bool IsChecked(const EpisodeEngine *engine, int strategy);

/* The support that a strategy gives an episode, 0 if it is not frequent. */
extern uint64_t MinedSupport(const EpisodeEngine *engine, const FimEpisodesData *data, int strategy,
							 const uint32_t *type, uint32_t length);

/*
 * The episodes of one length that a strategy finds, sorted; returns how many.  The records
 * are the caller's to free.
 */
extern size_t MineSorted(const EpisodeEngine *engine, const FimEpisodesData *data, int strategy, FimKind kind,
						 uint64_t minsup, uint32_t length, uint32_t **words);

/* Whether all strategies find what the CPU engine's "occurrence" does. */
extern bool StrategiesAgree(const EpisodeEngine *engine, const FimEpisodesData *data, FimKind kind,
							uint64_t minsup, uint32_t length);

#endif							/* EPISODE_RUNS_H */
